/**
 * Recognises a plain sRGB profile (IEC 61966-2-1) by its content, not its name: an RGB matrix profile with the primaries
 * and the tone curve of sRGB. Viewers assume sRGB without a profile, so it can be removed; removing any other profile
 * would change the colours.
 */
import { text, uint16, uint32 } from './byte-reader';

const HEADER_BYTES = 128;
/** sRGB primaries adapted to D50, in XYZ, from the sRGB profile of the ICC. Vendors round them differently. */
const SRGB_PRIMARIES: Readonly<Record<string, readonly [number, number, number]>> = {
  rXYZ: [0.4361, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7141],
};
const PRIMARY_TOLERANCE = 0.003;
/** Largest deviation from the sRGB curve; it changes no 8-bit sample by more than 1. */
const CURVE_TOLERANCE = 0.003;

export function isPlainSrgb(profile: Uint8Array): boolean {
  if (text(profile, 16, 20) !== 'RGB ' || text(profile, 36, 40) !== 'acsp') return false;
  const tags = tagTable(profile);
  // Some readers prefer a lookup table to matrix and curves.
  if (tags.has('A2B0')) return false;
  const primariesMatch = Object.entries(SRGB_PRIMARIES).every(([name, expected]) => {
    const tag = tags.get(name);
    if (!tag || tag.length < 20) return false;
    return expected.every((value, i) => Math.abs(fixedPoint(tag, 8 + i * 4) - value) <= PRIMARY_TOLERANCE);
  });
  return primariesMatch && ['rTRC', 'gTRC', 'bTRC'].every((name) => isSrgbCurve(tags.get(name)));
}

/** Returns whether the profile describes RGB samples (ICC.1:2022, 7.2.8). */
export function isRgbProfile(profile: Uint8Array): boolean {
  return text(profile, 16, 20) === 'RGB ';
}

/**
 * Returns the linear light, 0..1, of a green sample at half signal. Returns undefined for profiles that are not RGB, that use
 * lookup tables, or that cannot be read.
 */
export function midtone(profile: Uint8Array): number | undefined {
  const tags = tagTable(profile);
  if (text(profile, 16, 20) !== 'RGB ' || tags.has('A2B0')) return undefined;
  const tag = tags.get('gTRC');
  return tag && toneCurve(tag)?.(0.5);
}

function tagTable(profile: Uint8Array): Map<string, Uint8Array> {
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

/** Reads an s15Fixed16Number (ICC specification). */
function fixedPoint(bytes: Uint8Array, at: number): number {
  return ((uint32(bytes, at) ?? 0) | 0) / 65536;
}

function isSrgbCurve(tag: Uint8Array | undefined): boolean {
  const curve = tag && toneCurve(tag);
  if (!curve) return false;
  return [0.02, 0.1, 0.25, 0.5, 0.75, 0.9].every(
    (x) => Math.abs(curve(x) - srgbToLinear(x)) <= CURVE_TOLERANCE,
  );
}

function srgbToLinear(x: number): number {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

/** Returns a `curv` or `para` tag as a function on 0..1; undefined for types that display profiles rarely use. */
function toneCurve(tag: Uint8Array): ((x: number) => number) | undefined {
  if (text(tag, 0, 4) === 'curv') {
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
  const kind = text(tag, 0, 4) === 'para' ? uint16(tag, 8) : undefined;
  if (kind === 0 && tag.length >= 16) {
    const gamma = fixedPoint(tag, 12);
    return (x) => x ** gamma;
  }
  if (kind === 3 && tag.length >= 32) {
    const [g, a, b, c, d] = [0, 1, 2, 3, 4].map((i) => fixedPoint(tag, 12 + i * 4));
    return (x) => (x >= d ? (a * x + b) ** g : c * x);
  }
  return undefined;
}
