import { cannotConvert } from '../../../contract/image-problems';
import { isLossless, QUALITY_TARGETS, type CompressionPolicy } from '../../domain/compression-policy';
import { fitWithin, sameSize } from '../../domain/dimensions';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { indexed } from '../../domain/palette/indexed-image';
import { asRgba, maxDifference, withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import { toneTables, withTones, type ToneCurves } from '../../domain/tone';
import type { PngSource } from '../../formats/image-header';
import { editorLayers } from '../../formats/png/editor-layers';
import { isNinePatchFile } from '../../formats/png/png-marks';
import { pngBlocks } from '../../formats/png/png-metadata';
import { readChunks } from '../../formats/png/png-chunks';
import { withEightBits } from '../../formats/png/png-depth';
import { pngColours } from '../../formats/png/png-shown-colours';
import { JpegSearch } from '../jpeg/jpeg-search';
import { losslessBytesPerSample } from '../png/png-codings';
import { compressOpenedPng, compressPng } from '../png/png-recipe';
import { PngWork } from '../png/png-work';
import type { Outcome } from '../outcome';
import { mayStay, once, type Work } from '../work';
import type { Convertible, ReducedPixels, Result, Upload } from './upload';
import { graphicJudge, photoJudge } from '../results/judge';

export const pngUpload: Upload<PngSource> = {
  async fixed({ source, policy }) {
    if (source.structure.isAnimated) return compressAnimation;
    return (await staysNinePatch(source, policy)) ? compressNinePatch : undefined;
  },
  compress: compressPng,

  losesByConversion({ structure }) {
    const colours = pngColours(structure);
    return !colours || colours.hasOtherProfile === true || colours.needsProfile === true;
  },

  /** A PNG is compressed as a PNG first: its reduced pixels take fewer bytes in other formats too. */
  async open(upload) {
    const work = new PngWork(upload);
    const image = await convertible(work);
    const curves = pngColours(upload.source.structure)?.curves;
    const own = once(() => compressOpenedPng(work));
    const reduced = once(async (): Promise<ReducedPixels | undefined> => {
      const outcome = await own();
      if ('skipReason' in outcome || outcome.score === 1) return undefined;
      const { bytes, score, maxError } = outcome;
      const decoded = await work.codec.decode(bytes);
      const pixels = curves ? withTones(decoded, curves) : decoded;
      const shownError = curves ? maxDifference(asRgba(image.pixels), pixels) : maxError;
      return { pixels, score, ...(maxError === undefined ? {} : { maxError: shownError }) };
    });
    return {
      image: image.isPhoto ? image : { ...image, reduced },
      own,
      ownBytes: async () => (await own()).bytes.length,
    };
  },

  view(upload) {
    const work = new PngWork(upload);
    const { structure } = upload.source;
    const colours = pngColours(structure);
    return {
      colours: Buffer.concat(structure.colourChunks.map(({ raw }) => raw)),
      stored: work.pixels,
      shown: colours && (() => shownPixels(work, colours.curves)),
      icc: colours?.icc,
    };
  },

  describeUnchanged: () => ({ maxError: 0 }),

  async describeResult(work, result) {
    const asJpeg = await estimateAsJpeg(work, result);
    return {
      ...(losesLayers(work.source, result) ? { removed: ['editor-layers'] } : {}),
      ...(asJpeg === undefined ? {} : { jpegEstimate: asJpeg }),
    };
  },
};

function compressAnimation(work: Work<PngSource>): Promise<Outcome> {
  if (!mayStay(work)) {
    const words = 'it is animated, and the result would lose its frames';
    throw cannotConvert({ reason: 'animation', words });
  }
  return compressPng(work);
}

/** Its frame, or the chunks that Android's build makes from it, say where it stretches: no pixel may change. */
function compressNinePatch(work: Work<PngSource>): Promise<Outcome> {
  const { source, policy } = work;
  const isSameSize = sameSize(fitWithin(source.dimensions, policy), source.dimensions);
  if (!mayStay(work) || !isSameSize || policy.background) {
    const words = 'it is an Android nine-patch, which keeps its format, its size and its background';
    throw cannotConvert({ reason: 'nine-patch', words });
  }
  return compressPng({ ...work, policy: { ...policy, targetScore: QUALITY_TARGETS.lossless } });
}

/** One that exceeds the deployment's maximum size is scaled like other images. */
export async function staysNinePatch(
  { structure, dimensions }: PngSource,
  { maxDimensionPx, defaultMaxDimensionPx = maxDimensionPx }: CompressionPolicy,
): Promise<boolean> {
  const byDefault = fitWithin(dimensions, { maxDimensionPx: defaultMaxDimensionPx });
  return sameSize(byDefault, dimensions) && (await isNinePatchFile(structure));
}

/** In a PNG, photos take some 10 bits per pixel without loss, screenshots and drawings usually less than 3. */
const PHOTO_BITS_PER_PIXEL = 5;
/** The same for grey and sepia photos, which have at most 256 colours. */
const TINTED_BITS_PER_PIXEL = 3;
/** Shares of neighbours that are equal, and that differ by at most 12 of 255. */
const MOST_EQUAL = 0.4;
const LEAST_CLOSE = 0.5;
const MOST_CLOSE = 12;
const ESTIMATED_PIXELS = 250_000;

/** @throws ImageRefused `cannot_convert` if its colours have no equivalent in other formats */
async function convertible(work: PngWork): Promise<Convertible> {
  const { policy, size, density, source } = work;
  const { structure } = source;
  const colours = pngColours(structure);
  if (!colours)
    throw cannotConvert({
      reason: 'colours',
      words:
        'no other format can describe its colours (PQ, HLG, another curve that only cICP names, or a profile for Lab)',
    });
  const { icc, curves } = colours;
  const pixels = await shownPixels(work, curves);
  const compact = withoutRedundantChannels(pixels, icc === undefined);
  const isPhoto = isPhotographic(compact, pixels);
  const { blocks, removed } = pngBlocks(structure.chunks, work.written);
  return {
    pixels: compact,
    dimensions: size,
    isPhoto,
    density,
    metadata: { ...(icc ? { icc } : {}), ...blocks },
    removed: [
      ...((await work.hasDeepSamples()) ? (['bit-depth'] as const) : []),
      ...(colours.hasOtherProfile ? (['colour-profile'] as const) : []),
      ...removed,
    ],
    isConverted: curves !== undefined,
    judge: () =>
      isPhoto || policy.fit
        ? photoJudge(compact, 1 - policy.targetScore, density)
        : graphicJudge(pixels, policy.targetScore, density),
  };
}

/** Returns the pixels as 8-bit RGBA; applies the curve to 16-bit samples before they lose precision. */
async function shownPixels(work: PngWork, curves: ToneCurves | undefined): Promise<Pixels> {
  if (!curves) return work.pixels();
  const deep = withEightBits(await work.plain(), true, () => toneTables(curves, 65_536));
  return deep ? work.codec.decode(deep.png) : withTones(await work.pixels(), curves);
}

function isPhotographic(compact: Pixels, rgba: Pixels): boolean {
  if (compact.channels % 2 === 0) return false;
  const part = sampleBands(compact, ESTIMATED_PIXELS);
  const bitsPerPixel = losslessBytesPerSample(part) * compact.channels * 8;
  const hasFewColours = indexed(rgba) !== undefined;
  return hasFewColours
    ? bitsPerPixel >= TINTED_BITS_PER_PIXEL && isContinuous(part)
    : bitsPerPixel >= PHOTO_BITS_PER_PIXEL;
}

/** Returns whether neighbours seldom are equal and mostly differ little, as in grey and sepia photos. */
function isContinuous({ width, height, channels, data }: Pixels): boolean {
  let [equal, close] = [0, 0];
  for (let y = 0; y < height; y++) {
    for (let at = y * width * channels, end = at + (width - 1) * channels; at < end; at += channels) {
      const difference = Math.abs(data[at] - data[at + channels]);
      if (difference === 0) equal++;
      else if (difference <= MOST_CLOSE) close++;
    }
  }
  const pairs = (width - 1) * height;
  return equal < pairs * MOST_EQUAL && close > pairs * LEAST_CLOSE;
}

/** In a PNG, photos take 5 bits per pixel and more, screenshots and drawings usually less than 1. */
const MIN_BITS_PER_PIXEL = 2;
const MIN_BYTES = 20_000;
const MAX_SHARE = 0.6;

/** Returns the bytes of an opaque photo as a JPG at the target; undefined if they would not be much fewer. */
async function estimateAsJpeg(
  { engine, policy, stopwatch, source, timeLimit }: Work<PngSource>,
  { bytes, format, dimensions }: Result,
): Promise<number | undefined> {
  const { isSrgbLike, isAnimated } = source.structure;
  if (format !== 'png' || !isSrgbLike || isAnimated || isLossless(policy) || timeLimit?.wasReached)
    return undefined;
  const bits = (8 * bytes.length) / (dimensions.width * dimensions.height);
  if (bytes.length < MIN_BYTES || bits < MIN_BITS_PER_PIXEL) return undefined;
  const decoded = await stopwatch.time('decode', () => engine.png.decode(bytes));
  const pixels = withoutRedundantChannels(decoded, true);
  if (pixels.channels % 2 === 0) return undefined;
  const density = judgedDensity(pixels, policy.density);
  const chromaModes = pixels.channels === 1 ? (['4:2:0'] as const) : (['4:4:4', '4:2:0'] as const);
  const loss = 1 - policy.targetScore;
  const search = new JpegSearch(
    { engine, policy, stopwatch },
    { pixels, dimensions, density, chromaModes, loss },
  );
  const estimate = (await search.predict()).bytes;
  return estimate < bytes.length * MAX_SHARE ? Math.round(estimate) : undefined;
}

function losesLayers({ structure }: PngSource, { bytes, format }: Result): boolean {
  const stored = editorLayers(structure.chunks).length;
  if (stored === 0) return false;
  return format !== 'png' || editorLayers(readChunks(bytes)).length < stored;
}
