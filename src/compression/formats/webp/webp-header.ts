/** Reads the header of a WebP file (RFC 9649, 2.7). */
import { undecodableResult } from '../../../contract/comparison-problems';
import type { Dimensions } from '../../domain/dimensions';
import { orientationOf } from '../exif-orientation';
import type { StillHeader } from '../still-header';
import { readWebpChunks, sizeOfImage } from './webp-metadata';

/** @throws ImageRefused undecodable_image */
export function readWebpHeader(webp: Uint8Array): StillHeader {
  const chunks = readWebpChunks(webp);
  const find = (name: string) => chunks.find(({ type }) => type === name)?.data;
  const icc = find('ICCP');
  const exif = find('EXIF');
  return {
    dimensions: canvasOf(find('VP8X')) ?? sizeOfFirst(chunks),
    ...(icc ? { icc } : {}),
    isAnimated: find('ANIM') !== undefined,
    isRotated: exif !== undefined && orientationOf(withoutPrefix(exif)) !== 1,
    isSrgbLike: true,
  };
}

/** 24 bits each, minus one, after four bytes of flags. */
function canvasOf(data: Uint8Array | undefined): Dimensions | undefined {
  if (!data || data.length < 10) return undefined;
  const header = Buffer.from(data.subarray(0, 10));
  return { width: header.readUIntLE(4, 3) + 1, height: header.readUIntLE(7, 3) + 1 };
}

function sizeOfFirst(chunks: ReturnType<typeof readWebpChunks>): Dimensions {
  const coded = chunks.find(({ type, data }) => (type === 'VP8 ' || type === 'VP8L') && data.length >= 10);
  if (!coded) throw undecodableResult('webp');
  return sizeOfImage(coded);
}

/** Some programs write the prefix of JPEG before the TIFF header. */
function withoutPrefix(exif: Uint8Array): Uint8Array {
  const prefix = Buffer.from('Exif\0\0', 'latin1');
  return Buffer.from(exif.subarray(0, prefix.length)).equals(prefix) ? exif.subarray(prefix.length) : exif;
}
