/** Marker codes (ITU-T T.81 table B.1) and the identifiers of the application segments that matter here. */
export const SOS = 0xda;
export const EOI = 0xd9;
export const DQT = 0xdb;
export const APP0 = 0xe0;
export const APP1 = 0xe1;
export const APP2 = 0xe2;
export const EXIF_HEADER = 'Exif\0\0';
export const ICC_HEADER = 'ICC_PROFILE\0';
