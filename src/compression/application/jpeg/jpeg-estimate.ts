/** Estimates the size of an opaque photo in a PNG as a JPG at the target, from a few trial encodes of its mosaic. */
import type { Dimensions } from '../../domain/dimensions';
import { withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import { mosaicOf } from '../../domain/search/mosaic';
import { chooseChroma } from '../../domain/search/quality-search';
import { likelyQuality, searchRange } from '../../domain/search/trial-curve';
import type { Work } from '../work';
import { PROGRESSIVE_SHARE } from './jpeg-search';
import { MosaicTrials } from './mosaic-trials';

/** In a PNG, photos take 5 bits per pixel and more, screenshots and drawings usually less than 1. */
const MIN_BITS_PER_PIXEL = 2;
const MIN_BYTES = 20_000;
/** An estimate is reported only if the JPG takes less than this share of the PNG. */
const MAX_SHARE = 0.6;

/**
 * Returns the estimated bytes; undefined if the PNG is not a photo or has transparency, or if a JPG would not be much smaller.
 * @param png a result of the PNG recipe, in sRGB
 */
export async function jpegEstimate(
  { engine, policy, stopwatch }: Work,
  png: Uint8Array,
  { width, height }: Dimensions,
): Promise<number | undefined> {
  const isPhotoLike = png.length >= MIN_BYTES && png.length * 8 >= width * height * MIN_BITS_PER_PIXEL;
  if (!isPhotoLike) return undefined;
  const decoded = await stopwatch.time('decode', () => engine.png.decode(png));
  const pixels = withoutRedundantChannels(decoded, true);
  if (pixels.channels === 2 || pixels.channels === 4) return undefined;
  const trials = new MosaicTrials(
    mosaicOf(pixels, undefined, { density: judgedDensity(pixels, policy.density) }),
    { codec: engine.jpeg, stopwatch },
  );
  const bytes = await predictedBytes(pixels, 1 - policy.targetScore, trials);
  return bytes < png.length * MAX_SHARE ? Math.round(bytes) : undefined;
}

async function predictedBytes(pixels: Pixels, allowedLoss: number, trials: MosaicTrials): Promise<number> {
  const modes = pixels.channels === 1 ? (['4:2:0'] as const) : (['4:4:4', '4:2:0'] as const);
  const curves = modes.map((chroma) => trials.curve(chroma));
  const { density = 1 } = trials.mosaic;
  const start = likelyQuality(allowedLoss, undefined, density);
  const { size } = await chooseChroma(curves, allowedLoss, searchRange(density), start);
  return PROGRESSIVE_SHARE * size * trials.areaRatio(pixels);
}
