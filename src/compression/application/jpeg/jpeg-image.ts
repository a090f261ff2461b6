/** A JPG upload, prepared for its size and policy. The pixels are upright and scaled, and decoded once, when they are asked for. */
import { isLossless, MOST_DIMENSION_PX, QUALITY_TARGETS } from '../../domain/compression-policy';
import { fitWithin, sameSize, uprightSize, type Dimensions, type Orientation } from '../../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import { once } from '../../domain/once';
import { judgedDensity } from '../../domain/score/as-seen';
import { withTones } from '../../domain/tone';
import { isConvertibleTable, isLikeSrgb } from '../../formats/icc-profile';
import type { JpegSource } from '../../formats/image-header';
import type { MetadataOptions } from '../../formats/jpeg/metadata/copied-metadata';
import { isChromaHalved, jpegColours } from '../../formats/jpeg/jpeg-structure';
import { planReshaping } from '../../formats/reshaping';
import type { ShownColours } from '../../formats/shown-colours';
import type { JpegCodec, JpegDecodeOptions, SrgbConversion } from '../codecs.port';
import type { Context } from '../context';
import { createHash } from 'node:crypto';
import { undecodable } from '../../../contract/image-problems';
import { continued, withoutPadding } from '../../formats/jpeg/end-marker';

/** Its policy: a scaled JPEG has new samples, so without loss it gets the strictest target. */
export interface JpegImage extends Context {
  readonly source: JpegSource;
  readonly codec: JpegCodec;
  /** Of the result, upright. */
  readonly size: Dimensions;
  readonly isScaled: boolean;
  readonly density: number;
  readonly colours: ShownColours;
  /**
   * Whether `decoded` holds displayed colours instead of stored samples. A score compares samples as if they were colours on a
   * display; those of CMYK, lookup tables and curves far from sRGB are not, so a score of them means nothing.
   */
  readonly isConverted: boolean;
  /** The RGB profile of `decoded`; undefined for sRGB. */
  readonly icc: Uint8Array | undefined;
  /** Whether the codec converts through the profile, because only its lookup table gives the samples a meaning. */
  readonly appliesTable: boolean;
  /** The rotation of the pixels. A gain map has the orientation of the stored pixels: then none is rotated, and both keep the tag. */
  readonly appliedOrientation: Orientation;
  readonly written: MetadataOptions;
  /** @throws ImageRefused undecodable_image */
  readonly decoded: () => Promise<Pixels>;
  /** `decoded` without applying lookup tables. */
  readonly unconverted: () => Promise<Pixels>;
}

/** @param larger the same upload, whose pixels are scaled instead of decoding again */
export function prepareJpeg(source: JpegSource, context: Context, larger?: JpegImage): JpegImage {
  const {
    engine: { jpeg: codec },
    policy: asked,
    stopwatch,
  } = context;
  const { structure, dimensions } = source;
  const size = fitWithin(dimensions, asked);
  const isScaled = !sameSize(size, dimensions);
  const isScaledLossless = isScaled && isLossless(asked);
  const policy = isScaledLossless ? { ...asked, targetScore: QUALITY_TARGETS['very-high'] } : asked;
  const density = judgedDensity(size, policy.density);
  const { iccProfile, components, storedSize, trailing } = structure;
  const colours = jpegColours(structure);
  const { curves, needsProfile = false, hasOtherProfile } = colours;
  const isCmyk = components.length === 4;
  const isConverted = isCmyk || needsProfile || !(curves ?? []).every(isLikeSrgb);
  const appliesTable =
    needsProfile && codec.readsProfiles && iccProfile !== undefined && isConvertibleTable(iccProfile);
  const isProfiled = iccProfile !== undefined && !hasOtherProfile;
  const toSrgb = conversionOf(isCmyk, isProfiled, appliesTable);
  const icc = toSrgb ? undefined : colours.icc;
  const appliedOrientation = trailing.gainMap ? 1 : structure.orientation;
  const orientation: Orientation = appliedOrientation === 1 ? structure.orientation : 1;
  const stored = uprightSize(size, orientation);
  const crop = policy.box?.crop;

  // Below a quarter, libvips' decoder shifts images whose sides a power of 2 does not divide. Scaled back, they lost 8 to 36 points
  // of SSIMULACRA2.
  const scaleDecoded = async (image: JpegImage) => {
    const pixels = await image.decoded();
    return sameSize(stored, pixels) ? pixels : stopwatch.time('decode', () => codec.scale(pixels, stored));
  };
  const decode = async (conversion?: SrgbConversion) => {
    const pixels = await stopwatch.time('decode', () =>
      decodeUpload(codec, source, {
        orientation: appliedOrientation,
        toEncode: true,
        ...(isScaled && { size: stored }),
        ...(crop && { crop }),
        ...(conversion && { toSrgb: conversion }),
      }),
    );
    return curves && isConverted ? withTones(pixels, curves) : pixels;
  };
  const decoded = once(() => (larger ? scaleDecoded(larger) : decode(toSrgb)));

  return {
    ...context,
    source,
    codec,
    policy,
    size,
    isScaled,
    density,
    colours,
    isConverted,
    icc,
    appliesTable,
    appliedOrientation,
    written: {
      keep: policy.keepMetadata,
      orientation,
      dimensions: stored,
      reshaped: planReshaping(storedSize, stored, appliedOrientation, crop),
      isConverted,
      icc,
      density,
      targetScore: policy.targetScore,
    },
    decoded,
    unconverted: once(() => (appliesTable ? decode() : decoded())),
  };
}

/**
 * Returns the chroma modes to try, the upload's own first. An upload in 4:2:0 has no full-resolution chroma to keep, unless scaling
 * makes its chroma relatively finer.
 */
export function listChromaModes(
  { source, isScaled }: JpegImage,
  { channels }: Pixels,
): readonly [ChromaSubsampling, ...ChromaSubsampling[]] {
  if (channels === 1) return ['4:2:0'];
  if (isChromaHalved(source.structure)) return isScaled ? ['4:2:0', '4:4:4'] : ['4:2:0'];
  return ['4:4:4', '4:2:0'];
}

function conversionOf(
  isCmyk: boolean,
  isProfiled: boolean,
  appliesTable: boolean,
): SrgbConversion | undefined {
  if (isCmyk) return isProfiled ? 'profile' : 'plain';
  return appliesTable ? 'profile' : undefined;
}

/** Two different continuations of a scan, neither with a marker. */
const ZEROS = new Uint8Array(1024);
const NOISE = ZEROS.map((_, i) => (i * i * 37 + i * 11 + 90) % 251);
/** The last bytes of a scan; without them its last blocks look different. */
const LAST_BYTES = 4;

/**
 * Decodes an upload. Decoders read data after a truncated scan as part of it, and ignore data after a complete one. So a file without
 * an end marker is complete if it looks the same whatever follows its data, but different without the last bytes of them.
 * @throws ImageRefused undecodable_image
 */
export async function decodeUpload(
  codec: JpegCodec,
  { bytes, structure }: JpegSource,
  options: Omit<JpegDecodeOptions, 'header'>,
): Promise<Pixels> {
  const decode = (jpeg: Uint8Array) => codec.decode(jpeg, { ...options, header: structure });
  if (!structure.isEndMissing) return decode(bytes);
  const data = withoutPadding(bytes);
  // The last blocks do not show in a thumbnail; larger sizes take memory.
  const size = fitWithin(structure.storedSize, { maxDimensionPx: MOST_DIMENSION_PX });
  const digest = async (jpeg: Uint8Array) => {
    const { data: samples } = await codec.decode(jpeg, { orientation: 1, size, header: structure });
    return createHash('sha1').update(samples).digest('hex');
  };
  const whole = await digest(continued(data, ZEROS));
  const cut = await digest(continued(data.subarray(0, -LAST_BYTES), NOISE)).catch(() => undefined);
  if ((await digest(continued(data, NOISE))) !== whole || cut === whole) throw undecodable('JPEG');
  return decode(continued(data, NOISE));
}
