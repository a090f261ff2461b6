/** Structure-aware mutations of PNGs: data is inflated and deflated again, checksums corrected unless mutated. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { uint32s } from '../support/png-bombs.cjs';
import { kindsOfFiles, kindsOfParts, mutated, setByte } from './part-mutations.mjs';

const SIGNATURE_BYTES = 8;
const TYPES = (
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD hIST pHYs sPLT tIME tEXt zTXt iTXt eXIf acTL fcTL ' +
  'fdAT mDCV cLLI juNK JUNK'
).split(' ');

function takeApart(png) {
  const chunks = [];
  let at = SIGNATURE_BYTES;
  while (at + 12 <= png.length) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: Buffer.from(png.subarray(at + 8, at + 8 + length)) });
    at += 12 + length;
  }
  return chunks;
}

function putTogether(signature, chunks) {
  const pieces = chunks.map(({ type, data, length = data.length, checksum }) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    return Buffer.concat([uint32s(length), body, uint32s(checksum ?? crc32(body))]);
  });
  return Buffer.concat([signature, ...pieces]);
}

const imageData = (chunks, part) => {
  const found = chunks.filter(({ type }) => type === 'IDAT' || type === 'fdAT');
  return found.length > 0 ? found[part % found.length] : chunks[part % chunks.length];
};
const header = (chunks) => chunks.find(({ type }) => type === 'IHDR') ?? chunks[0];

function reDeflated(chunk, change) {
  try {
    const prefix = chunk.type === 'fdAT' ? 4 : 0;
    const inflated = inflateSync(chunk.data.subarray(prefix));
    chunk.data = Buffer.concat([chunk.data.subarray(0, prefix), deflateSync(change(inflated) ?? inflated)]);
  } catch {
    // Damaged by an earlier mutation, or the second of several chunks.
  }
}

function payloadOf(type, value, bytes) {
  const deflated = deflateSync(Buffer.alloc(value % 2_000_000, bytes[0] ?? 0));
  const named = (rest) => Buffer.concat([Buffer.from('name\0\0'), rest]);
  const numbers = Buffer.concat([uint32s(value % 2 ? value : value % 5), bytes, Buffer.alloc(22)]);
  if (['iCCP', 'zTXt'].includes(type)) return named(deflated);
  if (type === 'iTXt') return Buffer.concat([Buffer.from('name\0\x01\0\0\0'), deflated]);
  if (type === 'acTL') return numbers.subarray(0, 8);
  if (type === 'fcTL') return numbers.subarray(0, 26);
  if (type === 'eXIf') return Buffer.concat([Buffer.from('MM\0*\0\0\0\x08\0\x01'), bytes]);
  return Buffer.from(bytes);
}

const KINDS = {
  length: (c, { part, value }) => void (c[part % c.length].length = value),
  type: (c, { part, value }) => void (c[part % c.length].type = TYPES[value % TYPES.length]),
  letter: (c, { part, offset, value }) => {
    const type = Buffer.from(c[part % c.length].type, 'latin1');
    setByte(type, offset, value);
    c[part % c.length].type = type.toString('latin1');
  },
  checksum: (c, { part, value }) => void (c[part % c.length].checksum = value >>> 0),
  size: (c, { offset, value }) => {
    const { data } = header(c);
    if (data.length >= 8) data.writeUInt32BE(value >>> 0, (offset % 2) * 4);
  },
  smallSize: (c, { offset, value }) => {
    const { data } = header(c);
    if (data.length >= 8) data.writeUInt32BE(1 + (value % 300), (offset % 2) * 4);
  },
  header: (c, { offset, value }) => {
    const { data } = header(c);
    if (data.length >= 13) data[8 + (offset % 5)] = [0, 1, 2, 3, 4, 6, 8, 16, value & 255][value % 9];
  },
  payload: (c, { part, offset, value }) => setByte(c[part % c.length].data, offset, value),
  deflated: (c, { part, offset, value }) => setByte(imageData(c, part).data, offset, value),
  inflated: (c, { part, offset, value }) =>
    reDeflated(imageData(c, part), (pixels) => setByte(pixels, offset, value)),
  shorter: (c, { part, offset }) =>
    reDeflated(imageData(c, part), (pixels) => pixels.subarray(0, offset % (pixels.length + 1))),
  longer: (c, { part, value }) =>
    reDeflated(imageData(c, part), (pixels) => Buffer.concat([pixels, Buffer.alloc(value % 5_000_000)])),
  ...kindsOfParts('data'),
  split: (c, { part, offset }) => {
    const at = c.indexOf(imageData(c, part));
    const { type, data } = c[at];
    const cut = offset % (data.length + 1);
    c.splice(at, 1, { type, data: data.subarray(0, cut) }, { type, data: Buffer.from(data.subarray(cut)) });
  },
  insert: (c, { part, offset, value, bytes }) => {
    const type = TYPES[offset % TYPES.length];
    c.splice(part % c.length, 0, { type, data: payloadOf(type, value, bytes) });
  },
};

const FILE_KINDS = kindsOfFiles(SIGNATURE_BYTES);

export const pngKinds = [...Object.keys(KINDS), ...Object.keys(FILE_KINDS)];

export function mutatePng(png, mutations) {
  const signature = png.subarray(0, SIGNATURE_BYTES);
  const format = {
    kinds: KINDS,
    fileKinds: FILE_KINDS,
    putTogether: (parts) => putTogether(signature, parts),
  };
  return mutated(takeApart(png), mutations, format);
}
