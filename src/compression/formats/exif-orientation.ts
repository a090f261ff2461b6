import type { Orientation } from '../domain/dimensions';
import { TiffReader, TYPE } from './tiff';

export const ORIENTATION_TAG = 0x0112;

/**
 * The orientation in an EXIF block (a TIFF header and its first directory; TIFF 6.0, tag 274).
 * 1 (upright) when it is absent, damaged or outside 1..8: the same reading that viewers take.
 */
export function orientationOf(tiff: Uint8Array): Orientation {
  const reader = TiffReader.open(tiff);
  const entry = reader?.directory().entries.get(ORIENTATION_TAG);
  if (!reader || entry?.type !== TYPE.short) return 1;
  const value = reader.uint16(entry.at);
  return value >= 1 && value <= 8 ? (value as Orientation) : 1;
}
