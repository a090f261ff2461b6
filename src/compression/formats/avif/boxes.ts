/** Boxes of the ISO base media file format (ISO/IEC 14496-12, 4.2). */
import { text, uint32 } from '../byte-reader';

const HEADER_BYTES = 8;
/** Files of still images have some dozens; without a limit, a hostile file has millions of empty ones. */
export const MAX_BOXES = 10_000;

export interface Box {
  readonly type: string;
  readonly content: Buffer;
  readonly raw: Buffer;
}

/** @throws Error when there are too many, or a box is longer than the rest, or has a 64-bit or open length */
export function boxesIn(bytes: Uint8Array, start: number): Box[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  for (let at = start; at < buffer.length;) {
    const length = uint32(bytes, at) ?? 0;
    if (length < HEADER_BYTES || at + length > buffer.length) throw new Error('A box has a wrong length.');
    if (boxes.length >= MAX_BOXES) throw new Error('There are too many boxes.');
    const raw = buffer.subarray(at, at + length);
    boxes.push({ type: text(raw, 4, 8), raw, content: raw.subarray(HEADER_BYTES) });
    at += length;
  }
  return boxes;
}

export function box(type: string, parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, HEADER_BYTES));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...parts]);
}

export function fullBox(type: string, version: number, flags: number, parts: readonly Uint8Array[]): Buffer {
  const start = Buffer.alloc(4);
  start.writeUInt32BE(version * 2 ** 24 + flags);
  return box(type, [start, ...parts]);
}

interface ItemLocation {
  readonly id: number;
  readonly extents: readonly { readonly offset: number; readonly length: number }[];
}

/** Reads versions 0 and 1, as libheif and libavif write them. @throws Error when the data of an item are elsewhere */
export function itemLocations({ content }: Box): ItemLocation[] {
  const version = content[0];
  const [offsetBytes, lengthBytes] = [content[4] >> 4, content[4] & 15];
  const [baseBytes, indexBytes] = [content[5] >> 4, version === 0 ? 0 : content[5] & 15];
  // Without bytes for positions, a few bytes would stand for millions of extents.
  const isKnown = version <= 1 && indexBytes === 0 && offsetBytes > 0 && lengthBytes > 0;
  if (!isKnown) throw new Error('The AVIF has an unknown kind of item location.');
  let at = 6;
  const next = (bytes: number): number => {
    const value = bytes === 0 ? 0 : Number(BigInt(`0x${content.toString('hex', at, at + bytes)}`));
    at += bytes;
    return value;
  };
  return Array.from({ length: next(2) }, () => {
    const id = next(2);
    const isInFile = (version === 0 || (next(2) & 15) === 0) && next(2) === 0;
    if (!isInFile) throw new Error('The data of an item are not in the file.');
    const base = next(baseBytes);
    const extents = Array.from({ length: next(2) }, () => ({
      offset: base + next(offsetBytes),
      length: next(lengthBytes),
    }));
    return { id, extents };
  });
}

export function writeItemLocations(locations: readonly ItemLocation[], shift: number): Uint8Array {
  const words = (...values: (readonly [value: number, bytes: number])[]) => {
    const out = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
    values.reduce((at, [value, bytes]) => out.writeUIntBE(value, at, bytes), 0);
    return out;
  };
  return fullBox('iloc', 0, 0, [
    // Bytes of an offset and of a length, 4 each; no base offset.
    words([0x44, 1], [0x00, 1], [locations.length, 2]),
    ...locations.map(({ id, extents }) =>
      words(
        [id, 2],
        [0, 2],
        [extents.length, 2],
        ...extents.flatMap(({ offset, length }) => [[offset + shift, 4] as const, [length, 4] as const]),
      ),
    ),
  ]);
}
