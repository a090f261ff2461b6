/** The colour space of a PNG (W3C PNG, third edition, 4.3 and 11.3.2). */
import { inflateSync } from 'node:zlib';
import { uint32 } from '../byte-reader';
import { isPlainSrgb, midtone } from '../icc-profile';
import type { PngChunk } from './png-chunks';

/** Limit for inflating a colour profile; real ones are smaller than 2 MB. */
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
/** Correct lengths. Chunks of another length are damaged; some decoders ignore them, others fail. */
const COLOUR_CHUNK_BYTES: Readonly<Record<string, number>> = {
  gAMA: 4,
  cHRM: 32,
  sRGB: 1,
  cICP: 4,
  mDCV: 24,
  cLLI: 8,
};
/** gAMA of sRGB images: 1/2.2 in units of 1/100000. */
const SRGB_GAMMA = 45455;
/** cHRM of sRGB (white, red, green, blue as x, y in units of 1/100000). */
const SRGB_CHROMATICITIES = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];

/** cICP of sRGB: BT.709 primaries, sRGB transfer, RGB, full range (ITU-T H.273). */
const SRGB_CICP = [1, 13, 0, 1];
/** Transfer functions of H.273 that are close to sRGB: BT.709 and similar ones. PQ, HLG and linear light are not. */
const SRGB_LIKE_TRANSFERS = new Set([1, 4, 6, 13, 14, 15]);
/** Linear light at half signal: 0.21 for sRGB, 0.29 for gamma 1.8, 0.16 for gamma 2.6, 0.5 for linear samples. */
const SRGB_LIKE_MIDTONE = { min: 0.14, max: 0.33 };

/**
 * Returns the colour chunks to keep; none if they mean sRGB, which viewers assume by default. The precedence is cICP, iCCP,
 * sRGB, then gAMA with cHRM (PNG 4.3). With cICP, the next in order is kept too, for viewers that do not support cICP.
 */
export function meaningfulColourChunks(chunks: readonly PngChunk[]): PngChunk[] {
  const isWhole = ({ type, data }: PngChunk) => data.length === (COLOUR_CHUNK_BYTES[type] ?? data.length);
  const find = (type: string) => chunks.filter((chunk) => chunk.type === type && isWhole(chunk)).slice(0, 1);
  const cicp = find('cICP').at(0);
  const others = meaningfulWithoutCicp(find);
  if (!cicp) return others;
  const saysSrgb = SRGB_CICP.every((value, i) => cicp.data[i] === value);
  return saysSrgb && others.length === 0 ? [] : [cicp, ...find('mDCV'), ...find('cLLI'), ...others];
}

function meaningfulWithoutCicp(find: (type: string) => PngChunk[]): PngChunk[] {
  const iccp = find('iCCP').at(0);
  if (iccp) {
    const profile = profileOf(iccp);
    // A damaged profile is kept unchanged.
    return profile && isPlainSrgb(profile) ? [] : [iccp];
  }
  if (find('sRGB').length > 0) return [];
  const [gamma, chromaticities] = [find('gAMA').at(0), find('cHRM').at(0)];
  const saysSrgb =
    (!gamma || uint32(gamma.data, 0) === SRGB_GAMMA) &&
    (!chromaticities ||
      SRGB_CHROMATICITIES.every((value, i) => uint32(chromaticities.data, i * 4) === value));
  return saysSrgb ? [] : [...find('gAMA'), ...find('cHRM')];
}

/**
 * Returns whether the samples are RGB with a perceptual scale similar to sRGB. Scores and palettes are meaningful only then.
 * Returns false if it cannot be determined.
 * @param colourChunks the result of meaningfulColourChunks
 */
export function isSrgbLike(colourChunks: readonly PngChunk[]): boolean {
  return colourChunks.every((chunk) => {
    const { type, data } = chunk;
    if (type === 'cICP') return SRGB_LIKE_TRANSFERS.has(data[1]);
    if (type === 'gAMA') return isLikeSrgb(0.5 ** (100_000 / (uint32(data, 0) ?? 0)));
    if (type !== 'iCCP') return true;
    const profile = profileOf(chunk);
    return profile !== undefined && isLikeSrgb(midtone(profile) ?? 0);
  });
}

function isLikeSrgb(light: number): boolean {
  return light >= SRGB_LIKE_MIDTONE.min && light <= SRGB_LIKE_MIDTONE.max;
}

/** Returns the profile among the chunks; undefined if there is none or it is damaged. */
export function embeddedProfile(colourChunks: readonly PngChunk[]): Uint8Array | undefined {
  const iccp = colourChunks.find(({ type }) => type === 'iCCP');
  return iccp && profileOf(iccp);
}

/** Inflates iCCP: a name, a zero, the compression method (0), the deflated profile. Undefined if damaged or too large. */
function profileOf({ data }: PngChunk): Uint8Array | undefined {
  const nameEnd = data.indexOf(0);
  if (nameEnd < 0) return undefined;
  try {
    return inflateSync(data.subarray(nameEnd + 2), { maxOutputLength: MAX_PROFILE_BYTES });
  } catch {
    return undefined;
  }
}
