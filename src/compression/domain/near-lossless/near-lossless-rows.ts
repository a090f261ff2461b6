/**
 * Near-lossless coding: PNG rows whose samples are off by at most a bound, and cost a third to a half of the bytes.
 * Every residual is rounded to a multiple of 2e + 1 against what has been delivered so far (a closed loop), so errors
 * never add up. Alpha stays exact; colour under an alpha of 0, which nobody sees, is free.
 *
 * The loop over the samples runs in WebAssembly (source: assembly/near-lossless.ts).
 */
import type { Pixels } from '../pixels';
import { NEAR_LOSSLESS_MODULE } from './near-lossless-module';

/** The greatest change of a sample for each activity of its neighbourhood, 0..255: the range of the 3×3 pixels around. */
export type ErrorBounds = Uint8Array;

export interface NearLosslessRows {
  /** What PNG deflates: each row with its filter type before it. */
  readonly rows: Uint8Array;
  /** The pixels that a decoder finds in them. */
  readonly delivered: Pixels;
}

/** What the module exports; addresses are offsets into its memory. */
interface Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  begin(width: number, channels: number): void;
  boundsAt(): number;
  entropiesAt(): number;
  aboveAt(): number;
  currentAt(): number;
  belowAt(): number;
  residualsAt(): number;
  deliveredAt(): number;
  advance(): void;
  copy(): void;
  code(): number;
}

/** TypeScript knows it from browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (compiled: object) => { readonly exports: unknown };
};

let loaded: Module | undefined;

/** Codes an image; the first row is delivered as it is. */
export function encodeNearLosslessRows(source: Pixels, bounds: ErrorBounds): NearLosslessRows {
  const { width, height, channels, data } = source;
  const module = (loaded ??= load());
  const length = width * channels;
  module.begin(width, channels);
  // Not before: room may have been made, which moves the memory.
  const memory = new Uint8Array(module.memory.buffer);
  memory.set(bounds, module.boundsAt());
  const entropies = Float64Array.from({ length: length + 1 }, (_, n) => (n > 0 ? n * Math.log2(n) : 0));
  new Float64Array(module.memory.buffer).set(entropies, module.entropiesAt() / 8);

  const rowOf = (y: number) => data.subarray(y * length, (y + 1) * length);
  const rows = new Uint8Array((length + 1) * height);
  const delivered = new Uint8Array(length * height);
  memory.set(rowOf(0), module.currentAt());
  memory.set(rowOf(0), module.belowAt());
  for (let y = 0; y < height; y++) {
    module.advance();
    if (y === 0) memory.set(rowOf(0), module.aboveAt());
    memory.set(rowOf(Math.min(y + 1, height - 1)), module.belowAt());
    const at = y * (length + 1);
    if (y === 0) module.copy();
    else rows[at] = module.code();
    rows.set(memory.subarray(module.residualsAt(), module.residualsAt() + length), at + 1);
    delivered.set(memory.subarray(module.deliveredAt(), module.deliveredAt() + length), y * length);
  }
  return { rows, delivered: { width, height, channels, data: delivered } };
}

function load(): Module {
  const compiled = new WebAssembly.Module(Buffer.from(NEAR_LOSSLESS_MODULE, 'base64'));
  return new WebAssembly.Instance(compiled).exports as Module;
}
