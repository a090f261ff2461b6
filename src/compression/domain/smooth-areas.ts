/** Finds areas where faint contours show, by mean curvature: faint noise raises the range of values but hides nothing. */
import { pixelWords, type Pixels } from './pixels';

const BLOCK_PX = 8;
/** Cap for edges and specks, so that they do not hide the gradient around them. */
const MAX_CURVATURE = 8;
/** Largest change of a sample below each mean curvature. Contours of 1 of 255 are invisible, and in faint noise those of 2. */
const CAPS = [
  [0.6, 1],
  [1.6, 2],
  [3, 3],
] as const;
const NO_CAP = 255;

/** By blocks of 8×8 pixels, row by row. */
export interface SmoothAreas {
  readonly blocksPerRow: number;
  readonly caps: Uint8Array;
}

export function findSmoothAreas(image: Pixels): SmoothAreas {
  const words = image.channels === 4 ? pixelWords(image.data) : undefined;
  const blocksPerRow = Math.ceil(image.width / BLOCK_PX);
  const blockRows = Math.ceil(image.height / BLOCK_PX);
  const caps = Uint8Array.from({ length: blocksPerRow * blockRows }, (_, block) => {
    const left = (block % blocksPerRow) * BLOCK_PX;
    const top = Math.floor(block / blocksPerRow) * BLOCK_PX;
    const isPlain = words !== undefined && isPlainBlock(words, image, left, top);
    return computeCap(isPlain ? 0 : meanCurvature(image, left, top));
  });
  return { blocksPerRow, caps };
}

export function capsOfRow({ blocksPerRow, caps }: SmoothAreas, y: number, to: Uint8Array): void {
  const first = Math.floor(y / BLOCK_PX) * blocksPerRow;
  for (let block = 0, x = 0; block < blocksPerRow; block++, x += BLOCK_PX)
    to.fill(caps[first + block], x, x + BLOCK_PX);
}

function isPlainBlock(words: Uint32Array, { width, height }: Pixels, left: number, top: number): boolean {
  const [first, last] = [Math.max(0, left - 1), Math.min(width, left + BLOCK_PX + 1)];
  const end = Math.min(height, top + BLOCK_PX + 1) * width;
  const colour = words[top * width + left];
  for (let row = Math.max(0, top - 1) * width; row < end; row += width) {
    for (let at = row + first; at < row + last; at++) if (words[at] !== colour) return false;
  }
  return true;
}

function computeCap(curvature: number): number {
  return CAPS.find(([below]) => curvature < below)?.[1] ?? NO_CAP;
}

/** Mean of the second differences along rows and columns, over every second pixel of the block, in the channel that varies most. */
function meanCurvature({ width, height, channels, data }: Pixels, left: number, top: number): number {
  const colours = channels % 2 === 0 ? channels - 1 : channels;
  const rowBytes = width * channels;
  let most = 0;
  for (let c = 0; c < colours; c++) {
    let sum = 0;
    let count = 0;
    for (let y = top; y < Math.min(top + BLOCK_PX, height); y++) {
      if (y === 0 || y === height - 1) continue;
      for (let x = left + (y & 1); x < Math.min(left + BLOCK_PX, width); x += 2) {
        if (x === 0 || x >= width - 1) continue;
        const at = y * rowBytes + x * channels + c;
        const twice = 2 * data[at];
        sum += Math.min(MAX_CURVATURE, Math.abs(twice - data[at - channels] - data[at + channels]));
        sum += Math.min(MAX_CURVATURE, Math.abs(twice - data[at - rowBytes] - data[at + rowBytes]));
        count += 2;
      }
    }
    if (count > 0) most = Math.max(most, sum / count);
  }
  return most;
}
