/** Marker codes (ITU-T T.81 table B.1) and the identifiers of the application segments that matter here. */
export const SOS = 0xda;
export const EOI = 0xd9;
export const DQT = 0xdb;
export const COM = 0xfe;
export const APP0 = 0xe0;
export const APP1 = 0xe1;
export const APP2 = 0xe2;
export const APP11 = 0xeb;
export const APP13 = 0xed;
export const APP14 = 0xee;
export const EXIF_HEADER = 'Exif\0\0';
export const ICC_HEADER = 'ICC_PROFILE\0';
export const XMP_HEADER = 'http://ns.adobe.com/xap/1.0/\0';
/** Multi-Picture Format (CIPA DC-007). */
export const MPF_HEADER = 'MPF\0';
/** Gain map metadata (ISO 21496-1 annex C). */
export const ISO_GAIN_MAP_HEADER = 'urn:iso:std:iso:ts:21496:-1\0';

/** Frame headers SOF0–SOF15, without DHT, JPG and DAC, which share their range. */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

export function isApplicationSegment(marker: number): boolean {
  return marker >= 0xe0 && marker <= 0xef;
}
