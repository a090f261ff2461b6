/**
 * Compares any image with its original, as results are compared: at the size of the image, at a density, in the same colours. Runs in a
 * worker. Refuses what cannot be compared pixel by pixel: animations, crops, rotations, other colours.
 */
import {
  cannotCompare,
  largerThanOriginal,
  otherShape,
  refuseOriginal,
  undecodableResult,
} from '../../../contract/comparison-problems';
import { Formats, type ResultFormatName } from '../../../contract/formats';
import { MOST_DIMENSION_PX, type CompressionPolicy } from '../../domain/compression-policy';
import type { ComparedImage } from '../../domain/compression-report';
import { fitWithin, type Dimensions } from '../../domain/dimensions';
import { withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import { comparePixels } from '../../domain/score/compare-pixels';
import { haveSameColours, isSrgb } from '../../formats/icc-profile';
import { readResultHeader } from '../../formats/result-header';
import { pngOfPixels } from '../../formats/png/png-chunks';
import type { Context } from '../context';
import type { View } from '../opened-image';
import { findResultFormat, SOURCE_CODE } from '../formats';
import { readPixels } from '../read-upload';
import { readSource, type Source } from '../../formats/image-header';
import { pngOfUpload } from '../../formats/png/png-of-upload';

/** The profile of samples without one. */
const SRGB = new Uint8Array();
/** Encoders round the shorter side differently. */
const MOST_ROUNDING_PX = 1;

/** @param wantsMap makes a PNG of the amplified differences. @throws ImageRefused */
export async function compareImages(
  original: Uint8Array,
  bytes: Uint8Array,
  context: Context,
  wantsMap: boolean,
): Promise<ComparedImage> {
  const { stopwatch } = context;
  const source = await readStill(original, context).catch(refuseOriginal);
  const image = await openImage(bytes, source, context);
  const { dimensions, format, isLossy } = image;
  refuseOtherShape(source.dimensions, dimensions);
  const isSameFormat = format === formatsOf(context).ofUpload(original);
  const view = viewAt(dimensions, source, context);
  const [before, after] = await inTheSameColours(view, image, isSameFormat).catch(async (error: unknown) => {
    // Either of the two may be damaged.
    await view.stored().catch(refuseOriginal);
    throw error;
  });
  const density = judgedDensity(dimensions, context.policy.density);
  const lossWeight = isLossy ? findResultFormat(context.engine, format)?.lossWeight?.(density) : 1;
  const { score, maxError, map, ...comparison } = await stopwatch.time('verify', () =>
    comparePixels(before, after, density, lossWeight),
  );
  return {
    bytes: wantsMap ? pngOfPixels(withoutRedundantChannels(map, false)) : new Uint8Array(),
    report: {
      format,
      originalSize: original.length,
      compressedSize: bytes.length,
      bytesSaved: Math.max(0, original.length - bytes.length),
      score,
      maxError,
      ...(density > 1 && { density }),
      originalDimensions: source.dimensions,
      dimensions,
      timings: stopwatch.timings(),
      encodes: 0,
      comparison,
    },
  };
}

function formatsOf({ engine }: Context) {
  return engine.knownFormats ?? Formats.builtIn;
}

/** Shows how much memory it takes, by the header alone. A format of a package counts with the size of the original. */
export function comparisonPolicy<Policy extends CompressionPolicy>(
  policy: Policy,
  image: Uint8Array,
  formats: Formats,
): Policy {
  const { format, dimensions } = readResultHeader(image, policy.maxPixels, formats);
  const size = dimensions ? { exact: dimensions } : { maxDimensionPx: MOST_DIMENSION_PX };
  return { ...policy, formats: [format], ...size };
}

function refuseOtherShape(original: Dimensions, image: Dimensions) {
  const { width, height } = image;
  if (width > original.width || height > original.height) throw largerThanOriginal(original, image);
  const scaled = fitWithin(original, { maxDimensionPx: Math.max(width, height) });
  const differences = [scaled.width - width, scaled.height - height].map(Math.abs);
  if (Math.max(...differences) > MOST_ROUNDING_PX) throw otherShape(scaled, image);
}

/** Other formats have the curve of sRGB. Lookup tables are compared as sRGB unless both have the same table. */
async function inTheSameColours(
  original: View,
  image: OpenedImage,
  isSameFormat: boolean,
): Promise<[Pixels, Pixels]> {
  if (original.inSrgb && image.inSrgb) return [await original.inSrgb(), await image.inSrgb()];
  if (isSameFormat && Buffer.compare(original.colours, image.colours) === 0)
    return [await original.stored(), await image.stored()];
  const [before, after] = [original, image].map(({ icc }) => (icc && !isSrgb(icc) ? icc : SRGB));
  if (!original.shown || !image.shown) throw cannotCompare('other-colours');
  if (haveSameColours(before, after)) return [await original.shown(), await image.shown()];
  if (original.inSrgb && after === SRGB) return [await original.inSrgb(), await image.shown()];
  throw cannotCompare('other-colours');
}

interface OpenedImage extends View {
  readonly isLossy?: boolean;
  readonly format: ResultFormatName;
  readonly dimensions: Dimensions;
}

/** @throws ImageRefused when the file is in no result format, is damaged, or cannot be compared */
async function openImage(bytes: Uint8Array, original: Source, context: Context): Promise<OpenedImage> {
  const header = readResultHeader(bytes, context.policy.maxPixels, formatsOf(context));
  const { format, dimensions: isKnown, isLossy = false } = header;
  if (!isKnown) return openAdded(bytes, format, original, context);
  return { ...openedAs(format, await readStill(bytes, context), context), isLossy };
}

function openedAs(format: ResultFormatName, source: Source, context: Context): OpenedImage {
  const { dimensions } = source;
  return { format, dimensions, ...viewAt(dimensions, source, context) };
}

async function readStill(bytes: Uint8Array, context: Context) {
  const source = await readPixels(bytes, context);
  if (!source || source.isAnimated) throw cannotCompare('frames');
  return source;
}

function viewAt(exact: Dimensions, source: Source, context: Context) {
  return SOURCE_CODE[source.format].view(source, { ...context, policy: { ...context.policy, exact } });
}

/** Its decoder also gets the original at full size, because no larger image can be compared. */
async function openAdded(
  bytes: Uint8Array,
  format: ResultFormatName,
  source: Source,
  context: Context,
): Promise<OpenedImage> {
  const found = findResultFormat(context.engine, format);
  if (!found?.read) throw cannotCompare('no-decoder');
  const original = await viewAt(source.dimensions, source, context).stored().catch(refuseOriginal);
  const pixels = await context.stopwatch.time('decode', () => found.read?.(bytes, original));
  if (!pixels) throw undecodableResult(found.label);
  return openedAs(format, readSource(pngOfUpload(pixels), context.policy.maxPixels), context);
}
