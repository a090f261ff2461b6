/** The formats that the service accepts and returns. */
export type ImageFormat = 'jpeg' | 'png';

const JPEG_SIGNATURE = [0xff, 0xd8, 0xff];
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Number of bytes that formatBySignature needs. */
export const SIGNATURE_BYTES = PNG_SIGNATURE.length;

/** Returns the format by the first bytes of the file, regardless of its name and declared type; undefined for others. */
export function formatBySignature(bytes: Uint8Array): ImageFormat | undefined {
  if (startsWith(bytes, JPEG_SIGNATURE)) return 'jpeg';
  if (startsWith(bytes, PNG_SIGNATURE)) return 'png';
  return undefined;
}

/** Other formats that people send: name, place of the signature, signature. */
const OTHERS = [
  ['a GIF', 0, 'GIF8'],
  ['a WebP', 8, 'WEBP'],
  ['an AVIF', 4, 'ftypavi'],
  ['a HEIC', 4, 'ftyphe'],
  ['a HEIC', 4, 'ftypmif1'],
  ['a JPEG XL', 4, 'JXL '],
  ['a TIFF', 0, 'II*\0'],
  ['a TIFF', 0, 'MM\0*'],
  ['an SVG', 0, '<svg'],
  ['a PDF', 0, '%PDF-'],
] as const;

/** Returns the start of a sentence about bytes that formatBySignature does not know: it names what they are, if it can. */
export function notJpgOrPng(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  const [name] = OTHERS.find(([, at, signature]) => text.startsWith(signature, at)) ?? [];
  return `The file is neither a JPG nor a PNG${name === undefined ? '' : ` but ${name}`}`;
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}
