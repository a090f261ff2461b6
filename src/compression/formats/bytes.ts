/** Reads and writes big-endian integers, and reads Latin-1 text. */

/** Returns the big-endian number of two bytes; undefined past the end, so parsers cannot overrun. */
export function uint16(bytes: Uint8Array, at: number): number | undefined {
  return at >= 0 && at + 2 <= bytes.length ? (bytes[at] << 8) | bytes[at + 1] : undefined;
}

export function uint32(bytes: Uint8Array, at: number): number | undefined {
  return at >= 0 && at + 4 <= bytes.length
    ? ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
    : undefined;
}

/** Returns the same bytes as a Buffer. */
export function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Returns bytes as Latin-1 text. */
export function text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return asBuffer(bytes).toString('latin1', start, end);
}

export function uint16s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => bytes.writeUInt16BE(value, i * 2));
  return bytes;
}

export function uint32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
}
