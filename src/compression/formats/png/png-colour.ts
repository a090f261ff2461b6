/** The chunks of a PNG that define its colours for viewers (W3C PNG, third edition, 4.3 and 11.3.2). */
import { inflateSync } from 'node:zlib';
import { uint32 } from '../bytes';
import {
  isLikeSrgb,
  isPlainSrgb,
  isUsable,
  isWide,
  readMatrixProfile,
  readColourSpace,
} from '../icc-profile';
import type { PngChunk } from './png-chunks';

/** Real ones are smaller than 2 MB. */
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
/** Other lengths mean damage; some decoders ignore such chunks, others fail. */
const COLOUR_CHUNK_BYTES: Readonly<Record<string, number>> = {
  gAMA: 4,
  cHRM: 32,
  sRGB: 1,
  cICP: 4,
  mDCV: 24,
  cLLI: 8,
};
/** gAMA of sRGB images: 1/2.2 in units of 1/100000, rounded in several ways. */
const SRGB_GAMMA = { min: 45_445, max: 45_465 };

/** cICP of sRGB: BT.709 primaries, sRGB transfer, RGB, full range (ITU-T H.273). */
const SRGB_CICP = [1, 13, 0, 1];
/** Transfer functions of H.273 that are close to sRGB: BT.709 and similar ones, but not PQ, HLG and linear light. */
const SRGB_LIKE_TRANSFERS = new Set([1, 4, 6, 13, 14, 15]);

/** Film, BT.2020 and XYZ in H.273: see isWide. */
const WIDE_PRIMARIES = [8, 9, 10];

/** Viewers ignore these after the palette. */
const BEFORE_PALETTE = ['cICP', 'mDCV', 'cLLI'];
const MAX_NAME_BYTES = 79;

/**
 * Returns none if they mean sRGB, the default. Precedence: cICP, iCCP, sRGB, then gAMA with cHRM (PNG 4.3).
 * With cICP, the next in order is kept too, for viewers that do not support cICP. Chunks that Chromium ignores are left out.
 */
export function meaningfulColourChunks(chunks: readonly PngChunk[]): PngChunk[] {
  const until = (type: string) => {
    const end = chunks.findIndex((chunk) => chunk.type === type);
    return end < 0 ? chunks : chunks.slice(0, end);
  };
  const [beforePalette, beforeData] = [until('PLTE'), until('IDAT')];
  const isRead = ({ type, data }: PngChunk) =>
    data.length === (COLOUR_CHUNK_BYTES[type] ?? data.length) &&
    !(type === 'iCCP' && data.indexOf(0) > MAX_NAME_BYTES);
  const find = (type: string) => {
    const early = BEFORE_PALETTE.includes(type) && beforePalette.length < beforeData.length;
    const found = (early ? beforePalette : beforeData).find((chunk) => chunk.type === type && isRead(chunk));
    return found ? [found] : [];
  };
  const cicp = find('cICP').at(0);
  const others = meaningfulWithoutCicp(find);
  if (!cicp) return others;
  const saysSrgb = SRGB_CICP.every((value, i) => cicp.data[i] === value);
  return saysSrgb && others.length === 0 ? [] : [cicp, ...find('mDCV'), ...find('cLLI'), ...others];
}

function meaningfulWithoutCicp(find: (type: string) => PngChunk[]) {
  const iccp = find('iCCP').at(0);
  const profile = iccp && inflateProfile(iccp);
  const isShown = profile !== undefined && isUsable(profile);
  // Viewers ignore a damaged profile, or the whole file.
  const others = isShown || find('sRGB').length > 0 ? [] : meaningfulGamma(find('gAMA'), find('cHRM'));
  return iccp && !(profile && isPlainSrgb(profile)) ? [iccp, ...others] : others;
}

/** With cHRM, viewers apply the exact power of gAMA; in Chromium, 1/2.2 with the primaries of sRGB darkens shadows. */
function meaningfulGamma(gamma: PngChunk[], chromaticities: PngChunk[]) {
  const power = gamma.length > 0 ? uint32(gamma[0].data, 0) : undefined;
  if (!power) return [];
  const saysSrgb = chromaticities.length === 0 && power >= SRGB_GAMMA.min && power <= SRGB_GAMMA.max;
  return saysSrgb ? [] : [...gamma, ...chromaticities];
}

/** Scores and palettes need RGB with a perceptual scale and a gamut similar to sRGB. Returns false if unknown. */
export function isSrgbLike(colourChunks: readonly PngChunk[]): boolean {
  return colourChunks.every((chunk) => {
    const { type, data } = chunk;
    if (type === 'cICP') return SRGB_LIKE_TRANSFERS.has(data[1]) && !WIDE_PRIMARIES.includes(data[0]);
    if (type === 'gAMA') return isLikeSrgb((sample) => sample ** (100_000 / (uint32(data, 0) ?? 0)));
    if (type !== 'iCCP') return true;
    const profile = inflateProfile(chunk);
    const matrix = profile && readMatrixProfile(profile);
    return matrix !== undefined && isLikeSrgb(matrix.curves[1]) && !isWide(matrix.primaries);
  });
}

/** Returns whether grey samples look the same as equal samples of red, green and blue; a profile may be for RGB alone. */
export function mayBeGrey(colourChunks: readonly PngChunk[]): boolean {
  return colourChunks.every(({ type }) => type === 'gAMA' || type === 'cHRM');
}

export function embeddedProfile(colourChunks: readonly PngChunk[]): Uint8Array | undefined {
  const iccp = colourChunks.find(({ type }) => type === 'iCCP');
  return iccp && inflateProfile(iccp);
}

/** Inflates iCCP: a name, a zero, the compression method (0), the deflated profile. Undefined if damaged or too large. */
function inflateProfile({ data }: PngChunk): Uint8Array | undefined {
  const nameEnd = data.indexOf(0);
  if (nameEnd < 0) return undefined;
  try {
    const profile = inflateSync(data.subarray(nameEnd + 2), { maxOutputLength: MAX_PROFILE_BYTES });
    return readColourSpace(profile) === undefined ? undefined : profile;
  } catch {
    return undefined;
  }
}
