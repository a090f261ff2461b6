/** Reads and writes the chunks of a WebP (RFC 9649, 2.7): its header, metadata and marker. The coded image is copied unchanged. */
import { crc32 } from 'node:zlib';
import { cutOff, undecodable } from '../../../contract/image-problems';
import { sameSize, uprightSize, type Dimensions } from '../../domain/dimensions';
import type { RemovedData } from '../../../contract/report-words';
import { asBuffer, text } from '../bytes';
import { unreadData } from '../embedded-data';
import { readOrientation } from '../exif';
import { readResultPolicy, writeResultPolicy, type ResultPolicy, type Rewriting } from '../result-policy';
import type { StillHeader } from '../still-header';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** An animation has one for each frame. */
const MAX_CHUNKS = 10_000;
/** The manifest store of C2PA. */
const CREDENTIALS = 'C2PA';
/** Flags of VP8X (RFC 9649, 2.7.1), by the chunk that each announces. */
const FLAGS: Readonly<Partial<Record<string, number>>> = { ICCP: 0x20, EXIF: 0x08, 'XMP ': 0x04 };
const ALPHA = 0x10;
const ANIMATION = 0x02;
/** After the signature and two 14-bit sizes. */
const LOSSLESS_ALPHA = { byte: 4, mask: 0x10 } as const;
/** RFC 6386, 9.1: a frame has at least its tag, start code and size, and a VP8L image its signature, size and version. */
const FRAME_HEADER_BYTES = 10;
const LOSSLESS_HEADER_BYTES = 5;
/** A chunk that only this service knows; readers ignore it (RFC 9649, 2.7.1.6). */
const MARKER = 'icRS';
const CODED = ['ALPH', 'VP8 ', 'VP8L'];
const OF_ANIMATION = ['ANIM', 'ANMF'];
const KNOWN = ['VP8X', 'ICCP', 'EXIF', 'XMP ', MARKER, ...CODED, ...OF_ANIMATION];

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Copies the coded image, or all frames of an animation. */
export function rewriteWebp(webp: Uint8Array, { blocks, made }: Rewriting): Uint8Array {
  const chunks = readWebpChunks(webp);
  const image = chunks.filter((chunk) => isCoded(chunk) || isOfAnimation(chunk));
  const { icc, exif, xmp } = blocks ?? blocksIn(chunks);
  const kept = made === undefined ? find(chunks, MARKER) : undefined;
  const marker = made ? writeResultPolicy(made, checksum(chunks)) : kept;
  const optional = (type: string, data?: Uint8Array) => (data ? [{ type, data }] : []);
  const parts = [
    ...optional('ICCP', icc),
    ...image,
    ...optional('EXIF', exif),
    ...optional('XMP ', xmp),
    ...optional(MARKER, marker),
  ];
  const canvas = chunks.some(isOfAnimation) ? find(chunks, 'VP8X') : undefined;
  if (parts.length === 1) return riff(parts);
  return riff([{ type: 'VP8X', data: extendedHeader(parts, canvas) }, ...parts]);
}

/** Returns what was asked of a result of this service; undefined for other files. */
export function readWebpMarker(webp: Uint8Array): ResultPolicy | undefined {
  const chunks = readWebpChunks(webp);
  return readResultPolicy(find(chunks, MARKER), checksum(chunks));
}

function checksum(chunks: readonly Chunk[]) {
  return chunks.filter(isCoded).reduce((sum, { data }) => crc32(data, sum), 0);
}

function isCoded({ type }: Chunk) {
  return CODED.includes(type);
}

function isOfAnimation({ type }: Chunk) {
  return OF_ANIMATION.includes(type);
}

function find(chunks: readonly Chunk[], wanted: string) {
  return chunks.find(({ type }) => type === wanted)?.data;
}

/** @throws ImageRefused `undecodable_image` when the file is cut off, or has more chunks than any real file */
export function readWebpChunks(webp: Uint8Array): Chunk[] {
  const file = asBuffer(webp);
  if (webp.length < RIFF_HEADER_BYTES) throw cutOff('WebP');
  const end = endOf(webp);
  // Some programs count the padding byte of the last chunk, and leave it out.
  if (end > webp.length + 1) throw cutOff('WebP');
  const chunks: Chunk[] = [];
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= Math.min(end, webp.length);) {
    const start = at + CHUNK_HEADER_BYTES;
    const length = file.readUInt32LE(at + 4);
    if (start + length > webp.length) throw cutOff('WebP');
    if (chunks.length >= MAX_CHUNKS) throw undecodable('WebP');
    chunks.push({ type: text(webp, at, at + 4), data: webp.subarray(start, start + length) });
    at = start + length + (length % 2);
  }
  return chunks;
}

function endOf(webp: Uint8Array) {
  return CHUNK_HEADER_BYTES + asBuffer(webp).readUInt32LE(4);
}

/** @param canvas the old header of an animation, whose frames have sizes and transparency of their own */
function extendedHeader(chunks: readonly Chunk[], canvas?: Uint8Array): Uint8Array {
  const header = canvas ? Buffer.from(canvas) : Buffer.alloc(10);
  header[0] &= ALPHA | ANIMATION;
  for (const { type } of chunks) header[0] |= FLAGS[type] ?? 0;
  if (canvas) return header;
  if (hasAlpha(chunks)) header[0] |= ALPHA;
  const { width, height } = sizeOfCoded(chunks);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  return header;
}

export function hasAlpha(chunks: readonly Chunk[]): boolean {
  return chunks.some(
    ({ type, data }) =>
      type === 'ALPH' || (type === 'VP8L' && (data[LOSSLESS_ALPHA.byte] & LOSSLESS_ALPHA.mask) !== 0),
  );
}

/** @throws ImageRefused `undecodable_image` when there is no whole frame */
function sizeOfCoded(chunks: readonly Chunk[]): Dimensions {
  const { type, data } = chunks.find((chunk) => isCoded(chunk) && chunk.type !== 'ALPH') ?? {};
  if (!data) throw undecodable('WebP');
  return type === 'VP8L' ? losslessSize(data) : lossySize(data);
}

/** RFC 9649, 3.4: 14 bits each, minus one, after the signature byte. */
function losslessSize(data: Uint8Array): Dimensions {
  if (data.length < LOSSLESS_HEADER_BYTES) throw cutOff('WebP');
  const bits = asBuffer(data).readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** RFC 6386, 9.1: a tag with the length of the first partition, the start code, and 14 bits for each side. */
function lossySize(data: Uint8Array): Dimensions {
  const header = asBuffer(data);
  const isWhole =
    data.length >= FRAME_HEADER_BYTES && FRAME_HEADER_BYTES + (header.readUIntLE(0, 3) >> 5) <= data.length;
  if (!isWhole) throw cutOff('WebP');
  return { width: header.readUInt16LE(6) & 0x3fff, height: header.readUInt16LE(8) & 0x3fff };
}

/** The file is a chunk, too: its data are the form type and the chunks. */
function riff(chunks: readonly Chunk[]): Uint8Array {
  const data = Buffer.concat([Buffer.from('WEBP'), ...chunks.map(encodeChunk)]);
  return encodeChunk({ type: 'RIFF', data });
}

function encodeChunk({ type, data }: Chunk): Uint8Array {
  const header = Buffer.alloc(CHUNK_HEADER_BYTES);
  header.write(type, 'latin1');
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
}

/** @throws ImageRefused `undecodable_image` */
export function readWebpHeader(webp: Uint8Array): StillHeader {
  const chunks = readWebpChunks(webp);
  const canvas = readCanvas(find(chunks, 'VP8X'));
  const isAnimated = find(chunks, 'ANIM') !== undefined;
  const stored = isAnimated && canvas ? canvas : sizeOfCoded(chunks);
  // Of a still image, decoders use the frame; a canvas of another size is an error to them.
  if (canvas && !sameSize(canvas, stored)) throw undecodable('WebP');
  const blocks = blocksIn(chunks);
  const orientation = readOrientation(blocks.exif);
  return {
    dimensions: uprightSize(stored, orientation),
    codedPixels: stored.width * stored.height,
    orientation,
    isAnimated,
    mayBeTransparent: hasAlpha(chunks),
    isLossy: find(chunks, 'VP8L') === undefined,
    blocks,
    removed: [...new Set([...chunks.flatMap(dataOfChunk), ...unreadData(webp.subarray(endOf(webp)))])],
  };
}

/** Of those that this service does not read. */
function dataOfChunk({ type, data }: Chunk): RemovedData[] {
  if (type === CREDENTIALS) return ['content-credentials'];
  return KNOWN.includes(type) ? [] : unreadData(data);
}

function blocksIn(chunks: readonly Chunk[]): StillHeader['blocks'] {
  const types = ['ICCP', 'EXIF', 'XMP ', CREDENTIALS];
  const [icc, exif, xmp, credentials] = types.map((type) => find(chunks, type));
  return {
    ...(icc && { icc }),
    ...(exif && { exif: withoutPrefix(exif) }),
    ...(xmp && { xmp }),
    ...(credentials && { credentials }),
  };
}

/** 24 bits each, minus one, after four bytes of flags. */
function readCanvas(data: Uint8Array | undefined): Dimensions | undefined {
  if (!data || data.length < 10) return undefined;
  const header = asBuffer(data);
  return { width: header.readUIntLE(4, 3) + 1, height: header.readUIntLE(7, 3) + 1 };
}

/** Some programs write the prefix of JPEG before the TIFF header. */
function withoutPrefix(exif: Uint8Array) {
  const prefix = 'Exif\0\0';
  return text(exif, 0, prefix.length) === prefix ? exif.subarray(prefix.length) : exif;
}
