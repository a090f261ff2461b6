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

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}
