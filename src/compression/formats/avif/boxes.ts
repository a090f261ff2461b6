/** Boxes of the ISO base media file format (ISO/IEC 14496-12, 4.2). */
import { asBuffer, text, uint16s, uint32, uint32s } from '../bytes';

const HEADER_BYTES = 8;
/** Files of still images have some dozens; without a limit, a hostile file has millions of empty ones. */
const MAX_BOXES = 10_000;

export interface Box {
  readonly type: string;
  readonly content: Buffer;
  readonly raw: Buffer;
}

/** @throws Error when there are too many, or a box is longer than the rest */
export function boxesIn(bytes: Uint8Array, start: number): Box[] {
  const buffer = asBuffer(bytes);
  const boxes: Box[] = [];
  for (let at = start; at < buffer.length;) {
    const stated = uint32(bytes, at);
    // 1: 64 bits follow the type. 0: up to the end.
    const isLong = stated === 1 && at + 16 <= buffer.length;
    const length = isLong
      ? Number(buffer.readBigUInt64BE(at + 8))
      : stated === 0
        ? buffer.length - at
        : (stated ?? 0);
    const headerBytes = isLong ? 16 : HEADER_BYTES;
    if (length < headerBytes) throw new Error('A box has a wrong length.');
    if (at + length > buffer.length) throw new RangeError('The file is cut off.');
    if (boxes.length >= MAX_BOXES) throw new Error('There are too many boxes.');
    const raw = buffer.subarray(at, at + length);
    boxes.push({ type: text(raw, 4, 8), raw, content: raw.subarray(headerBytes) });
    at += length;
  }
  return boxes;
}

export function box(type: string, parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, HEADER_BYTES);
  return Buffer.concat([uint32s(length), Buffer.from(type), ...parts]);
}

export function fullBox(type: string, version: number, flags: number, parts: readonly Uint8Array[]): Buffer {
  return box(type, [uint32s(version * 2 ** 24 + flags), ...parts]);
}

interface ItemLocation {
  readonly id: number;
  /** Whether its data are in the box `idat` instead of the file. */
  readonly isInMeta: boolean;
  readonly extents: readonly { readonly offset: number; readonly length: number }[];
}

/** @throws Error when the data of an item are in another file, or are made from other items */
export function itemLocations({ content }: Box): ItemLocation[] {
  const version = content[0];
  const [offsetBytes, lengthBytes] = [content[4] >> 4, content[4] & 15];
  const [baseBytes, indexBytes] = [content[5] >> 4, version === 0 ? 0 : content[5] & 15];
  const idBytes = version < 2 ? 2 : 4;
  // Without bytes for positions, a few bytes would stand for millions of extents.
  if (version > 2 || offsetBytes + lengthBytes === 0)
    throw new Error('The AVIF has an unknown kind of item location.');
  let at = 6;
  const next = (bytes: number) => {
    const value = bytes === 0 ? 0 : Number(BigInt(`0x${content.toString('hex', at, at + bytes)}`));
    at += bytes;
    return value;
  };
  return Array.from({ length: next(idBytes) }, () => {
    const id = next(idBytes);
    const method = version === 0 ? 0 : next(2) & 15;
    if (method > 1 || next(2) !== 0) throw new Error('The data of an item are not in the file.');
    const base = next(baseBytes);
    const extents = Array.from({ length: next(2) }, () => {
      next(indexBytes);
      return { offset: base + next(offsetBytes), length: next(lengthBytes) };
    });
    return { id, isInMeta: method === 1, extents };
  });
}

/** For items that follow each other from a position in the file on. */
export function writeItemLocations(
  items: readonly { readonly id: number; readonly data: Uint8Array }[],
  start: number,
): Uint8Array {
  let at = start;
  const entries = items.flatMap(({ id, data }) => {
    // In this file, one extent.
    const entry = [uint16s(id, 0, 1), uint32s(at, data.length)];
    at += data.length;
    return entry;
  });
  // Bytes of an offset and of a length, 4 each; no base offset.
  return fullBox('iloc', 0, 0, [uint16s(0x4400, items.length), ...entries]);
}
