/**
 * AVIF and WebP by libvips (sharp): libaom, tuned for still images (`iq`), and libwebp, each in one thread.
 * AVIF keeps chroma at full resolution.
 */
import type { ResultCodec } from '../../../application/codecs.port';
import { blankLike, crop, type Raster } from '../../../domain/pixels';
import { readAvifLayout, withStoredLayout, type AvifLayout } from '../../../formats/avif/avif-header';
import { rewriteAvif } from '../../../formats/avif/avif-metadata';
import { allRoundedToEight } from '../../../formats/png/png-depth';
import { rewriteWebp } from '../../../formats/webp/webp-file';
import { rotateUpright } from '../raster';
import { decodeDeep, decodeResult, decodeUpload, openPixels } from './sharp-pipeline';

const avif: ResultCodec = {
  async encode(pixels, { quality, effort, bitDepth = 8, metadata = {} }) {
    const options = { quality, effort, chromaSubsampling: '4:4:4', tune: 'iq', bitdepth: bitDepth } as const;
    const avif = await openPixels(pixels, bitDepth).avif(options).toBuffer();
    return rewriteAvif(avif, { blocks: metadata });
  },
  async decode(avif) {
    const { bitDepth } = readAvifLayout(avif);
    if (bitDepth === 8) return decodeResult(avif);
    // sharp would cut off the lower bits.
    const { data, ...size } = await decodeDeep(avif);
    fillLowerBits(data, bitDepth);
    return { ...size, data: allRoundedToEight(data as Uint16Array) };
  },
  async decodeUpload(avif) {
    const layout = readAvifLayout(avif);
    // libheif also expands a limited range twice if it cuts at an odd place.
    const turnsHere = layout.isAlphaApart || layout.clip !== undefined;
    const decoded = turnsHere ? await decodeTurned(avif, layout) : await decodeUpload(avif);
    fillLowerBits(decoded.data, layout.bitDepth);
    // libheif applies all properties but these.
    if (layout.isPremultiplied) divideByAlpha(decoded);
    return fullGrey(decoded, layout);
  },
};

/** libheif turns and cuts colours and alpha each by properties of its own. */
async function decodeTurned(avif: Uint8Array, { clip, orientation }: AvifLayout): Promise<Raster> {
  const stored: Raster = await decodeUpload(withStoredLayout(avif));
  return rotateUpright(clip ? crop(stored, clip, clip) : stored, orientation);
}

/** libheif puts 10 or 12 bits above zeros: white would be 65 472 of 65 535. */
function fillLowerBits(data: Uint8Array | Uint16Array, bitDepth: number) {
  if (data instanceof Uint16Array) for (let i = 0; i < data.length; i++) data[i] |= data[i] >> bitDepth;
}

function divideByAlpha({ channels, data }: Raster) {
  if (channels % 2 === 1) return;
  const most = data instanceof Uint16Array ? 65_535 : 255;
  for (let at = 0; at < data.length; at += channels) {
    const alpha = data[at + channels - 1];
    for (let c = 0; c < channels - 1 && alpha > 0; c++)
      data[at + c] = Math.min(most, Math.round((data[at + c] * most) / alpha));
  }
}

/**
 * Returns an image with luma only as grey samples in full range: black is 0, white 255 or 65 535. libheif returns three equal
 * channels of it, and does not expand the limited range of video. Other images stay as they are.
 */
function fullGrey(raster: Raster, { isMonochrome, isLimited, bitDepth }: AvifLayout): Raster {
  if (!isMonochrome) return raster;
  const { channels, data } = raster;
  const isTransparent = channels % 2 === 0;
  const kept = isTransparent ? 2 : 1;
  const blank: Raster = blankLike({ ...raster, channels: kept }, raster);
  const { data: grey } = blank;
  const [most, steps] = [data instanceof Uint16Array ? 65_535 : 255, 2 ** bitDepth - 1];
  // ITU-T H.273, 8.3: 219 steps above 16, each of 2^(bits - 8).
  const [black, range] = [16, 219].map((level) => (level * 2 ** (bitDepth - 8) * most) / steps);
  const expanded = (sample: number) =>
    Math.max(0, Math.min(most, Math.round(((sample - black) * most) / range)));
  for (let from = 0, to = 0; to < grey.length; from += channels, to += kept) {
    grey[to] = isLimited ? expanded(data[from]) : data[from];
    if (isTransparent) grey[to + 1] = data[from + channels - 1];
  }
  return blank;
}

/** libwebp reads the quality of a lossless image as effort; more than this takes much longer and saves little. */
const LOSSLESS_QUALITY = 80;

/** sharp reads the quality as libwebp's level of near-lossless coding, which falls by 20 a bit. */
function losslessCoding(lostBits: number) {
  if (lostBits === 0) return { quality: LOSSLESS_QUALITY, lossless: true };
  return { quality: 100 - 20 * lostBits, nearLossless: true };
}

const webp: ResultCodec = {
  async encode(pixels, { quality, effort, hasSharpChroma = true, isLossless, lostBits = 0, metadata = {} }) {
    const coding = isLossless
      ? losslessCoding(lostBits)
      : { quality, smartSubsample: hasSharpChroma, alphaQuality: 100 };
    const webp = await openPixels(pixels)
      .webp({ effort, ...coding })
      .toBuffer();
    return rewriteWebp(webp, { blocks: metadata });
  },
  decode: decodeResult,
};

export function createSharpResultCodecs() {
  return { avif: { ...avif }, webp: { ...webp } };
}
