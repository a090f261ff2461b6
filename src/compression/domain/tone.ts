/** Tone curves: from samples to light and back, for images whose profile differs from sRGB. */
import type { Pixels } from './pixels';

/** Returns the light, 0..1, of a sample of 0..1. */
export type ToneCurve = (sample: number) => number;
/** The curves of red, green and blue; those of grey are equal. */
export type ToneCurves = readonly [ToneCurve, ToneCurve, ToneCurve];
/** For each channel, the 8-bit sRGB samples that show the same light. */
export type ToneTables = readonly [Uint8Array, Uint8Array, Uint8Array];

/** The curve of sRGB (IEC 61966-2-1). */
export function srgbLight(sample: number): number {
  return sample <= 0.04045 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4;
}

/** The inverse of srgbLight. */
export function srgbSample(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

/** Returns the sRGB samples that show the same light. @param levels 256 for samples of 8 bits, 65536 for 16 */
export function toneTables([red, green, blue]: ToneCurves, levels: number): ToneTables {
  const tableOf = (curve: ToneCurve) =>
    Uint8Array.from({ length: levels }, (_, value) => {
      const light = Math.min(1, Math.max(0, curve(value / (levels - 1))));
      return Math.round(255 * srgbSample(light));
    });
  const first = tableOf(red);
  // Mostly, all channels have one curve.
  return [first, green === red ? first : tableOf(green), blue === red ? first : tableOf(blue)];
}

/** Returns a copy with converted colours; alpha stays. */
export function withTones(pixels: Pixels, curves: ToneCurves): Pixels {
  const { channels, data } = pixels;
  const tables = toneTables(curves, 256);
  const colours = channels < 3 ? 1 : 3;
  const out = new Uint8Array(data);
  for (let i = 0; i < out.length; i += channels) {
    for (let c = 0; c < colours; c++) out[i + c] = tables[c][data[i + c]];
  }
  return { ...pixels, data: out };
}
