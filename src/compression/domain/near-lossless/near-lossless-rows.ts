/**
 * Codes PNG rows whose samples differ from the source by at most a bound and that deflate to a third to a
 * half of the bytes.
 *
 * The coding is a closed loop: each sample is predicted from the delivered samples, not from those of the
 * source, and its residual is rounded to a multiple of 2e + 1. The decoder predicts from the same samples, so
 * an error stays where it was made. In an open loop the errors of a row would add up, and a gradient would
 * drift away from its source. The first row, alpha and fixed pixels stay exact; other transparent pixels take
 * whatever colour their prediction gives. The loop is in assembly/near-lossless.ts.
 */
import type { FixedPixels } from '../kept-colours';
import { loadModule, type WasmModule } from '../load-module';
import type { Pixels } from '../pixels';
import { capsOfRow, findSmoothAreas } from '../smooth-areas';
import { NEAR_LOSSLESS_MODULE } from '../web-assembly';

/**
 * The largest change of a sample, indexed by the range of values in the 3×3 pixels around it, 0..255. Texture
 * hides errors that would be bands in a smooth gradient, so the bound grows with the range. Where nothing
 * varies, nothing changes.
 */
export type ErrorBounds = Uint8Array;

export interface NearLosslessRows {
  /** The input of deflate: each row after its filter type (W3C PNG, 9.2). */
  readonly rows: Uint8Array;
  /** The pixels that a decoder returns. */
  readonly delivered: Pixels;
}

type Address =
  'boundsAt' | 'capsAt' | 'entropiesAt' | 'aboveAt' | 'currentAt' | 'belowAt' | 'residualsAt' | 'deliveredAt';

interface Module extends WasmModule<Address> {
  begin(width: number, channels: number): void;
  advance(): void;
  copy(): void;
  code(): number;
}

const load = loadModule<Module>(NEAR_LOSSLESS_MODULE);

/** Returns the rows and the pixels that they decode to. @param source 1 to 4 channels of 8 bits */
export function encodeNearLosslessRows(source: FixedPixels, bounds: ErrorBounds): NearLosslessRows {
  const { width, height, channels, data, isFixed } = source;
  const module = load();
  const length = width * channels;
  module.begin(width, channels);
  // Read late, because growing the memory replaces its buffer.
  const memory = new Uint8Array(module.memory.buffer);
  memory.set(bounds, module.boundsAt());
  const entropies = Float64Array.from({ length: length + 1 }, (_, n) => (n > 0 ? n * Math.log2(n) : 0));
  new Float64Array(module.memory.buffer).set(entropies, module.entropiesAt() / 8);

  // Bounds of 0 need no caps, but a cap of 0 would keep the colours of transparent pixels.
  const smooth = bounds === EXACT_BOUNDS ? undefined : (source.smooth?.() ?? findSmoothAreas(source));
  const caps = memory.subarray(module.capsAt(), module.capsAt() + width);
  const rowAt = (y: number) => data.subarray(y * length, (y + 1) * length);
  const rows = new Uint8Array((length + 1) * height);
  const delivered = new Uint8Array(length * height);
  memory.set(rowAt(0), module.currentAt());
  memory.set(rowAt(0), module.belowAt());
  for (let y = 0; y < height; y++) {
    module.advance();
    if (y === 0) memory.set(rowAt(0), module.aboveAt());
    memory.set(rowAt(Math.min(y + 1, height - 1)), module.belowAt());
    const at = y * (length + 1);
    if (smooth) capsOfRow(smooth, y, caps);
    else caps.fill(1);
    for (let x = 0; isFixed && x < width; x++) if (isFixed[y * width + x] === 1) caps[x] = 0;
    if (y === 0) module.copy();
    else rows[at] = module.code();
    rows.set(memory.subarray(module.residualsAt(), module.residualsAt() + length), at + 1);
    delivered.set(memory.subarray(module.deliveredAt(), module.deliveredAt() + length), y * length);
  }
  return { rows, delivered: { width, height, channels, data: delivered } };
}

/** Above each range, the bound is 1 higher. Each step loses about 1.3 times as much and saves about 8% of the bytes. */
const LADDER = [
  [3],
  [1],
  [0, 8],
  [0, 4],
  [0, 4, 10],
  [0, 3, 8, 16],
  [0, 2, 5, 12],
  [0, 1, 4, 9, 20],
  [0, 0, 3, 7, 14, 28],
  [0, 0, 2, 5, 10, 20],
  [0, 0, 1, 3, 7, 14],
  [0, 0, 0, 2, 5, 10],
  [0, 0, 0, 1, 3, 7, 14],
  [0, 0, 0, 0, 2, 5, 10],
  [0, 0, 0, 0, 1, 4, 8, 16],
  [0, 0, 0, 0, 0, 3, 6, 12],
] as const;

/** From the smallest errors to the largest: a search takes the highest rung that the guard passes. */
export const BOUNDS_LADDER: readonly ErrorBounds[] = LADDER.map((ranges) =>
  Uint8Array.from({ length: 256 }, (_, range) => ranges.filter((least) => range > least).length),
);

/** Changes no visible sample, but frees the colours of transparent pixels. */
export const EXACT_BOUNDS: ErrorBounds = new Uint8Array(256);
