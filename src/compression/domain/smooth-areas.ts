/**
 * Finds areas where faint contours show: skies, soft shadows, blurred backgrounds. It measures curvature,
 * because a gradient has a range of values but no curvature, and faint noise raises the range but hides
 * nothing. Lossy PNGs are gentle there.
 */
import { loadModule, type WasmModule } from './load-module';
import { asRgba, type Pixels } from './pixels';
import { SMOOTH_AREAS_MODULE } from './web-assembly';

/** The side of the blocks that are judged as one. */
export const BLOCK_PX = 8;
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

/** The exports of the module (source: assembly/smooth-areas.ts). */
interface CurvatureModule extends WasmModule<'samplesAt' | 'meansAt'> {
  begin(width: number, height: number, channels: number): void;
  push(): void;
  finishBlocks(): void;
}

const load = loadModule<CurvatureModule>(SMOOTH_AREAS_MODULE);

/** Returns the largest change of a sample that stays invisible in each block. @param pixels 1 to 4 channels */
export function findSmoothAreas({ width, height, channels, data }: Pixels): SmoothAreas {
  const module = load();
  module.begin(width, height, channels);
  const { buffer } = module.memory;
  const memory = new Uint8Array(buffer);
  const blocksPerRow = Math.ceil(width / BLOCK_PX);
  const blockRows = Math.ceil(height / BLOCK_PX);
  const means = new Float64Array(buffer, module.meansAt(), blocksPerRow);
  const caps = new Uint8Array(blocksPerRow * blockRows);
  const rowBytes = width * channels;
  const pushTo = (end: number, from: number) => {
    for (let y = from; y < Math.min(end, height); y++) {
      memory.set(data.subarray(y * rowBytes, (y + 1) * rowBytes), module.samplesAt());
      module.push();
    }
  };
  for (let row = 0; row < blockRows; row++) {
    // The last row of a block needs the one below.
    const end = (row + 1) * BLOCK_PX + 1;
    pushTo(end, row === 0 ? 0 : end - BLOCK_PX);
    module.finishBlocks();
    for (let block = 0; block < blocksPerRow; block++)
      caps[row * blocksPerRow + block] = computeCap(means[block]);
  }
  return { blocksPerRow, caps };
}

/** Writes the cap of each pixel of row `y`, 1 to 3 of 255, or 255 where there is none. */
export function capsOfRow({ blocksPerRow, caps }: SmoothAreas, y: number, to: Uint8Array): void {
  const first = Math.floor(y / BLOCK_PX) * blocksPerRow;
  for (let block = 0, x = 0; block < blocksPerRow; block++, x += BLOCK_PX)
    to.fill(caps[first + block], x, x + BLOCK_PX);
}

/**
 * Leaves the areas in which a soft shadow fades: partially transparent pixels of one colour (green stands for it), but for the rounding of
 * programs that store colours multiplied by alpha.
 * @param source as it was before it was reduced by the density
 */
export function findShadows(areas: SmoothAreas, source: Pixels, density: number): SmoothAreas {
  const caps = areas.caps.slice();
  const { width, data } = asRgba(source);
  const side = 4 * BLOCK_PX * density;
  const starts: number[] = [];
  for (let p = 0; p < data.length; p += 4) {
    // A last pixel of its own may be seen with the block before.
    const column = Math.min(Math.floor((p % (4 * width)) / side), areas.blocksPerRow - 1);
    const block = Math.floor(p / width / side) * areas.blocksPerRow + column;
    const [start, alpha] = [(starts[block] ??= p), data[p + 3]];
    if (alpha % 255 === 0 || Math.abs(data[p + 1] - data[start + 1]) * alpha > 255) caps[block] = NO_CAP;
  }
  return { ...areas, caps };
}

function computeCap(curvature: number): number {
  return CAPS.find(([below]) => curvature < below)?.[1] ?? NO_CAP;
}
