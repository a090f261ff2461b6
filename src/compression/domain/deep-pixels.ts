/** Images of 16 bits per sample. */
import type { Dimensions } from './dimensions';
import type { Pixels } from './pixels';

/** Like Pixels, with samples of 0..65535. */
export interface DeepPixels extends Dimensions {
  readonly channels: Pixels['channels'];
  readonly data: Uint16Array;
}

const OPAQUE = 65_535;

/** Returns the nearest 8-bit sample to a 16-bit one: v ÷ 257, rounded, as in libpng (png_set_scale_16). */
export function roundedToEight(sample: number): number {
  return (sample * 255 + 32_895) >>> 16;
}

export function withRoundedSamples({ width, height, channels, data }: DeepPixels): Pixels {
  // Uint8Array.from() takes fifty times as long, and 30 bytes per sample.
  const out = new Uint8Array(data.length);
  for (let i = 0; i < out.length; i++) out[i] = roundedToEight(data[i]);
  return { width, height, channels, data: out };
}

/** Returns RGBA pixels without alpha if they are opaque, and, if `mayBeGrey`, a grey image with a single colour channel. */
export function compactDeep(rgba: DeepPixels, mayBeGrey: boolean): DeepPixels {
  const { width, height, data } = rgba;
  let [isOpaque, isGrey] = [true, mayBeGrey];
  for (let i = 0; i < data.length && (isOpaque || isGrey); i += 4) {
    isOpaque &&= data[i + 3] === OPAQUE;
    isGrey &&= data[i] === data[i + 1] && data[i] === data[i + 2];
  }
  const kept = [0, ...(isGrey ? [] : [1, 2]), ...(isOpaque ? [] : [3])];
  const channels = kept.length as Pixels['channels'];
  if (channels === 4) return rgba;
  const out = new Uint16Array(width * height * channels);
  for (let from = 0, to = 0; from < data.length; from += 4) for (const c of kept) out[to++] = data[from + c];
  return { width, height, channels, data: out };
}

/** Returns whether images of the same channels have the same samples; ignores colours under an alpha of 0. */
export function areSame(a: DeepPixels, b: DeepPixels): boolean {
  const { channels, data } = a;
  if (channels !== b.channels || data.length !== b.data.length) return false;
  const alpha = channels % 2 === 0 ? channels - 1 : undefined;
  for (let i = 0; i < data.length; i++) {
    if (data[i] === b.data[i]) continue;
    const at = i % channels;
    if (alpha === undefined || at === alpha || data[i - at + alpha] !== 0) return false;
  }
  return true;
}
