import type { ImageFormat } from '../domain/compression-report';

const JPEG_SIGNATURE = [0xff, 0xd8, 0xff];
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** How many bytes have to be there before a format can be ruled out. */
export const SIGNATURE_BYTES = PNG_SIGNATURE.length;

/** The format by the file's first bytes, whatever its name or declared type says. */
export function formatBySignature(bytes: Uint8Array): ImageFormat | undefined {
  if (startsWith(bytes, JPEG_SIGNATURE)) return 'jpeg';
  if (startsWith(bytes, PNG_SIGNATURE)) return 'png';
  return undefined;
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}
