/** Recognises the metadata segments of a JPEG by their identifiers. */
import { text } from '../byte-reader';
import {
  ADOBE_HEADER,
  APP0,
  APP1,
  APP14,
  APP2,
  EXIF_HEADER,
  EXIF_NAME,
  ICC_HEADER,
  JFIF_HEADER,
  XMP_HEADER,
} from './jpeg-markers';
import type { JpegSegment } from './jpeg-segments';

/** Payload size of JFIF without a thumbnail; the last two bytes are the width and height of the thumbnail. */
export const JFIF_BYTES = 14;

export function isNamed({ marker, payload }: JpegSegment, expected: number, header: string): boolean {
  return marker === expected && text(payload, 0, header.length) === header;
}

export function isJfif(segment: JpegSegment): boolean {
  return isNamed(segment, APP0, JFIF_HEADER) && segment.payload.length >= JFIF_BYTES;
}

export function isAdobe(segment: JpegSegment): boolean {
  return isNamed(segment, APP14, ADOBE_HEADER);
}

export function isExif(segment: JpegSegment): boolean {
  return isNamed(segment, APP1, EXIF_NAME);
}

export function isXmp(segment: JpegSegment): boolean {
  return isNamed(segment, APP1, XMP_HEADER);
}

export function isIcc(segment: JpegSegment): boolean {
  return isNamed(segment, APP2, ICC_HEADER);
}

/** Returns the EXIF block, starting with its byte order; undefined if there is none. */
export function exifOf(metadata: readonly JpegSegment[]): Uint8Array | undefined {
  return metadata.find(isExif)?.payload.subarray(EXIF_HEADER.length);
}

/** Returns the first XMP packet; undefined if there is none. */
export function xmpOf(metadata: readonly JpegSegment[]): Uint8Array | undefined {
  return metadata.find(isXmp)?.payload.subarray(XMP_HEADER.length);
}
