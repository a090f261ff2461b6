/** Danger: a header of millions of empty parts stalls the event loop. The readers stop after a number of steps, which is counted here. */
import { Formats } from '../../src/contract/formats';
import { readAcceptedHeader, readSource } from '../../src/compression/formats/image-header';
import { readAvifHeader } from '../../src/compression/formats/avif/avif-header';
import { readAvifItems } from '../../src/compression/formats/avif/avif-items';
import { box, boxesIn, fullBox } from '../../src/compression/formats/avif/boxes';
import { uint16s, uint32s } from '../../src/compression/formats/bytes';
import { undecodable } from '../../src/contract/image-problems';
import { readResultHeader } from '../../src/compression/formats/result-header';
import { graphicPng, photoPixels, rawImage } from '../support/images';
import { latin1 } from '../support/phone-files';

const BYTES = 20 * 1024 * 1024;
const MAX_PIXELS = 268e6;
/** 100 000 parts are accepted; each takes at most this many reads. */
const MAX_READS = 100_000 * 30;
/** A reader that refuses the file at once tests nothing. */
const MIN_READS = 1_000;

const hex = (digits: string) => Buffer.from(digits, 'hex');
/** Returns a file of 20 MiB: a start, repetitions of a part, an end. */
const filled = (start: Uint8Array, part: Uint8Array, end: Uint8Array = new Uint8Array()) =>
  Buffer.concat([start, Buffer.alloc(BYTES - start.length - end.length, part), end]);

/** Counts how often a reader looks at the file: at a byte, at a part of it, or at its length. */
function readsOf(file: Uint8Array, read: (bytes: Uint8Array) => unknown) {
  let reads = 0;
  const watched = (bytes: Uint8Array) =>
    new Proxy(bytes, {
      get(target, name) {
        reads++;
        if (name === 'subarray') return (from: number, to?: number) => partOf(target.subarray(from, to));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const partOf = (part: Uint8Array) => (part.length > BYTES / 2 ? watched(part) : part);
  try {
    read(watched(file));
  } catch (error) {
    expect(error).toHaveProperty('name', 'ImageRefused');
  }
  return reads;
}

const START = hex('ffd8');
const SCAN = hex('ffc0000b080010001001011100ffda0008010100003f00');
const png = graphicPng(8, 8);
const head = png.subarray(0, 33);
const ANIMATED = Buffer.concat([head, hex('000000086163544c000000010000000000000000')]);
const riff = Buffer.concat([latin1('RIFF'), hex('f0ff3f01'), latin1('WEBP')]);
const avif = (...boxes: Uint8Array[]) =>
  Buffer.concat([hex('00000010'), latin1('ftypavif\0\0\0\0'), ...boxes]);

const accepted = (bytes: Uint8Array) => readAcceptedHeader(bytes, MAX_PIXELS);
const source = (bytes: Uint8Array) => readSource(bytes, MAX_PIXELS);
const boxesOfHeader = (bytes: Uint8Array) => {
  try {
    boxesIn(bytes, 4);
  } catch {
    throw undecodable('AVIF');
  }
};
const result = (bytes: Uint8Array) => readResultHeader(bytes, MAX_PIXELS, Formats.builtIn);

it.each([
  ['JPEG: fill bytes', filled(START, hex('ff'), SCAN), accepted],
  ['JPEG: markers without a payload', filled(START, hex('ffd0'), SCAN), accepted],
  ['JPEG: empty segments', filled(START, hex('ffe50002'), SCAN), accepted],
  ['JPEG: stray bytes', filled(hex('ffd8ff00'), hex('01ff00'), SCAN), accepted],
  [
    'JPEG: stray bytes before a scan',
    filled(Buffer.concat([START, SCAN.subarray(0, 13)]), hex('01ff00')),
    accepted,
  ],
  ['PNG: empty chunks', filled(head, hex('00000000744553740a0b0c0d')), accepted],
  ['PNG: frames', filled(ANIMATED, hex('000000006663544c00000000')), accepted],
  ['PNG: empty chunks with a wrong checksum', filled(head, hex('00000000744553740a0b0c0d')), source],
  ['WebP: empty chunks', filled(riff, hex('4142434400000000')), result],
  ['AVIF: empty boxes', filled(avif(), hex('0000000866726565')), result],
  ['AVIF: empty boxes in its header', filled(Buffer.alloc(4), hex('0000000866726565')), boxesOfHeader],
])('%s', (_, file, read) => {
  expect(file).toHaveLength(BYTES);
  const reads = readsOf(file, read);
  expect(reads).toBeGreaterThan(MIN_READS);
  expect(reads).toBeLessThan(MAX_READS);
});

it('refuses an AVIF whose items share their data, which would be copied for each of them', async () => {
  const small = await rawImage(photoPixels(64, 48)).toFormat('avif', { effort: 0 }).toBuffer();
  const { top, meta, children, items } = readAvifItems(small);
  const data = items[0].data();
  const fileOf = (copies: number) => {
    const at = (start: number) => {
      const extents = Array.from({ length: copies }, () => uint32s(start, data.length));
      // As ExifTool leaves an item that it has removed.
      const removed = [uint16s(items[0].id + 1, 0, 1), uint32s(0, 0)];
      const locations = [uint16s(0x4400, 2, items[0].id, 0, copies), ...extents, ...removed];
      const iloc = fullBox('iloc', 0, 0, locations);
      const parts = children.map(({ type, raw }) => (type === 'iloc' ? iloc : raw));
      return Buffer.concat([
        top[0].raw,
        box('meta', [meta.content.subarray(0, 4), ...parts]),
        box('mdat', [data]),
      ]);
    };
    return at(at(0).length - data.length);
  };
  expect(readAvifHeader(fileOf(1)).dimensions).toEqual({ width: 64, height: 48 });
  expect(() => readAvifHeader(fileOf(9))).toThrow('The AVIF cannot be decoded');
});
