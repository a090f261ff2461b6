/** How the rows of a PNG are stored (W3C PNG, third edition, 7.2 and 8.1): one pass, or the seven of Adam7. */
import type { Dimensions } from '../../domain/dimensions';
import type { PngHeader } from './png-structure';

/** Samples per stored pixel by colour type (W3C PNG, 11.2.1). */
export const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The passes of Adam7: first column, first row, column step, row step. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const SINGLE_PASS = [[0, 0, 1, 1]] as const;

export interface PngPass extends Dimensions {
  /** The first pixel in the image, and the distances to the next ones. */
  readonly from: readonly [left: number, top: number, stepX: number, stepY: number];
  /** Bytes of a row without its filter byte. */
  readonly rowBytes: number;
}

/** Returns the passes in the order of the file, without empty ones. */
export function passesOf({ storedSize, colourType, bitDepth, isInterlaced }: PngHeader): PngPass[] {
  const bits = SAMPLES[colourType] * bitDepth;
  return (isInterlaced ? ADAM7 : SINGLE_PASS)
    .map((from) => {
      const [left, top, stepX, stepY] = from;
      const width = Math.ceil((storedSize.width - left) / stepX);
      const height = Math.ceil((storedSize.height - top) / stepY);
      return { width, height, rowBytes: Math.ceil((width * bits) / 8), from };
    })
    .filter(({ width, height }) => width > 0 && height > 0);
}

/** Returns the bytes of all rows with their filter bytes. Allocates nothing: an animation may have 100 000 frames. */
export function bytesOfRows(header: PngHeader, { width, height }: Dimensions = header.storedSize): number {
  const bits = SAMPLES[header.colourType] * header.bitDepth;
  const passes = header.isInterlaced ? ADAM7 : SINGLE_PASS;
  let bytes = 0;
  for (const [left, top, stepX, stepY] of passes) {
    const columns = Math.ceil((width - left) / stepX);
    const rows = Math.ceil((height - top) / stepY);
    if (columns > 0 && rows > 0) bytes += rows * (1 + Math.ceil((columns * bits) / 8));
  }
  return bytes;
}

/** Returns the distance in bytes that row filters use for the pixel to the left: at least 1. */
export function filterDistance({ colourType, bitDepth }: PngHeader): number {
  return Math.max(1, (SAMPLES[colourType] * bitDepth) / 8);
}
