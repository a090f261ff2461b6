/** How viewers show samples, and how to show the same in any format. The rules are Chromium's; see docs/formats.md. */
import type { ToneCurves } from '../domain/tone';
import {
  areSrgbPrimaries,
  isLikeSrgb,
  isPlainSrgb,
  isUsable,
  readGreyProfile,
  readMatrixProfile,
  readColourSpace,
  type Primaries,
} from './icc-profile';
import { rgbProfile } from './icc-writer';

const CURVE_TOLERANCE = 0.001;

export interface ShownColours {
  /** Absent if the samples stay unchanged. */
  readonly curves?: ToneCurves;
  readonly icc?: Uint8Array;
  /** Whether the profile has lookup tables, or a curve far from sRGB beside a `cicp` tag. */
  readonly needsProfile?: boolean;
  /** Whether a profile is left out that viewers ignore, because it is damaged or for other samples. */
  readonly hasOtherProfile?: boolean;
}

/** Curves close to sRGB are left to the profile. Profiles for grey and for RGB apply to grey samples. */
export function profiledColours(profile: Uint8Array, isGrey: boolean): ShownColours {
  if (isPlainSrgb(profile)) return {};
  if (!isUsable(profile)) return { hasOtherProfile: true };
  const grey = isGrey ? readGreyProfile(profile) : undefined;
  if (grey) return { curves: [grey, grey, grey] };
  if (readColourSpace(profile) !== 'RGB ') return { hasOtherProfile: true };
  const matrix = readMatrixProfile(profile);
  if (!matrix || matrix.hasCicp)
    return { icc: profile, needsProfile: !isGrey && !matrix?.curves.every(isLikeSrgb) };
  if (isGrey && areAlike(matrix.curves)) return { curves: matrix.curves };
  if (matrix.curves.every(isLikeSrgb)) return { icc: profile };
  return { curves: matrix.curves, ...withPrimaries(matrix.primaries) };
}

function areAlike([red, ...others]: ToneCurves) {
  const isLikeRed = (sample: number) =>
    others.every((curve) => Math.abs(curve(sample) - red(sample)) < CURVE_TOLERANCE);
  return [0.1, 0.25, 0.5, 0.75, 1].every(isLikeRed);
}

export function withPrimaries(primaries: Primaries): ShownColours {
  return areSrgbPrimaries(primaries) ? {} : { icc: rgbProfile(primaries) };
}
