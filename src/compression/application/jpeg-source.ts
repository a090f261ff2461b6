/** The first stage of the JPEG recipe: decodes the image and collects what the later stages need. */
import type { CompressionPolicy } from '../domain/compression-policy';
import { fitWithin, sameSize, uprightSize, type Dimensions, type Orientation } from '../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../domain/pixels';
import type { MetadataOptions } from '../formats/jpeg/jpeg-metadata';
import { isChromaHalved, type JpegStructure } from '../formats/jpeg/jpeg-structure';
import type { JpegCodec } from './codecs.port';
import type { Stopwatch } from './stopwatch';

export interface JpegSource {
  readonly bytes: Uint8Array;
  readonly structure: JpegStructure;
  /** Upright. */
  readonly dimensions: Dimensions;
}

/** A decoded upload. */
export interface DecodedJpeg {
  readonly pixels: Pixels;
  /** Upright size of the result. */
  readonly size: Dimensions;
  /** Orientation that was applied to the stored pixels. */
  readonly turned: Orientation;
  readonly isScaled: boolean;
  /** Chroma modes to try, that of the upload first. */
  readonly chromaModes: readonly [ChromaSubsampling, ...ChromaSubsampling[]];
  /** How the metadata describes the new file. */
  readonly metadataOptions: MetadataOptions;
}

export function targetSize({ dimensions }: JpegSource, policy: CompressionPolicy): Dimensions {
  return fitWithin(dimensions, policy);
}

/** @throws ImageRefused undecodable_image */
export async function decodeUpload(
  source: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<DecodedJpeg> {
  const { bytes, structure, dimensions } = source;
  const size = targetSize(source, policy);
  const isScaled = !sameSize(size, dimensions);
  const isCmyk = structure.components.length === 4;
  // A gain map has the orientation of the stored pixels. If it is kept, neither image is rotated and both keep the
  // tag.
  const turned: Orientation = structure.companions.gainMap ? 1 : structure.orientation;
  const orientation: Orientation = turned === 1 ? structure.orientation : 1;
  const storedSize = uprightSize(size, orientation);
  const pixels = await stopwatch.time('decode', () =>
    codec.decode(bytes, {
      orientation: turned,
      toEncode: true,
      ...(isScaled ? { size: storedSize } : {}),
      ...(isCmyk ? { toSrgb: true } : {}),
    }),
  );
  const { keepMetadata: keep, targetScore } = policy;
  return {
    pixels,
    size,
    turned,
    isScaled,
    chromaModes: chromaModes(pixels, structure, isScaled),
    metadataOptions: { keep, orientation, dimensions: storedSize, isConverted: isCmyk, targetScore },
  };
}

/** An upload in 4:2:0 has no full-resolution chroma to keep, unless scaling makes its chroma relatively finer. */
function chromaModes(
  pixels: Pixels,
  structure: JpegStructure,
  isScaled: boolean,
): DecodedJpeg['chromaModes'] {
  if (pixels.channels === 1) return ['4:2:0'];
  if (isChromaHalved(structure)) return isScaled ? ['4:2:0', '4:4:4'] : ['4:2:0'];
  return ['4:4:4', '4:2:0'];
}
