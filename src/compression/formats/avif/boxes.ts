/** Boxes of the ISO base media file format (ISO/IEC 14496-12, 4.2). */
import { text } from '../byte-reader';

const HEADER_BYTES = 8;

export interface Box {
  readonly type: string;
  readonly content: Buffer;
  /** The whole box as stored, with its header. */
  readonly raw: Buffer;
}

/**
 * Returns the consecutive boxes from a position to the end.
 * @throws Error when a box is longer than the rest, or has a 64-bit or open length, which still images do not need
 */
export function boxesIn(bytes: Uint8Array, start: number): Box[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  for (let at = start; at < buffer.length;) {
    const length = at + HEADER_BYTES <= buffer.length ? buffer.readUInt32BE(at) : 0;
    if (length < HEADER_BYTES || at + length > buffer.length) throw new Error('A box has a wrong length.');
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

/** A box whose content begins with a version and flags. */
export function fullBox(type: string, version: number, flags: number, parts: readonly Uint8Array[]): Buffer {
  const start = Buffer.alloc(4);
  start.writeUInt32BE(version * 2 ** 24 + flags);
  return box(type, [start, ...parts]);
}
