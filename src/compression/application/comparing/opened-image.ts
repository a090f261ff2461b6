/** Opens an image that is compared with an upload: a file in any built-in format of results. */
import { cannotCompare, undecodableResult } from '../../../contract/comparison-problems';
import { sameSize, uprightSize, type Dimensions } from '../../domain/dimensions';
import type { Pixels } from '../../domain/pixels';
import { withTones } from '../../domain/tone';
import { readSource, type Source } from '../../formats/image-header';
import { readResultHeader, type OtherResult } from '../../formats/result-header';
import { profiledColours } from '../../formats/shown-colours';
import type { CodecEngine } from '../codecs.port';
import type { View } from '../uploads/upload';
import { uploadOf } from '../uploads/uploads';
import type { Work } from '../work';

export interface OpenedImage extends View {
  readonly format: Source['format'] | OtherResult['format'];
  /** Upright. */
  readonly dimensions: Dimensions;
  /** Whether the file is a PNG with more than 8 bits per sample. */
  readonly hasDeepSamples: boolean;
}

/**
 * Opens an image of any size.
 * @param work the upload with which it is compared
 * @throws ImageRefused when the file is in no format of results, is damaged, or cannot be compared
 */
export async function openImage(bytes: Uint8Array, work: Work): Promise<OpenedImage> {
  const header = readResultHeader(bytes, work.policy.maxPixels);
  if ('isAnimated' in header) return openOther(bytes, header, work);
  const source = readSource(bytes, work.policy.maxPixels);
  refuseFrames(source);
  const { format, dimensions } = source;
  const policy = { ...work.policy, exact: dimensions };
  return {
    format,
    dimensions,
    hasDeepSamples: source.format === 'png' && source.structure.bitDepth > 8,
    ...uploadOf(source).view({ ...work, source, policy }),
  };
}

/** @throws ImageRefused cannot_compare */
export function refuseFrames(source: Source): void {
  if (source.format === 'png' && source.structure.isAnimated) throw cannotCompare('frames');
}

async function openOther(bytes: Uint8Array, header: OtherResult, work: Work): Promise<OpenedImage> {
  const { format, isAnimated, isRotated, isSrgbLike } = header;
  if (isAnimated) throw cannotCompare('frames');
  if (isRotated) throw cannotCompare('other-orientation');
  const { curves, icc } = header.icc ? profiledColours(header.icc, false) : {};
  const pixels = await work.stopwatch.time('decode', () => decode(bytes, header, work.engine));
  const { width, height } = pixels;
  return {
    format,
    dimensions: { width, height },
    hasDeepSamples: false,
    colours: header.icc ?? new Uint8Array(),
    stored: () => Promise.resolve(pixels),
    ...(isSrgbLike ? { shown: () => Promise.resolve(curves ? withTones(pixels, curves) : pixels) } : {}),
    ...(icc ? { icc } : {}),
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
    throw undecodableResult(format);
  });
  // Decoders apply the rotation of an AVIF.
  const isDeclared = [dimensions, uprightSize(dimensions, 6)].some((size) => sameSize(size, pixels));
  if (!isDeclared) throw undecodableResult(format);
  return pixels;
}
