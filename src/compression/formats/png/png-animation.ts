/** Reads the frames of an animated PNG (W3C PNG, third edition, 4.9 and 11.3.4) without inflating them. */
import { sameSize, type Dimensions } from '../../domain/dimensions';
import type { FrameSizes } from '../../domain/memory-demand';
import { uint32 } from '../byte-reader';
import { CHUNK_OVERHEAD, isSound, MAX_CHUNKS, SIGNATURE_BYTES } from './png-chunks';
import { bytesOfRows } from './png-raw-rows';
import { hasAlphaChannel, type PngHeader, type PngStructure } from './png-structure';

export const FRAME_CHUNKS: readonly string[] = ['acTL', 'fcTL', 'fdAT'];
const TYPES = {
  acTL: 0x6163544c,
  fcTL: 0x6663544c,
  tRNS: 0x74524e53,
  IDAT: 0x49444154,
  IEND: 0x49454e44,
} as const;
const CONTROL_BYTES = 26;
/** Bytes of the sequence number at the start of fcTL and fdAT. */
const SEQUENCE_BYTES = 4;

export interface PngFrame {
  readonly size: Dimensions;
  /** fcTL after the sequence number: region, time, disposal, blending; absent for an image that only still viewers show. */
  readonly control?: Uint8Array;
  readonly data: readonly Uint8Array[];
}

/** Returns undefined if the animation is broken in any way, because players disagree about such files. */
export function readFrames(structure: PngStructure): PngFrame[] | undefined {
  const { storedSize, chunks } = structure;
  const frames: { size: Dimensions; control?: Uint8Array; data: Uint8Array[] }[] = [];
  let sequence = 0;
  let declared: number | undefined;
  let hasStill = false;
  for (const [i, { type, data, raw }] of chunks.entries()) {
    if (FRAME_CHUNKS.includes(type) && type !== 'acTL' && uint32(data, 0) !== sequence++) return undefined;
    if (type === 'acTL') {
      if (declared !== undefined || hasStill || data.length !== 8) return undefined;
      declared = uint32(data, 0);
    } else if (type === 'fcTL') {
      const size = regionIn(storedSize, data);
      const isFirst = !hasStill && frames.length === 0;
      if (!size || !(isFirst || hasStill) || (isFirst && !sameSize(size, storedSize))) return undefined;
      frames.push({ size, control: data.subarray(SEQUENCE_BYTES), data: [] });
    } else if (type === 'IDAT') {
      if (hasStill && chunks[i - 1].type !== 'IDAT') return undefined;
      hasStill = true;
      if (frames.length === 0) frames.push({ size: storedSize, data: [] });
      frames[0].data.push(data);
    } else if (type === 'fdAT') {
      // The data of the first frame are in IDAT.
      if (!hasStill || frames.length === 1) return undefined;
      frames[frames.length - 1].data.push(data.subarray(SEQUENCE_BYTES));
    }
    const isLate = hasStill && ['PLTE', 'tRNS'].includes(type);
    if (isLate || !isSound({ raw })) return undefined;
  }
  const shown = frames.filter(({ control }) => control).length;
  const isWhole = frames.every(({ data }) => data.length > 0);
  return isWhole && shown > 0 && declared === shown ? frames : undefined;
}

function regionIn(canvas: Dimensions, data: Uint8Array): Dimensions | undefined {
  if (data.length !== CONTROL_BYTES || data[24] > 2 || data[25] > 1) return undefined;
  const view = Buffer.from(data.buffer, data.byteOffset, data.length);
  const [width, height, left, top] = [4, 8, 12, 16].map((at) => view.readUInt32BE(at));
  const isInside = left + width <= canvas.width && top + height <= canvas.height;
  return width > 0 && height > 0 && isInside ? { width, height } : undefined;
}

/** Reads only chunk headers and the fields of fcTL: it runs in the service process. No frames for a still image. */
export function declaredChunks(
  bytes: Uint8Array,
  header: PngHeader,
): { readonly frames?: FrameSizes | undefined; readonly mayBeTransparent: boolean } {
  let isAnimated = false;
  let mayBeTransparent = hasAlphaChannel(header);
  const sizes = { bytes: 0, largestBytes: 0 };
  const add = (width?: number, height?: number) => {
    const rows = bytesOfRows(header, width, height);
    sizes.bytes += rows;
    sizes.largestBytes = Math.max(sizes.largestBytes, rows);
  };
  let at = SIGNATURE_BYTES;
  // The worker refuses a file with more chunks.
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const length = uint32(bytes, at);
    if (length === undefined) break;
    // Numbers, not text: a file may have 100 000 chunks.
    const type = uint32(bytes, at + 4);
    if (type === TYPES.acTL) isAnimated = true;
    if (type === TYPES.tRNS) mayBeTransparent = true;
    if (type === TYPES.IDAT && !isAnimated) break;
    if (type === TYPES.IDAT && sizes.bytes === 0) add();
    if (type === TYPES.fcTL) add(uint32(bytes, at + 12) ?? 0, uint32(bytes, at + 16) ?? 0);
    if (type === TYPES.IEND) break;
    at += CHUNK_OVERHEAD + length;
  }
  return { frames: isAnimated ? sizes : undefined, mayBeTransparent };
}
