/** What the samples of a PNG mean as colours (W3C PNG, third edition, 4.3 and 11.3.2). */
import { inflateSync } from 'node:zlib';
import { uint32 } from '../byte-reader';
import { isPlainSrgb, midtone } from '../icc-profile';
import type { PngChunk } from './png-chunks';

/** A colour profile that inflates to more than this is not looked into (real ones stay under 2 MB). */
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
/** Chunks of another length are damaged; decoders ignore them, and some of them fail over them. */
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

/** What cICP says of sRGB: BT.709 primaries, sRGB transfer, RGB, full range (ITU-T H.273). */
const SRGB_CICP = [1, 13, 0, 1];
/** Transfers of H.273 that are close to sRGB's: BT.709 and its kin, sRGB. Not so PQ, HLG and linear light. */
const SRGB_LIKE_TRANSFERS = new Set([1, 4, 6, 13, 14, 15]);
/** Light at half signal: sRGB has 0.21, a gamma of 1.8 has 0.29, one of 2.6 has 0.16; linear light has 0.5. */
const SRGB_LIKE_MIDTONE = { least: 0.14, most: 0.33 };

/**
 * Precedence of the specification (PNG 4.3): cICP over iCCP over sRGB over gAMA with cHRM. The winner is kept, and
 * what stands in for cICP where that is not known yet; and only when they say something else than sRGB, which is what
 * viewers assume without any.
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
    // A damaged profile is kept as it is.
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
 * Whether equal steps of the samples look about equally large, as in sRGB, and are R, G and B: only then do the scores
 * and a palette make sense. What cannot be told counts as no.
 * @param colourChunks those that are kept.
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
  return light >= SRGB_LIKE_MIDTONE.least && light <= SRGB_LIKE_MIDTONE.most;
}

/** iCCP: a name, a zero, the compression method (0), the deflated profile. Undefined when it is damaged or huge. */
function profileOf({ data }: PngChunk): Uint8Array | undefined {
  const nameEnd = data.indexOf(0);
  if (nameEnd < 0) return undefined;
  try {
    return inflateSync(data.subarray(nameEnd + 2), { maxOutputLength: MAX_PROFILE_BYTES });
  } catch {
    return undefined;
  }
}
