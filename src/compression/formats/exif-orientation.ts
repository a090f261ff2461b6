import type { Orientation } from '../domain/dimensions';
import { TiffReader, TYPE } from './tiff';

export const ORIENTATION_TAG = 0x0112;

/** Returns the orientation in an EXIF block (TIFF 6.0, tag 274). Like viewers, returns 1 (upright) if it is missing, damaged or invalid. */
export function orientationOf(tiff: Uint8Array): Orientation {
  const reader = TiffReader.open(tiff);
  const entry = reader?.directory().entries.get(ORIENTATION_TAG);
  if (!reader || entry?.type !== TYPE.short) return 1;
  const value = reader.uint16(entry.at);
  return value >= 1 && value <= 8 ? (value as Orientation) : 1;
}
