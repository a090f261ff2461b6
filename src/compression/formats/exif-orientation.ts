import type { Orientation } from '../domain/dimensions';

const ORIENTATION_TAG = 0x0112;
const TYPE_SHORT = 3;
const ENTRY_BYTES = 12;

/**
 * The orientation in an EXIF block (a TIFF header and its first directory; TIFF 6.0, tag 274).
 * 1 (upright) when it is absent, damaged or outside 1..8: the same reading that viewers take.
 */
export function orientationOf(tiff: Uint8Array): Orientation {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 8) return 1;
  const byteOrder = view.getUint16(0);
  const littleEndian = byteOrder === 0x4949;
  if (!littleEndian && byteOrder !== 0x4d4d) return 1;
  const directory = view.getUint32(4, littleEndian);
  if (directory + 2 > tiff.length) return 1;
  const entries = view.getUint16(directory, littleEndian);
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + i * ENTRY_BYTES;
    if (entry + ENTRY_BYTES > tiff.length) break;
    if (view.getUint16(entry, littleEndian) !== ORIENTATION_TAG) continue;
    const value = view.getUint16(entry + 8, littleEndian);
    const isValid = view.getUint16(entry + 2, littleEndian) === TYPE_SHORT && value >= 1 && value <= 8;
    return isValid ? (value as Orientation) : 1;
  }
  return 1;
}
