/** Opens a PNG upload: see OpenedImage. */
import { cannotConvert, LOST_COLOURS, LOST_FRAMES } from '../../../contract/image-problems';
import { isLossless, QUALITY_TARGETS } from '../../domain/compression-policy';
import { fitsWithin } from '../../domain/dimensions';
import { graphicJudge, photoJudge } from '../../domain/judge';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { once } from '../../domain/once';
import { indexed } from '../../domain/palette/indexed-image';
import { asRgba, maxDifference, withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import { toneTables, withTones, type ToneCurves } from '../../domain/tone';
import type { PngSource } from '../../formats/image-header';
import { withEightBits } from '../../formats/png/png-depth';
import { staysNinePatch } from '../../formats/png/png-marks';
import { pngBlocks, withoutForeignChunks } from '../../formats/png/png-metadata';
import { readPngResultMarker } from '../../formats/png/png-result-marker';
import { pngColours } from '../../formats/png/png-shown-colours';
import { isResultFor } from '../../formats/result-policy';
import type { Result } from '../choose';
import { mayStay, type Context } from '../context';
import { searchJpeg } from '../jpeg/jpeg-codings';
import type { OpenedImage, ReducedPixels, ShownImage, View } from '../opened-image';
import { readPngHeader } from '../../formats/png/png-structure';
import { animationCodings } from './png-animation-coding';
import { pngCandidates } from './png-candidates';
import { losslessBytesPerSample } from './png-codings';
import { hasDeepSamples, preparePng, type PngImage } from './png-image';

/** @throws ImageRefused `cannot_convert` if an animation or a nine-patch would lose its frames, format, dimensions or background */
export async function openPng(source: PngSource, context: Context): Promise<OpenedImage> {
  if (source.structure.isAnimated) return openAnimation(source, context);
  if (await staysNinePatch(source, context.policy)) return openNinePatch(source, context);
  return openStill(source, context);
}

/** It is never scaled: browsers and libraries disagree about frames that are. */
function openAnimation(source: PngSource, context: Context): OpenedImage {
  if (!mayStay(context, 'png')) throw cannotConvert(LOST_FRAMES);
  const image = preparePng(source, context);
  return {
    ...openStill(source, context),
    size: source.dimensions,
    isFixed: true,
    mustChange: false,
    codings: () => Promise.resolve(animationCodings(image)),
    unchanged: () => unchanged(source, context, 'animated'),
  };
}

/** Its frame, or the chunks that Android's build makes from it, say where it stretches: no pixel may change. */
function openNinePatch(source: PngSource, context: Context): OpenedImage {
  const { policy } = context;
  if (!mayStay(context, 'png') || !fitsWithin(source.dimensions, policy) || policy.background)
    throw cannotConvert({
      reason: 'nine-patch',
      words: 'it is an Android nine-patch, which keeps its format, its size and its background',
    });
  const exact = { ...policy, targetScore: QUALITY_TARGETS.lossless };
  return { ...openStill(source, { ...context, policy: exact }), isFixed: true };
}

/** See canEnd: without any trial, 11 PNGs took 77 to 655 ms a megapixel. */
const LEAST_MS = 300;

function openStill(source: PngSource, context: Context, larger?: PngImage): OpenedImage {
  const image = preparePng(source, context, larger);
  const { size, isScaled, isFlattened } = image;
  const mustChange = isScaled || isFlattened;
  return {
    source,
    size,
    isFixed: false,
    leastMs: LEAST_MS,
    mustChange,
    codings: async () => {
      if (!mustChange && isEarlierResult(image)) return [];
      return (await pngCandidates(image)).map((one) => ({
        ...one,
        make: (...args) => namingDepth(image, one.make(...args)),
      }));
    },
    unchanged: () => unchanged(source, context, 'already-optimised'),
    shown: (own) => shownImage(image, own),
    reopen: (other) => openStill(source, other, isScaled ? image : undefined),
    estimateAsJpeg: (result) => estimateAsJpeg(image, result),
  };
}

/** Scaling, a background or a byte limit may reduce 16 bits a sample to 8; the report names that, unless all samples fit into 8. */
async function namingDepth(image: PngImage, making: Promise<Result | undefined>) {
  const made = await making;
  return made && readPngHeader(made.bytes).bitDepth <= 8 && hasDeepSamples(image)
    ? { ...made, removed: [...(made.removed ?? []), 'bit-depth' as const] }
    : made;
}

/** Returns the image that results are compared with. */
export function viewPng(source: PngSource, context: Context): View {
  const image = preparePng(source, context);
  const colours = pngColours(source.structure);
  return {
    colours: Buffer.concat(source.structure.colourChunks.map(({ raw }) => raw)),
    stored: image.pixels,
    shown: colours && (() => shownPixels(image, colours.curves)),
    icc: colours?.icc,
  };
}

function isEarlierResult({ source, policy, density }: PngImage) {
  return isResultFor(readPngResultMarker(source.structure.chunks), { ...policy, density });
}

function unchanged(
  source: PngSource,
  { policy: { keepMetadata: keep } }: Context,
  skipReason: Result['skipReason'] & string,
): Result {
  const { bytes, structure, dimensions } = source;
  const same = { format: 'png', bytes, score: 1, maxError: 0, dimensions, skipReason } as const;
  const copy = keep === 'all' ? undefined : withoutForeignChunks(bytes, structure, keep);
  return copy ? { ...same, bytes: copy } : same;
}

/** Lossless estimates of a part, at a fast zlib level: photos take some 10 bits per pixel, screenshots and drawings usually less than 3. */
const PHOTO_BITS_PER_PIXEL = 5;
/** The same for grey and sepia photos, which have at most 256 colours. */
const TINTED_BITS_PER_PIXEL = 3;
/** Shares of neighbours that are equal, and that differ by at most 12 of 255. */
const MOST_EQUAL = 0.4;
const LEAST_CLOSE = 0.5;
const MOST_CLOSE = 12;
const ESTIMATED_PIXELS = 250_000;

/** @throws ImageRefused `cannot_convert` if its colours have no equivalent in other formats */
async function shownImage(image: PngImage, own: () => Promise<Result>): Promise<ShownImage> {
  const { policy, density, source, written, isFitted, decodedUpload } = image;
  const isLossyUpload = decodedUpload?.isLossy === true;
  const { structure } = source;
  const colours = pngColours(structure);
  if (!colours) throw cannotConvert(LOST_COLOURS);
  const { icc, curves } = colours;
  const pixels = await shownPixels(image, curves);
  const compact = withoutRedundantChannels(pixels, icc === undefined);
  const isPhoto = isLossyUpload || isPhotographic(compact, pixels);
  // Coding noise makes any lossy upload look like a photo; one with transparency is mostly a drawing.
  const isShape = isLossyUpload && compact.channels % 2 === 0;
  const { blocks, removed } = pngBlocks(structure.chunks, written);
  return {
    pixels: compact,
    isPhoto,
    density,
    metadata: { ...(icc && { icc }), ...blocks },
    isConverted: curves !== undefined,
    removed: [
      ...(hasDeepSamples(image) ? (['bit-depth'] as const) : []),
      ...(colours.hasOtherProfile ? (['colour-profile'] as const) : []),
      ...removed,
    ],
    reduced: isPhoto ? undefined : once(() => reducedPixels(image, own, compact, curves)),
    judge: () =>
      (isPhoto && !isShape) || isFitted
        ? photoJudge(compact, 1 - policy.targetScore, density)
        : graphicJudge(pixels, policy.targetScore, density),
  };
}

/** A graphic is compressed as a PNG first: its reduced pixels take fewer bytes in other formats too. */
async function reducedPixels(
  { codec }: PngImage,
  own: () => Promise<Result>,
  original: Pixels,
  curves: ToneCurves | undefined,
): Promise<ReducedPixels | undefined> {
  const { bytes, score, maxError, skipReason } = await own();
  if (skipReason !== undefined || score === 1) return undefined;
  const decoded = await codec.decode(bytes);
  if (!curves) return { pixels: decoded, score, ...(maxError !== undefined && { maxError }) };
  const pixels = withTones(decoded, curves);
  const isPalette = maxError === undefined;
  return { pixels, score, ...(!isPalette && { maxError: maxDifference(asRgba(original), pixels) }) };
}

/** Returns the pixels as 8-bit RGBA; applies the curve to 16-bit samples before they lose precision. */
async function shownPixels(image: PngImage, curves: ToneCurves | undefined) {
  if (!curves) return image.pixels();
  const eight = withEightBits(await image.plain(), true, () => toneTables(curves, 65_536));
  return eight ? image.codec.decode(eight) : withTones(await image.pixels(), curves);
}

function isPhotographic(compact: Pixels, rgba: Pixels) {
  if (compact.channels % 2 === 0) return false;
  const part = sampleBands(compact, ESTIMATED_PIXELS);
  const bitsPerPixel = losslessBytesPerSample(part) * compact.channels * 8;
  const hasFewColours = indexed(rgba) !== undefined;
  return hasFewColours
    ? bitsPerPixel >= TINTED_BITS_PER_PIXEL && isContinuous(part)
    : bitsPerPixel >= PHOTO_BITS_PER_PIXEL;
}

/** Returns whether neighbours seldom are equal and mostly differ little, as in grey and sepia photos. */
function isContinuous({ width, height, channels, data }: Pixels) {
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

/** Of a finished PNG, lossy where that is allowed: photos take 5 bits per pixel and more, screenshots and drawings usually less than 1. */
const MIN_BITS_PER_PIXEL = 2;
const MIN_BYTES = 20_000;
const MAX_SHARE = 0.6;

/** Returns the bytes of an opaque photo as a JPG at the target; undefined if they would not be much fewer. */
async function estimateAsJpeg(
  { engine, policy, stopwatch, source, timeLimit }: PngImage,
  { bytes, format, dimensions }: Result,
) {
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
  const { attempts } = searchJpeg({ engine, policy, stopwatch }, { pixels, density, chromaModes, loss });
  const estimate = (await attempts())[0].bytes;
  return estimate < bytes.length * MAX_SHARE ? Math.round(estimate) : undefined;
}
