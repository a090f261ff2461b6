/** Marker codes of a JPEG (ITU-T T.81, table B.1), its segments, and how metadata segments are recognised. */
import { text } from '../byte-reader';

export const SOS = 0xda;
export const EOI = 0xd9;
export const DQT = 0xdb;
export const DRI = 0xdd;
export const COM = 0xfe;
export const APP0 = 0xe0;
export const APP1 = 0xe1;
export const APP2 = 0xe2;
export const APP11 = 0xeb;
export const APP12 = 0xec;
export const APP13 = 0xed;
export const APP14 = 0xee;
export const JFIF_HEADER = 'JFIF\0';
const ADOBE_HEADER = 'Adobe';
export const EXIF_HEADER = 'Exif\0\0';
/** The part that readers compare. Some programs write another sixth byte, which browsers ignore. */
const EXIF_NAME = 'Exif\0';
export const ICC_HEADER = 'ICC_PROFILE\0';
export const XMP_HEADER = 'http://ns.adobe.com/xap/1.0/\0';
/** Multi-Picture Format (CIPA DC-007). */
export const MPF_HEADER = 'MPF\0';
/** Gain map metadata (ISO 21496-1 annex C). */
export const ISO_GAIN_MAP_HEADER = 'urn:iso:std:iso:ts:21496:-1\0';

/** Returns whether the marker is SOF0–SOF15. DHT, JPG and DAC are in the same range but are not frame headers. */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Returns whether the marker is a progressive frame header: SOF2, SOF6, SOF10 or SOF14. */
export function isProgressiveFrame(marker: number): boolean {
  return isFrameHeader(marker) && (marker & 3) === 2;
}

export function isApplicationSegment(marker: number): boolean {
  return marker >= 0xe0 && marker <= 0xef;
}

/** Payload size of JFIF without a thumbnail; the last two bytes are the width and height of the thumbnail. */
export const JFIF_BYTES = 14;

export interface JpegSegment {
  readonly marker: number;
  /** Payload without the length field. */
  readonly payload: Uint8Array;
}

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
