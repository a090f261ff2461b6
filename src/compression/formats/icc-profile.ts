/** Reads matrix profiles (ICC.1:2022). Content, not name, tells plain sRGB (IEC 61966-2-1), which viewers assume. */
import { srgbLight, type ToneCurve, type ToneCurves } from '../domain/tone';
import { text, uint32, uint16 } from './bytes';

const HEADER_BYTES = 128;
const MAX_VERSION = 4;
const TABLES = ['A2B0', 'A2B1'];
type Triple<T> = readonly [T, T, T];
/** X, Y and Z of red, green and blue at full intensity, adapted to D50. */
export type Primaries = Triple<Triple<number>>;
/** The primaries and the curve of sRGB in ITU-T H.273. */
const [CICP_BT709, CICP_SRGB] = [1, 13];
/** From the sRGB profile of the ICC. Vendors round them differently. */
const SRGB_PRIMARIES: Primaries = [
  [0.4361, 0.2225, 0.0139],
  [0.3851, 0.7169, 0.0971],
  [0.1431, 0.0606, 0.7141],
];
const PRIMARY_TOLERANCE = 0.003;
/** Largest deviation of curves that count as equal; for sRGB it changes no 8-bit sample by more than 1. */
const CURVE_TOLERANCE = 0.003;
/** Light of a half sample: 0.21 for sRGB, 0.29 for gamma 1.8, 0.16 for gamma 2.6, 0.5 for linear light. */
const SRGB_LIKE_MIDTONE = { min: 0.14, max: 0.33 };

/** Relative to sRGB: Adobe RGB has 1.46 and Display P3 1.39, BT.2020 has 2.02 and ProPhoto 2.7. */
const MOST_VOLUME = 1.7;

export interface MatrixProfile {
  readonly curves: ToneCurves;
  readonly primaries: Primaries;
  /** Whether a tag names another curve, which some viewers use. */
  readonly hasCicp: boolean;
}

/** Returns the kind of samples, such as `RGB `, `GRAY` or `CMYK` (7.2.8). */
export function readColourSpace(profile: Uint8Array): string | undefined {
  return text(profile, 36, 40) === 'acsp' ? text(profile, 16, 20) : undefined;
}

/** Whether viewers can use the profile. They ignore a damaged one, but Chromium does not show a file in the container of HEIF that has one. */
export function isUsable(profile: Uint8Array): boolean {
  const size = uint32(profile, 0) ?? Infinity;
  const count = uint32(profile, HEADER_BYTES) ?? Infinity;
  const tags = tagTable(profile.subarray(0, size));
  if (size > profile.length || profile[8] > MAX_VERSION || tags.size < count) return false;
  if (TABLES.some((name) => tags.has(name))) return true;
  switch (readColourSpace(profile)) {
    case 'RGB ':
      return readMatrixProfile(profile) !== undefined;
    case 'GRAY':
      return readGreyProfile(profile) !== undefined;
    default:
      return false;
  }
}

export function isPlainSrgb(profile: Uint8Array): boolean {
  return isSrgb(profile) && !tagTable(profile).has('cicp');
}

/** Like isPlainSrgb, for profiles of which a tag may name sRGB too, as those of libjxl. */
export function isSrgb(profile: Uint8Array): boolean {
  const matrix = readMatrixProfile(profile);
  const cicp = tagTable(profile).get('cicp');
  if (!matrix || (cicp && (cicp[8] !== CICP_BT709 || cicp[9] !== CICP_SRGB))) return false;
  return (
    areSrgbPrimaries(matrix.primaries) && matrix.curves.every((curve) => areCurvesAlike(curve, srgbLight))
  );
}

export function areSrgbPrimaries(primaries: Primaries): boolean {
  return areClose(primaries, SRGB_PRIMARIES);
}

export function haveSameColours(a: Uint8Array, b: Uint8Array): boolean {
  if (Buffer.compare(a, b) === 0) return true;
  const [one, other] = [a, b].map(readMatrixProfile);
  if (!one || !other || one.hasCicp || other.hasCicp) return false;
  const areCurvesClose = one.curves.every((curve, i) => areCurvesAlike(curve, other.curves[i]));
  return areCurvesClose && areClose(one.primaries, other.primaries);
}

function areClose(a: Primaries, b: Primaries) {
  return a.every((xyz, i) => xyz.every((value, j) => Math.abs(value - b[i][j]) <= PRIMARY_TOLERANCE));
}

/** Returns whether samples have a perceptual scale similar to sRGB. Scores and palettes are meaningful only then. */
export function isLikeSrgb(curve: ToneCurve): boolean {
  const light = curve(0.5);
  return light >= SRGB_LIKE_MIDTONE.min && light <= SRGB_LIKE_MIDTONE.max;
}

/** Whether the same step of samples is a far larger one of colours than in sRGB. Wide Gamut, ProPhoto and BT.2020 are; Display P3 and Adobe RGB are not. */
export function isWide(primaries: Primaries): boolean {
  return volumeOf(primaries) > MOST_VOLUME * volumeOf(SRGB_PRIMARIES);
}

/** Of the colours in linear light: the determinant. */
function volumeOf([red, green, blue]: Primaries) {
  const minor = (i: number, j: number) => green[i] * blue[j] - green[j] * blue[i];
  return red[0] * minor(1, 2) + red[1] * minor(2, 0) + red[2] * minor(0, 1);
}

/** Whether Little CMS converts by the lookup table that Chromium uses, which also reads `A2B1` and `cicp`. */
export function isConvertibleTable(profile: Uint8Array): boolean {
  const tags = tagTable(profile);
  return tags.has('A2B0') && !tags.has('cicp');
}

export function readMatrixProfile(profile: Uint8Array): MatrixProfile | undefined {
  if (readColourSpace(profile) !== 'RGB ') return undefined;
  const tags = tagTable(profile);
  if (TABLES.some((name) => tags.has(name))) return undefined;
  const [r, g, b] = ['r', 'g', 'b'].map((name) => toneCurve(tags.get(`${name}TRC`)));
  const [red, green, blue] = ['r', 'g', 'b'].map((name) => xyzIn(tags.get(`${name}XYZ`)));
  if (!r || !g || !b || !red || !green || !blue) return undefined;
  return { curves: [r, g, b], primaries: [red, green, blue], hasCicp: tags.has('cicp') };
}

/** Undefined also for a curve to lightness (L*): Chromium ignores such profiles. */
export function readGreyProfile(profile: Uint8Array): ToneCurve | undefined {
  const isToLight = readColourSpace(profile) === 'GRAY' && text(profile, 20, 24) === 'XYZ ';
  return isToLight ? toneCurve(tagTable(profile).get('kTRC')) : undefined;
}

function tagTable(profile: Uint8Array) {
  const tags = new Map<string, Uint8Array>();
  const count = Math.min(uint32(profile, HEADER_BYTES) ?? 0, 100);
  for (let i = 0; i < count; i++) {
    const entry = HEADER_BYTES + 4 + i * 12;
    const start = uint32(profile, entry + 4);
    const length = uint32(profile, entry + 8);
    if (start === undefined || length === undefined || start + length > profile.length) continue;
    tags.set(text(profile, entry, entry + 4), profile.subarray(start, start + length));
  }
  return tags;
}

function xyzIn(tag: Uint8Array | undefined): Triple<number> | undefined {
  if (!tag || tag.length < 20) return undefined;
  return [fixedPoint(tag, 8), fixedPoint(tag, 12), fixedPoint(tag, 16)];
}

/** Reads an s15Fixed16Number (ICC.1:2022, 4.6). */
function fixedPoint(bytes: Uint8Array, at: number) {
  return ((uint32(bytes, at) ?? 0) | 0) / 65536;
}

function areCurvesAlike(a: ToneCurve, b: ToneCurve) {
  return [0.02, 0.1, 0.25, 0.5, 0.75, 0.9].every((x) => Math.abs(a(x) - b(x)) <= CURVE_TOLERANCE);
}

const PARAMETERS = [1, 3, 4, 5, 7];

export function toneCurve(tag: Uint8Array | undefined): ToneCurve | undefined {
  if (!tag) return undefined;
  const type = text(tag, 0, 4);
  if (type === 'curv') return sampledCurve(tag);
  return type === 'para' ? parametricCurve(tag) : undefined;
}

function sampledCurve(tag: Uint8Array): ToneCurve | undefined {
  const points = uint32(tag, 8) ?? 0;
  if (12 + points * 2 > tag.length) return undefined;
  if (points < 2) {
    const gamma = points === 0 ? 1 : (uint16(tag, 12) ?? 0) / 256;
    return (x) => x ** gamma;
  }
  return (x) => {
    const position = x * (points - 1);
    const index = Math.min(points - 2, Math.floor(position));
    const left = (uint16(tag, 12 + index * 2) ?? 0) / 65535;
    const right = (uint16(tag, 14 + index * 2) ?? 0) / 65535;
    return left + (right - left) * (position - index);
  };
}

function parametricCurve(tag: Uint8Array): ToneCurve | undefined {
  const kind = uint16(tag, 8) ?? PARAMETERS.length;
  const count = PARAMETERS.at(kind);
  if (count === undefined || tag.length < 12 + count * 4) return undefined;
  const [g, a = 1, b = 0, ...more] = Array.from({ length: count }, (_, i) => fixedPoint(tag, 12 + i * 4));
  // Kinds 1 and 2 are constant until their power begins, the others are straight until d.
  const [slope, begin, above, below] =
    kind < 3
      ? [0, -b / a, more.at(0) ?? 0, more.at(0) ?? 0]
      : [more[0], more[1], more.at(2) ?? 0, more.at(3) ?? 0];
  return (x) => (x >= begin ? (a * x + b) ** g + above : slope * x + below);
}
