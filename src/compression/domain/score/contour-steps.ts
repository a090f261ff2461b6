/** Counts the steps of luminance in smooth areas in WebAssembly with SIMD (source: assembly/contours.ts). */
import { loadModule, type WasmModule } from '../load-module';
import type { Pixels, Plane } from '../pixels';
import { CONTOURS_MODULE } from '../web-assembly';
import { LINEAR_16, LUMINANCE_SHARES, RESPONSE } from './linear-light';

/** Height in XYB of the steps that are counted together; the last count includes all higher ones. */
export const BIN = 0.00025;
const BINS = 256;

interface StepModule extends WasmModule<'shareTable' | 'responseTable' | 'smoothAt' | 'countsAt'> {
  begin(values: number, rowPixels: number, channelsA: number, channelsB: number): void;
  samplesAt(image: number): number;
  valuesAt(image: number): number;
  halve(): void;
  pushPixels(): void;
  pushValues(): void;
}

const load = loadModule<StepModule>(CONTOURS_MODULE, (module) => {
  const { buffer } = module.memory;
  const shares = LUMINANCE_SHARES.flatMap((share) => Array.from(LINEAR_16, (light) => light * share));
  new Uint32Array(buffer, module.shareTable()).set(shares);
  new Float32Array(buffer, module.responseTable()).set(RESPONSE);
});

/** Returns the luminance of blocks of 2×2 px; drops an odd last row or column. The image is RGB or RGBA. */
export function halfSizeLuminance(pixels: Pixels): Plane {
  const [width, height] = [pixels.width >> 1, pixels.height >> 1];
  const module = begin(width, pixels);
  const memory = new Uint8Array(module.memory.buffer);
  const row = new Float32Array(module.memory.buffer, module.valuesAt(0), width);
  const data = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    memory.set(rowOf(pixels.data, y, 2 * pixels.width * pixels.channels), module.samplesAt(0));
    module.halve();
    data.set(row, y * width);
  }
  return { width, height, data };
}

/**
 * Returns how often the values step across or down, by height, where the original is smooth; valid until the next call. Steps of 0
 * are not counted.
 * @param isSmooth for each value; 0 at the edge of the plane
 * @param images RGB or RGBA, of which the original has the values of `original` as its halfSizeLuminance
 */
export function countSteps(
  original: Plane,
  isSmooth: Uint8Array,
  candidate: Plane | { readonly images: readonly [Pixels, Pixels] },
): Uint32Array {
  const { width, height } = original;
  const images = 'images' in candidate ? candidate.images : [];
  const module = begin(width, ...images);
  const memory = new Uint8Array(module.memory.buffer);
  const values = bytesOf(original);
  const others = 'images' in candidate ? undefined : bytesOf(candidate);
  for (let y = 0; y < height; y++) {
    memory.set(rowOf(isSmooth, y + 1, width), module.smoothAt());
    memory.set(rowOf(values, y, 4 * width), module.valuesAt(0));
    if (others) memory.set(rowOf(others, y, 4 * width), module.valuesAt(1));
    images.forEach(({ data, width, channels }, i) => {
      memory.set(rowOf(data, y, 2 * width * channels), module.samplesAt(i));
    });
    if (others) module.pushValues();
    else module.pushPixels();
  }
  return new Uint32Array(module.memory.buffer, module.countsAt(), BINS);
}

function rowOf(data: Uint8Array, y: number, bytes: number) {
  return data.subarray(y * bytes, (y + 1) * bytes);
}

function bytesOf({ data }: Plane) {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function begin(values: number, original?: Pixels, candidate = original) {
  const module = load();
  module.begin(values, original?.width ?? 0, original?.channels ?? 4, candidate?.channels ?? 4);
  return module;
}
