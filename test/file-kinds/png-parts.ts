import { deflateSync } from 'node:zlib';
import { uint32s } from '../../src/compression/formats/bytes';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';

export function iccpChunk(profile: Uint8Array) {
  return pngChunk('iCCP', Buffer.concat([Buffer.from('made\0\0', 'latin1'), deflateSync(profile)]));
}

/** x and y of white, red, green and blue, in units of 1/100000. */
export const CHROMATICITIES = {
  srgb: [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000],
  /** As Photoshop writes those of sRGB. */
  rounded: [31_269, 32_899, 63_999, 33_001, 30_000, 60_000, 15_000, 5_999],
  p3: [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000],
} as const;

export const chrmChunk = (values: readonly number[]) => pngChunk('cHRM', uint32s(...values));
/** @param value the exponent in units of 1/100000: 45455 for sRGB */
export const gamaChunk = (value: number) => pngChunk('gAMA', uint32s(value));
export const cicpChunk = (...values: [number, number, number, number]) =>
  pngChunk('cICP', Buffer.from(values));
