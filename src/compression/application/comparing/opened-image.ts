import { RESULT_FORMATS, type ResultFormatName } from '../../../contract/formats';
import { ResultFormats } from '../../../contract/result-formats';
import { cannotCompare, undecodableResult } from '../../../contract/comparison-problems';
import { sameSize, uprightSize, type Dimensions } from '../../domain/dimensions';
import type { Pixels } from '../../domain/pixels';
import { withTones } from '../../domain/tone';
import { isSrgb } from '../../formats/icc-profile';
import { readSource, type Source } from '../../formats/image-header';
import { readResultHeader, type AddedResult, type OtherResult } from '../../formats/result-header';
import { profiledColours } from '../../formats/shown-colours';
import type { CodecEngine } from '../codecs.port';
import { findResultFormat } from '../results/result-formats';
import type { View } from '../uploads/upload';
import { UPLOADS } from '../uploads/uploads';
import type { Work } from '../work';

export interface OpenedImage extends View {
  readonly format: ResultFormatName;
  readonly dimensions: Dimensions;
}

/** @throws ImageRefused when the file is in no result format, is damaged, or cannot be compared */
export async function openImage(bytes: Uint8Array, work: Work): Promise<OpenedImage> {
  const { engine, policy } = work;
  const header = readResultHeader(bytes, policy.maxPixels, engine.resultFormats ?? ResultFormats.builtIn);
  if ('addedFormat' in header) return openAdded(bytes, header, work);
  if ('isAnimated' in header) return openOther(bytes, header, work);
  const source = readSource(bytes, policy.maxPixels);
  refuseFrames(source);
  const { format, dimensions } = source;
  return {
    format,
    dimensions,
    ...UPLOADS[source.format].view({ ...work, source, policy: { ...policy, exact: dimensions } }),
  };
}

export function refuseFrames(source: Source): void {
  if (source.format === 'png' && source.structure.isAnimated) throw cannotCompare('frames');
}

async function openOther(bytes: Uint8Array, header: OtherResult, work: Work): Promise<OpenedImage> {
  const { format, isAnimated, isRotated, isSrgbLike, icc } = header;
  if (isAnimated) throw cannotCompare('frames');
  if (isRotated) throw cannotCompare('other-orientation');
  const pixels = await work.stopwatch.time('decode', () => decode(bytes, header, work.engine));
  return opened(format, pixels, { icc, isSrgbLike });
}

/** Its decoder also gets the original at full size, because no larger image can be compared. */
async function openAdded(bytes: Uint8Array, { addedFormat }: AddedResult, work: Work): Promise<OpenedImage> {
  const format = findResultFormat(work.engine, addedFormat);
  if (!format?.read) throw cannotCompare('no-decoder');
  const { source, stopwatch } = work;
  const policy = { ...work.policy, exact: source.dimensions };
  const original = await UPLOADS[source.format].view({ ...work, policy }).stored();
  const pixels = await stopwatch.time('decode', () => format.read?.(bytes, original));
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
    throw undecodableResult(RESULT_FORMATS[format].label);
  });
  // Decoders apply the rotation of an AVIF.
  const isDeclared = [dimensions, uprightSize(dimensions, 6)].some((size) => sameSize(size, pixels));
  if (!isDeclared) throw undecodableResult(RESULT_FORMATS[format].label);
  return pixels;
}
