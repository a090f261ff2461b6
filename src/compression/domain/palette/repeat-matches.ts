/**
 * Repeats earlier runs of indices where colours stay close, so that deflate finds longer matches. Each pixel
 * may differ by the range of the 3×3 pixels around it times a strength: texture hides the change. Flat areas
 * and kept colours do not change; opaque pixels stay opaque. The loop is in assembly/palette-matches.ts.
 */
import type { Dimensions } from '../dimensions';
import { loadModule, type WasmModule } from '../load-module';
import { pixelWords, type Pixels } from '../pixels';
import type { IndexedImage } from './indexed-image';
import { PALETTE_MATCHES_MODULE } from '../web-assembly';
import type { Verdict } from '../fidelity-guard';
import { areaOf, type ChangedArea } from '../score/small-areas';

/** Below this range of values, of 255, an area is flat. */
const LEAST_RANGE = 2;
/** The module holds about this many pixels at a time, whatever the size of the image. */
const BLOCK_PIXELS = 2 ** 16;

type Address = 'paletteAt' | 'tolerancesAt' | 'keptAt' | 'sourceAt' | 'indicesAt' | 'deliveredAt';

interface Module extends WasmModule<Address> {
  begin(width: number, mostRows: number): void;
  sourceStride(): number;
  code(rows: number): void;
  advance(rows: number): void;
}

const load = loadModule<Module>(PALETTE_MATCHES_MODULE);

/** @param strength from 0, which changes nothing; green weighs 4, red 2, blue 1 and alpha 7 */
export function withRepeatedMatches(
  source: Pixels,
  image: IndexedImage,
  strength: number,
  kept: ReadonlySet<number>,
): IndexedImage {
  const { width, height } = image;
  const module = load();
  const blockRows = Math.max(1, Math.min(height, Math.floor(BLOCK_PIXELS / width)));
  module.begin(width, blockRows);
  // Read late, because growing the memory replaces its buffer.
  const memory = new Uint8Array(module.memory.buffer);
  memory.set(image.palette, module.paletteAt());
  const tolerances = Uint32Array.from({ length: 256 }, (_, range) =>
    range < LEAST_RANGE ? 0 : Math.floor(range * strength),
  );
  new Uint32Array(module.memory.buffer).set(tolerances, module.tolerancesAt() / 4);
  memory.fill(0, module.keptAt(), module.keptAt() + 256);
  pixelWords(image.palette).forEach((word, index) => {
    if (kept.has(word)) memory[module.keptAt() + index] = 1;
  });

  const rows = new Uint8Array(image.rows.length);
  for (let top = 0; top < height; top += blockRows) {
    const count = Math.min(blockRows, height - top);
    handOver(module, source, top, count);
    const block = image.rows.subarray(top * (width + 1), (top + count) * (width + 1));
    memory.set(block, module.indicesAt());
    module.code(count);
    const at = module.deliveredAt();
    rows.set(memory.subarray(at, at + block.length), top * (width + 1));
    module.advance(count);
  }
  return { ...image, rows };
}

/** Returns the image with the indices of another one of the same palette in the areas that changed too much. */
export function withAreasOf(
  exact: IndexedImage,
  image: IndexedImage,
  changed: readonly ChangedArea[],
  seen: Dimensions,
): IndexedImage {
  const rows = Uint8Array.from(image.rows);
  for (const area of changed) {
    const { left, right, top, bottom } = areaOf(area, image, seen);
    for (let y = top; y < bottom; y++) {
      const at = y * (image.width + 1) + 1;
      rows.set(exact.rows.subarray(at + left, at + right), at + left);
    }
  }
  return { ...image, rows };
}

/** Copies the rows of a block and their neighbours; beyond the image, its edge repeats. */
function handOver(module: Module, { width, height, data }: Pixels, top: number, count: number) {
  const memory = new Uint8Array(module.memory.buffer);
  const rowBytes = width * 4;
  for (let row = -1; row <= count; row++) {
    const y = Math.min(height - 1, Math.max(0, top + row));
    const pixels = data.subarray(y * rowBytes, (y + 1) * rowBytes);
    const at = module.sourceAt() + (row + 1) * module.sourceStride();
    memory.set(pixels.subarray(0, 4), at - 4);
    memory.set(pixels, at);
    memory.set(pixels.subarray(rowBytes - 4), at + rowBytes);
  }
}

/**
 * The strength of the first trial, and the largest one, at a density of 1. Where single pixels are not seen,
 * repetition loses less by the square of the density.
 */
const DEFAULT_STRENGTH = 6;
const MOST_STRENGTH = 24;
/** From one trial to the next. */
const MOST_GROWTH = 2;
/** The loss that a further trial aims for, and the loss that ends the search, as shares of the allowed loss. */
const WANTED_LOSS = 0.96;
const ENOUGH_LOSS = 0.9;
/** A palette may lose most in a smooth area, which repetition does not change: then its loss grows by less than this. */
const UNAFFECTED = 0.02;
/** If a trial fails for a reason other than its loss, the next one goes this share of the way to its strength. */
const WEAKER = 0.4;

export interface StrengthTrial extends Pick<Verdict, 'loss'> {
  readonly strength: number;
}

/**
 * Returns the strength of the next trial; undefined if the strongest passing one is close enough. The loss
 * that repetition adds grows with about the square of the strength.
 * @param passed the strongest trial that passed; at first the palette alone, of strength 0
 * @param failed the weakest trial that failed
 * @param exactLoss the loss of the palette alone
 */
export function nextStrength(
  passed: StrengthTrial,
  failed: StrengthTrial | undefined,
  exactLoss: number,
  density = 1,
): number | undefined {
  const [first, most] = [DEFAULT_STRENGTH * density ** 2, MOST_STRENGTH * density ** 2];
  const added = passed.loss - exactLoss;
  const isEnough = passed.loss >= ENOUGH_LOSS && added > UNAFFECTED;
  if (passed.strength >= most || (passed.strength > 0 && isEnough)) return undefined;
  if (failed) return between(passed, failed);
  if (passed.strength === 0) return first;
  const left = Math.max(WANTED_LOSS - exactLoss, UNAFFECTED);
  const growth = Math.min(MOST_GROWTH, Math.sqrt(left / Math.max(added, 0.001)));
  return Math.min(most, passed.strength * growth);
}

function between(passed: StrengthTrial, failed: StrengthTrial) {
  if (failed.loss <= 1) return passed.strength + WEAKER * (failed.strength - passed.strength);
  const share = Math.max(WANTED_LOSS - passed.loss, 0) / (failed.loss - passed.loss);
  return Math.sqrt(passed.strength ** 2 + share * (failed.strength ** 2 - passed.strength ** 2));
}
