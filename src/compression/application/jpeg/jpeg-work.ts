import {
  isLossless,
  MOST_DIMENSION_PX,
  QUALITY_TARGETS,
  type CompressionPolicy,
} from '../../domain/compression-policy';
import { fitWithin, sameSize, uprightSize, type Dimensions, type Orientation } from '../../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import { withTones } from '../../domain/tone';
import { isConvertibleTable, isLikeSrgb } from '../../formats/icc-profile';
import type { JpegSource } from '../../formats/image-header';
import type { MetadataOptions } from '../../formats/jpeg/jpeg-metadata';
import { isChromaHalved, jpegColours } from '../../formats/jpeg/jpeg-structure';
import { planReshaping } from '../../formats/reshaping';
import type { ShownColours } from '../../formats/shown-colours';
import type { SrgbConversion, CodecEngine, JpegCodec, JpegDecodeOptions } from '../codecs.port';
import { type Stopwatch, once, type Work } from '../work';
import { createHash } from 'node:crypto';
import { undecodable } from '../../../contract/image-problems';
import { continued, withoutPadding } from '../../formats/jpeg/end-marker';

export interface DecodedJpeg {
  readonly pixels: Pixels;
  /** Chroma modes to try, the upload's own first. */
  readonly chromaModes: readonly [ChromaSubsampling, ...ChromaSubsampling[]];
}

export class JpegWork implements Work<JpegSource> {
  readonly source: JpegSource;
  readonly engine: CodecEngine;
  /** A scaled JPEG has new samples, so without loss it gets the strictest target. */
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
  readonly decoded: Work['decoded'];
  readonly codec: JpegCodec;
  readonly size: Dimensions;
  readonly isScaled: boolean;
  readonly density: number;
  readonly colours: ShownColours;
  /** Whether `image` holds displayed colours: scores mean nothing for CMYK, lookup tables and curves far from sRGB. */
  readonly isConverted: boolean;
  /** The RGB profile of `image`; undefined for sRGB. */
  readonly icc: Uint8Array | undefined;
  private readonly toSrgb: SrgbConversion | undefined;
  readonly appliesTable: boolean;
  readonly appliedOrientation: Orientation;
  readonly metadataOptions: MetadataOptions;
  /** @throws ImageRefused undecodable_image */
  readonly image: () => Promise<DecodedJpeg> = once(
    async () => (await this.scaleDecoded()) ?? this.decode(this.toSrgb),
  );
  /** `image` without applying lookup tables. */
  readonly unconverted: () => Promise<DecodedJpeg> = once(() =>
    this.appliesTable ? this.decode() : this.image(),
  );

  constructor({ source, engine, policy, stopwatch, decoded }: Work<JpegSource>) {
    this.source = source;
    this.engine = engine;
    this.stopwatch = stopwatch;
    this.decoded = decoded;
    this.codec = engine.jpeg;
    const { structure, dimensions } = source;
    this.size = fitWithin(dimensions, policy);
    this.isScaled = !sameSize(this.size, dimensions);
    const isScaledLossless = this.isScaled && isLossless(policy);
    this.policy = isScaledLossless ? { ...policy, targetScore: QUALITY_TARGETS['very-high'] } : policy;
    this.density = judgedDensity(this.size, policy.density);
    this.colours = jpegColours(structure);
    const { curves = [], icc, needsProfile = false, hasOtherProfile } = this.colours;
    const isCmyk = structure.components.length === 4;
    const { iccProfile } = structure;
    const isProfiled = iccProfile !== undefined && !hasOtherProfile;
    this.isConverted = isCmyk || needsProfile || !curves.every(isLikeSrgb);
    this.appliesTable =
      needsProfile && this.codec.readsProfiles && iccProfile !== undefined && isConvertibleTable(iccProfile);
    if (isCmyk) this.toSrgb = isProfiled ? 'profile' : 'plain';
    else if (this.appliesTable) this.toSrgb = 'profile';
    this.icc = this.toSrgb ? undefined : icc;
    // A gain map has the orientation of the stored pixels. If it is kept, neither image is rotated and both keep the tag.
    this.appliedOrientation = structure.trailing.gainMap ? 1 : structure.orientation;
    const orientation: Orientation = this.appliedOrientation === 1 ? structure.orientation : 1;
    const stored = uprightSize(this.size, orientation);
    this.metadataOptions = {
      keep: policy.keepMetadata,
      orientation,
      dimensions: stored,
      reshaped: planReshaping(structure.storedSize, stored, this.appliedOrientation, policy.box?.crop),
      isConverted: this.isConverted,
      icc: this.icc,
      targetScore: this.policy.targetScore,
      density: this.density,
    };
  }

  // Below a quarter, libvips' decoder shifts images whose sides a power of 2 does not divide. Scaled back, they lost 8 to 36 points
  // of SSIMULACRA2.
  private async scaleDecoded(): Promise<DecodedJpeg | undefined> {
    const whole = await this.decoded?.();
    if (!whole) return undefined;
    const size = this.metadataOptions.dimensions;
    const scale = () => this.stopwatch.time('decode', () => this.codec.scale(whole.pixels, size));
    const pixels = sameSize(size, whole.pixels) ? whole.pixels : await scale();
    return { pixels, chromaModes: this.listChromaModes(pixels) };
  }

  private async decode(toSrgb?: SrgbConversion): Promise<DecodedJpeg> {
    const decoded = await this.stopwatch.time('decode', () =>
      decodeUpload(this.codec, this.source, {
        orientation: this.appliedOrientation,
        toEncode: true,
        ...(this.isScaled ? { size: this.metadataOptions.dimensions } : {}),
        ...(this.policy.box?.crop ? { crop: this.policy.box.crop } : {}),
        ...(toSrgb ? { toSrgb } : {}),
      }),
    );
    const { curves } = this.colours;
    const pixels = curves && this.isConverted ? withTones(decoded, curves) : decoded;
    return { pixels, chromaModes: this.listChromaModes(pixels) };
  }

  /** An upload in 4:2:0 has no full-resolution chroma to keep, unless scaling makes its chroma relatively finer. */
  private listChromaModes(pixels: Pixels): DecodedJpeg['chromaModes'] {
    if (pixels.channels === 1) return ['4:2:0'];
    if (isChromaHalved(this.source.structure)) return this.isScaled ? ['4:2:0', '4:4:4'] : ['4:2:0'];
    return ['4:4:4', '4:2:0'];
  }
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
  const digest = async (jpeg: Uint8Array) =>
    digestPixels(await codec.decode(jpeg, { orientation: 1, size, header: structure }));
  const whole = await digest(continued(data, ZEROS));
  const cut = await digest(continued(data.subarray(0, -LAST_BYTES), NOISE)).catch(() => undefined);
  if ((await digest(continued(data, NOISE))) !== whole || cut === whole) throw undecodable('JPEG');
  return decode(continued(data, NOISE));
}

function digestPixels({ data }: Pixels): string {
  return createHash('sha1').update(data).digest('hex');
}
