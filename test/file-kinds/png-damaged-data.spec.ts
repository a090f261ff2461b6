/** PNGs whose image data are damaged behind the last row: browsers show them. Danger: inflating what follows it. */
import { deflateSync } from 'node:zlib';
import {
  pngChunk,
  pngOfChunks,
  readChunks,
  type PngChunk,
} from '../../src/compression/formats/png/png-chunks';
import { inflatedRows } from '../../src/compression/formats/png/png-raw-rows';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { png, screenshot } from '../support/drawn-pngs';
import { decodeIndependently } from '../support/images';
import { withEveryEngine } from './engines';

const sound = png(90, 60, screenshot);
const structure = readPngStructure(sound);
const stored = Buffer.concat(structure.chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
const rows = inflatedRows(structure, [stored])!;

function withData(...data: readonly PngChunk[]) {
  let left = [...data];
  return pngOfChunks(
    readChunks(sound).flatMap((chunk) => {
      if (chunk.type !== 'IDAT') return [chunk];
      const next = left;
      left = [];
      return next;
    }),
  );
}

const idat = (data: Uint8Array) => pngChunk('IDAT', data);
const deflated = (...parts: readonly Uint8Array[]) => deflateSync(Buffer.concat(parts));

function withWrongAdler(): Buffer {
  const data = deflated(rows);
  data[data.length - 1] ^= 1;
  return data;
}

const WRONG_CRC = idat(deflated(rows, Buffer.alloc(9)));
WRONG_CRC.raw[WRONG_CRC.raw.length - 1] ^= 1;

withEveryEngine((compress) => {
  it.each([
    ['a row too much', withData(idat(deflated(rows, rows.subarray(0, 271))))],
    ['50 MB too much', withData(idat(deflated(rows, Buffer.alloc(50_000_000))))],
    ['a wrong Adler-32', withData(idat(withWrongAdler()))],
    [
      'a wrong Adler-32 in an IDAT of its own',
      withData(idat(withWrongAdler().subarray(0, -4)), idat(withWrongAdler().subarray(-4))),
    ],
  ])('%s: the image is compressed', async (_, source) => {
    const { bytes, report } = await compress(source, { QUALITY: 'lossless' });
    expect(report.originalSize).toBe(source.length);
    expect(bytes.length).toBeLessThanOrEqual(source.length);
    expect(decodeIndependently(bytes).data).toEqual(decodeIndependently(sound).data);
  });

  it.each([
    ['a missing row', withData(idat(deflated(rows.subarray(0, -271))))],
    ['a damaged row', withData(idat(Buffer.concat([deflated(rows).subarray(0, 300), Buffer.alloc(900, 7)])))],
    ['a wrong CRC', withData(WRONG_CRC)],
    ['a wrong header', withData(idat(Buffer.concat([Buffer.of(0x79), deflated(rows).subarray(1)])))],
    ['an unknown filter', withData(idat(deflated(Buffer.of(9), rows.subarray(1), Buffer.alloc(9))))],
  ])('%s: the image is refused', async (_, source) => {
    await expect(compress(source)).rejects.toMatchObject({ code: 'undecodable_image' });
  });
});
