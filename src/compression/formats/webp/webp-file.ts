/** Reads the header of a WebP (RFC 9649, 2.7), and adds metadata. The coded image is copied unchanged. */
import { text } from '../byte-reader';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { undecodableResult } from '../../../contract/comparison-problems';
import type { Dimensions } from '../../domain/dimensions';
import { readOrientation } from '../exif';
import type { StillHeader } from '../still-header';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** An animation has one for each frame. */
const MAX_CHUNKS = 10_000;
/** Flags of VP8X (RFC 9649, 2.7.1). */
const FLAG = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04 } as const;
/** After the signature and two 14-bit sizes. */
const LOSSLESS_ALPHA = { byte: 4, mask: 0x10 } as const;

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

export function withWebpMetadata(webp: Uint8Array, blocks: EmbeddedBlocks): Uint8Array {
  const { icc, exif, xmp } = blocks;
  if (!icc && !exif && !xmp) return webp;
  const image = readWebpChunks(webp).filter(({ type }) => ['ALPH', 'VP8 ', 'VP8L'].includes(type));
  const coded = image.at(-1);
  if (!coded || coded.type === 'ALPH') throw new Error('The WebP has no image.');
  const chunks = [
    { type: 'VP8X', data: extendedHeader(image, coded, blocks) },
    ...(icc ? [{ type: 'ICCP', data: icc }] : []),
    ...image,
    ...(exif ? [{ type: 'EXIF', data: exif }] : []),
    ...(xmp ? [{ type: 'XMP ', data: xmp }] : []),
  ];
  return riff(chunks);
}

/** @throws ImageRefused undecodable_image when there are more chunks than in any real file */
export function readWebpChunks(webp: Uint8Array): Chunk[] {
  const view = new DataView(webp.buffer, webp.byteOffset, webp.byteLength);
  const chunks: Chunk[] = [];
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= webp.length;) {
    const start = at + CHUNK_HEADER_BYTES;
    const length = view.getUint32(at + 4, true);
    if (start + length > webp.length) break;
    if (chunks.length >= MAX_CHUNKS) throw undecodableResult('WebP');
    chunks.push({ type: text(webp, at, at + 4), data: webp.subarray(start, start + length) });
    at = start + length + (length % 2);
  }
  return chunks;
}

function extendedHeader(
  image: readonly Chunk[],
  coded: Chunk,
  { icc, exif, xmp }: EmbeddedBlocks,
): Uint8Array {
  const header = Buffer.alloc(10);
  header[0] =
    (icc ? FLAG.icc : 0) | (hasAlpha(image) ? FLAG.alpha : 0) | (exif ? FLAG.exif : 0) | (xmp ? FLAG.xmp : 0);
  const { width, height } = sizeOfImage(coded);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  return header;
}

export function hasAlpha(chunks: readonly Pick<Chunk, 'type' | 'data'>[]): boolean {
  return chunks.some(
    ({ type, data }) =>
      type === 'ALPH' || (type === 'VP8L' && (data[LOSSLESS_ALPHA.byte] & LOSSLESS_ALPHA.mask) !== 0),
  );
}

/** VP8 or VP8L, of at least 10 bytes. */
function sizeOfImage({ type, data }: Chunk): { width: number; height: number } {
  return type === 'VP8L' ? losslessSize(data) : lossySize(data);
}

/** RFC 9649, 3.4: 14 bits each, minus one, after the signature byte. */
function losslessSize(data: Uint8Array): { width: number; height: number } {
  const bits = Buffer.from(data.subarray(1, 5)).readUInt32LE();
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** RFC 6386, 9.1: 14 bits each, after the frame tag and the start code. */
function lossySize(data: Uint8Array): { width: number; height: number } {
  const header = Buffer.from(data.subarray(6, 10));
  return { width: header.readUInt16LE() & 0x3fff, height: header.readUInt16LE(2) & 0x3fff };
}

function riff(chunks: readonly Chunk[]): Uint8Array {
  const parts = chunks.map(({ type, data }) => {
    const header = Buffer.alloc(CHUNK_HEADER_BYTES);
    header.write(type, 'latin1');
    header.writeUInt32LE(data.length, 4);
    return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
  });
  const header = Buffer.alloc(RIFF_HEADER_BYTES);
  header.write('RIFF', 'latin1');
  header.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  header.write('WEBP', 8, 'latin1');
  return Buffer.concat([header, ...parts]);
}

export function readWebpHeader(webp: Uint8Array): StillHeader {
  const chunks = readWebpChunks(webp);
  const find = (name: string) => chunks.find(({ type }) => type === name)?.data;
  const icc = find('ICCP');
  const exif = find('EXIF');
  return {
    dimensions: readCanvas(find('VP8X')) ?? sizeOfFirst(chunks),
    icc,
    isAnimated: find('ANIM') !== undefined,
    isRotated: exif !== undefined && readOrientation(withoutPrefix(exif)) !== 1,
    isSrgbLike: true,
  };
}

/** 24 bits each, minus one, after four bytes of flags. */
function readCanvas(data: Uint8Array | undefined): Dimensions | undefined {
  if (!data || data.length < 10) return undefined;
  const header = Buffer.from(data.subarray(0, 10));
  return { width: header.readUIntLE(4, 3) + 1, height: header.readUIntLE(7, 3) + 1 };
}

function sizeOfFirst(chunks: ReturnType<typeof readWebpChunks>): Dimensions {
  const coded = chunks.find(({ type, data }) => (type === 'VP8 ' || type === 'VP8L') && data.length >= 10);
  if (!coded) throw undecodableResult('WebP');
  return sizeOfImage(coded);
}

/** Some programs write the prefix of JPEG before the TIFF header. */
function withoutPrefix(exif: Uint8Array): Uint8Array {
  const prefix = Buffer.from('Exif\0\0', 'latin1');
  return Buffer.from(exif.subarray(0, prefix.length)).equals(prefix) ? exif.subarray(prefix.length) : exif;
}
