/** How viewers show the samples of a PNG (W3C PNG, third edition, 4.3; ITU-T H.273 for cICP). */
import { srgbLight, type ToneCurve } from '../../domain/tone';
import { uint32 } from '../bytes';
import { isUsable, readColourSpace } from '../icc-profile';
import { solvePrimaries } from '../icc-writer';
import { profiledColours, withPrimaries, type ShownColours } from '../shown-colours';
import { embeddedProfile } from './png-colour';
import { isGreyFile, type PngStructure } from './png-structure';

const power =
  (exponent: number): ToneCurve =>
  (sample) =>
    sample ** exponent;
/** Video: displays use ITU-R BT.1886, not the inverse of the camera curve. */
const video = power(2.4);
const TRANSFERS: Readonly<Partial<Record<number, ToneCurve>>> = {
  1: video,
  4: power(2.2),
  5: power(2.8),
  6: video,
  8: power(1),
  11: video,
  13: srgbLight,
  14: video,
  15: video,
};
/** PQ and HLG, which specify display brightness, and curves that Chromium supports and this service does not. */
const NEEDS_CICP = [7, 16, 17, 18];
const D65 = [0.3127, 0.329];
/** x and y of white, red, green and blue, by colour primaries of H.273. */
const PRIMARIES: Readonly<Partial<Record<number, readonly number[]>>> = {
  1: [...D65, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06],
  4: [0.31, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08],
  5: [...D65, 0.64, 0.33, 0.29, 0.6, 0.15, 0.06],
  6: [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07],
  7: [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07],
  8: [0.31, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
  9: [...D65, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046],
  11: [0.314, 0.351, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  12: [...D65, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  22: [...D65, 0.63, 0.34, 0.295, 0.605, 0.155, 0.077],
};
/** Without cHRM, viewers treat powers near 1/2.2 as sRGB: libpng's limit is 5%. */
const NEAR_SRGB = { min: 43_200, max: 47_700 };

/** Primaries of H.273 that no display has: X, Y and Z. */
const XYZ = 10;

/** Viewers ignore profiles of other samples than these in other formats, but Chromium applies them in a PNG. */
const COMMON_SAMPLES: readonly (string | undefined)[] = ['RGB ', 'GRAY', 'CMYK'];

/** Returns undefined if only a PNG can express the colours: PQ and HLG in cICP, a profile for Lab. */
export function pngColours(structure: PngStructure): ShownColours | undefined {
  const { colourChunks } = structure;
  const find = (name: string) => colourChunks.find(({ type }) => type === name)?.data;
  const cicp = find('cICP');
  const [primaries, transfer, matrix, range] = cicp ?? [];
  if (cicp && matrix === 0 && range === 1) {
    if (NEEDS_CICP.includes(transfer) || primaries === XYZ) return undefined;
    const [curve, chromaticities] = [TRANSFERS[transfer], PRIMARIES[primaries]];
    if (curve && chromaticities) return described(curve, chromaticities) ?? {};
  }
  const profile = embeddedProfile(colourChunks);
  if (profile && isUsable(profile))
    return COMMON_SAMPLES.includes(readColourSpace(profile))
      ? profiledColours(profile, isGreyFile(structure))
      : undefined;
  const hasOtherProfile = find('iCCP') !== undefined;
  return { ...gammaColours(find('gAMA'), find('cHRM')), ...(hasOtherProfile && { hasOtherProfile }) };
}

function gammaColours(gama: Uint8Array | undefined, chrm: Uint8Array | undefined): ShownColours {
  const gamma = gama && uint32(gama, 0);
  if (!gamma || (!chrm && gamma >= NEAR_SRGB.min && gamma <= NEAR_SRGB.max)) return {};
  const chromaticities = chrm && Array.from({ length: 8 }, (_, i) => (uint32(chrm, i * 4) ?? 0) / 100_000);
  // Without valid primaries, viewers ignore both.
  return described(power(100_000 / gamma), chromaticities ?? PRIMARIES[1] ?? []) ?? {};
}

function described(curve: ToneCurve, chromaticities: readonly number[]): ShownColours | undefined {
  const primaries = solvePrimaries(chromaticities);
  return (
    primaries && {
      ...(curve !== srgbLight && { curves: [curve, curve, curve] as const }),
      ...withPrimaries(primaries),
    }
  );
}
