/**
 * Compares any image with its original, as results are compared: at the size of the image, at a density, in the same colours. Runs in a
 * worker. Refuses what cannot be compared pixel by pixel: animations, crops, rotations, other colours.
 */
import {
  cannotCompare,
  largerThanOriginal,
  otherShape,
  undecodableResult,
} from '../../../contract/comparison-problems';
import { FORMATS, Formats, type ResultFormatName } from '../../../contract/formats';
import { MOST_DIMENSION_PX, type CompressionPolicy } from '../../domain/compression-policy';
import type { ComparedImage } from '../../domain/compression-report';
import { fitWithin, type Dimensions, sameSize, uprightSize } from '../../domain/dimensions';
import { withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import { comparePixels } from '../../domain/score/compare-pixels';
import { haveSameColours, isSrgb } from '../../formats/icc-profile';
import { readResultHeader, type AddedResult, type OtherResult } from '../../formats/result-header';
import { pngOfPixels } from '../../formats/png/png-chunks';
import type { Context } from '../context';
import type { View } from '../opened-image';
import type { Upload } from '../read-upload';
import { findResultFormat, UPLOAD_CODE } from '../formats';
import { withTones } from '../../domain/tone';
import { readSource, type Source } from '../../formats/image-header';
import { profiledColours } from '../../formats/shown-colours';
import type { CodecEngine } from '../codecs.port';

/** The profile of samples without one. */
const SRGB = new Uint8Array();
/** Encoders round the shorter side differently. */
const MOST_ROUNDING_PX = 1;

/** @param wantsMap makes a PNG of the amplified differences. @throws ImageRefused */
export async function compareImages(
  { source, context }: Upload,
  bytes: Uint8Array,
  wantsMap: boolean,
): Promise<ComparedImage> {
  const { stopwatch } = context;
  refuseFrames(source);
  const image = await openImage(bytes, source, context);
  const { dimensions, format } = image;
  refuseOtherShape(source.dimensions, dimensions);
  const policy = { ...context.policy, exact: dimensions };
  const original = UPLOAD_CODE[source.format].view(source, { ...context, policy });
  const [before, after] = await inTheSameColours(original, image, source.format === format);
  const density = judgedDensity(dimensions, policy.density);
  const { score, maxError, map, ...comparison } = await stopwatch.time('verify', () =>
    comparePixels(before, after, density),
  );
  return {
    bytes: wantsMap ? pngOfPixels(withoutRedundantChannels(map, false)) : new Uint8Array(),
    report: {
      format,
      originalSize: source.bytes.length,
      compressedSize: bytes.length,
      bytesSaved: Math.max(0, source.bytes.length - bytes.length),
      score,
      maxError,
      ...(density > 1 ? { density } : {}),
      originalDimensions: source.dimensions,
      dimensions,
      timings: stopwatch.timings(),
      encodes: 0,
      comparison,
    },
  };
}

/** Shows how much memory it takes, by the header alone. A format of a package counts with the size of the original. */
export function comparisonPolicy<Policy extends CompressionPolicy>(
  policy: Policy,
  image: Uint8Array,
  formats: Formats,
): Policy {
  const header = readResultHeader(image, policy.maxPixels, formats);
  if ('addedFormat' in header)
    return { ...policy, formats: [header.addedFormat], maxDimensionPx: MOST_DIMENSION_PX };
  const { format, dimensions } = header;
  return { ...policy, formats: [format], exact: dimensions };
}

function refuseOtherShape(original: Dimensions, image: Dimensions): void {
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
  readonly format: ResultFormatName;
  readonly dimensions: Dimensions;
}

/** @throws ImageRefused when the file is in no result format, is damaged, or cannot be compared */
async function openImage(bytes: Uint8Array, original: Source, context: Context): Promise<OpenedImage> {
  const { engine, policy } = context;
  const header = readResultHeader(bytes, policy.maxPixels, engine.knownFormats ?? Formats.builtIn);
  if ('addedFormat' in header) return openAdded(bytes, header, original, context);
  if ('isAnimated' in header) return openOther(bytes, header, context);
  const source = readSource(bytes, policy.maxPixels);
  refuseFrames(source);
  const { format, dimensions } = source;
  return {
    format,
    dimensions,
    ...UPLOAD_CODE[source.format].view(source, { ...context, policy: { ...policy, exact: dimensions } }),
  };
}

function refuseFrames(source: Source): void {
  if (source.format === 'png' && source.structure.isAnimated) throw cannotCompare('frames');
}

async function openOther(
  bytes: Uint8Array,
  header: OtherResult,
  { stopwatch, engine }: Context,
): Promise<OpenedImage> {
  const { format, isAnimated, isRotated, isSrgbLike, icc } = header;
  if (isAnimated) throw cannotCompare('frames');
  if (isRotated) throw cannotCompare('other-orientation');
  const pixels = await stopwatch.time('decode', () => decode(bytes, header, engine));
  return opened(format, pixels, { icc, isSrgbLike });
}

/** Its decoder also gets the original at full size, because no larger image can be compared. */
async function openAdded(
  bytes: Uint8Array,
  { addedFormat }: AddedResult,
  source: Source,
  context: Context,
): Promise<OpenedImage> {
  const format = findResultFormat(context.engine, addedFormat);
  if (!format?.read) throw cannotCompare('no-decoder');
  const policy = { ...context.policy, exact: source.dimensions };
  const original = await UPLOAD_CODE[source.format].view(source, { ...context, policy }).stored();
  const pixels = await context.stopwatch.time('decode', () => format.read?.(bytes, original));
  if (!pixels) throw undecodableResult(format.label);
  return opened(addedFormat, pixels, { icc: pixels.icc, isSrgbLike: true });
}

function opened(
  format: ResultFormatName,
  pixels: Pixels,
  { icc, isSrgbLike }: { readonly icc: Uint8Array | undefined; readonly isSrgbLike: boolean },
): OpenedImage {
  const { width, height, channels } = pixels;
  const colours = icc && !isSrgb(icc) ? profiledColours(icc, channels < 3) : {};
  const shown = () => (colours.curves ? withTones(pixels, colours.curves) : pixels);
  return {
    format,
    dimensions: { width, height },
    colours: icc ?? new Uint8Array(),
    stored: () => Promise.resolve(pixels),
    shown: isSrgbLike ? () => Promise.resolve(shown()) : undefined,
    icc: colours.icc,
  };
}

async function decode(
  bytes: Uint8Array,
  { format, dimensions }: OtherResult,
  engine: CodecEngine,
): Promise<Pixels> {
  const codec = engine[format];
  if (!codec) throw cannotCompare('no-decoder');
  const pixels = await codec.decode(bytes).catch(() => {
    throw undecodableResult(FORMATS[format].label);
  });
  // Decoders apply rotations that are properties of the image.
  const isDeclared = [dimensions, uprightSize(dimensions, 6)].some((size) => sameSize(size, pixels));
  if (!isDeclared) throw undecodableResult(FORMATS[format].label);
  return pixels;
}
