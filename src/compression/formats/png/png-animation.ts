/** Reads the frames of an animated PNG (W3C PNG, third edition, 4.9 and 11.3.4) without inflating them. */
import { sameSize, type Dimensions } from '../../domain/dimensions';
import type { FrameSizes } from '../../domain/memory-demand';
import { asBuffer, uint32 } from '../bytes';
import { CHUNK_OVERHEAD, isSound, MAX_CHUNKS, SIGNATURE_BYTES, type PngChunk } from './png-chunks';
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
export function readFrames({ storedSize, chunks }: PngStructure): PngFrame[] | undefined {
  const reader = new FrameReader(storedSize);
  return chunks.every((chunk) => isSound(chunk) && reader.accepts(chunk)) ? reader.frames : undefined;
}

/** Takes the chunks of a file in their order (W3C PNG, 4.12), and refuses one that stands where it must not. */
class FrameReader {
  private readonly found: { size: Dimensions; control?: Uint8Array; data: Uint8Array[] }[] = [];
  private declared: number | undefined;
  private sequence = 0;
  private hasStill = false;
  private previous = '';

  constructor(private readonly canvas: Dimensions) {}

  /** Undefined if frames are missing or lack data. */
  get frames(): PngFrame[] | undefined {
    const shown = this.found.filter(({ control }) => control).length;
    const isWhole = this.found.every(({ data }) => data.length > 0);
    return isWhole && shown > 0 && this.declared === shown ? this.found : undefined;
  }

  accepts({ type, data }: PngChunk): boolean {
    const previous = this.previous;
    this.previous = type;
    switch (type) {
      case 'acTL':
        return this.acceptsCount(data);
      case 'fcTL':
        return this.isNext(data) && this.acceptsControl(data);
      case 'IDAT':
        return this.acceptsStill(data, previous);
      case 'fdAT':
        return this.isNext(data) && this.acceptsData(data);
      case 'PLTE':
      case 'tRNS':
        return !this.hasStill;
      default:
        return true;
    }
  }

  private isNext(data: Uint8Array) {
    return uint32(data, 0) === this.sequence++;
  }

  private acceptsCount(data: Uint8Array) {
    if (this.declared !== undefined || this.hasStill || data.length !== 8) return false;
    this.declared = uint32(data, 0);
    return true;
  }

  /** One frame may stand before the still image: it then is that image, as large as the canvas. */
  private acceptsControl(data: Uint8Array) {
    const { found, hasStill, canvas } = this;
    const size = regionIn(canvas, data);
    const isFirst = !hasStill && found.length === 0;
    if (!size || !(isFirst || hasStill) || (isFirst && !sameSize(size, canvas))) return false;
    found.push({ size, control: data.subarray(SEQUENCE_BYTES), data: [] });
    return true;
  }

  private acceptsStill(data: Uint8Array, previous: string) {
    if (this.hasStill && previous !== 'IDAT') return false;
    this.hasStill = true;
    if (this.found.length === 0) this.found.push({ size: this.canvas, data: [] });
    this.found[0].data.push(data);
    return true;
  }

  /** The data of the first frame are in IDAT. */
  private acceptsData(data: Uint8Array) {
    if (!this.hasStill || this.found.length === 1) return false;
    this.found[this.found.length - 1].data.push(data.subarray(SEQUENCE_BYTES));
    return true;
  }
}

function regionIn(canvas: Dimensions, data: Uint8Array): Dimensions | undefined {
  if (data.length !== CONTROL_BYTES || data[24] > 2 || data[25] > 1) return undefined;
  const control = asBuffer(data);
  const [width, height, left, top] = [4, 8, 12, 16].map((at) => control.readUInt32BE(at));
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
