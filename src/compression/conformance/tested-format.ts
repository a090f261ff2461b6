/** A result format as the conformance kit tests it: its codings, and images for them. */
import type {
  AddedFormat,
  EncodeOptions,
  ImageFacts,
  LosslessOptions,
  LossyCoding,
  ResultFormat,
} from '../application/result-format.port';
import type { Effort } from '../domain/compression-policy';
import type { Dimensions } from '../domain/dimensions';
import type { Pixels } from '../domain/pixels';
import type { EmbeddedBlocks } from '../formats/embedded-blocks';
import { randomNumbers } from './images';

export interface TestedFormat
  extends ResultFormat, Partial<Pick<AddedFormat, 'name' | 'read' | 'releaseMemory'>> {
  /** Returns the name of the format of a file by its signature; absent if the format has none. */
  readonly formatOf?: (file: Uint8Array) => string | undefined;
}

/** A check throws an AssertionError with the expected result. */
export interface FormatCheck {
  readonly name: string;
  /** Whether the format has what is checked; all have it if absent. */
  readonly appliesTo?: (format: TestedFormat) => boolean;
  readonly run: (format: TestedFormat) => Promise<void>;
}

interface EncodeAs {
  /** Share of the range of qualities, 0..1. */
  readonly level?: number;
  readonly metadata?: EmbeddedBlocks;
}

/** One way to encode. */
export interface Coding {
  readonly name: string;
  readonly isExact: boolean;
  readonly encode: (pixels: Pixels, how?: EncodeAs) => Promise<Uint8Array>;
  readonly decode: (file: Uint8Array, original: Pixels) => Promise<Pixels>;
}

export function codingsOf(format: ResultFormat): Coding[] {
  const { encodeLosslessly, lossy } = format;
  const codings = lossy.map((coding) => withLoss(coding, format, coding.encode.bind(coding)));
  return encodeLosslessly ? [...codings, withoutLoss(format, encodeLosslessly)] : codings;
}

function withLoss(
  { chroma, qualityOf, range }: LossyCoding,
  format: ResultFormat,
  encode: (pixels: Pixels, options: EncodeOptions) => Promise<Uint8Array>,
): Coding {
  const { lowest, highest } = range(1);
  return {
    name: `with loss, ${chroma}`,
    isExact: false,
    encode: (pixels, { level = 0.8, metadata = {} } = {}) => {
      const step = Math.round(lowest + level * (highest - lowest));
      const quality = qualityOf?.(step) ?? step;
      return encode(pixels, { quality, purpose: 'delivery', image: factsOf(pixels, 'fast'), metadata });
    },
    decode: format.decode.bind(format),
  };
}

function withoutLoss(
  format: ResultFormat,
  encode: (pixels: Pixels, options: LosslessOptions) => Promise<Uint8Array>,
): Coding {
  return {
    name: 'without loss',
    isExact: true,
    encode: (pixels, { metadata = {} } = {}) => encode(pixels, { effort: 'fast', metadata }),
    decode: format.decode.bind(format),
  };
}

/** Returns the run of a check of every coding. */
export function ofEach(run: (coding: Coding, format: TestedFormat) => Promise<void>): FormatCheck['run'] {
  return async (format) => {
    for (const coding of codingsOf(format)) await run(coding, format);
  };
}

/** Returns the facts about an image that an encoder receives. */
export function factsOf({ width, height }: Dimensions, effort: Effort): ImageFacts {
  return { effort, pixelCount: width * height, isPhoto: true, density: 1, targetScore: 0.9914 };
}

/** Numbers of channels that the format takes. */
export function channelsOf({ hasAlpha }: ResultFormat): readonly Pixels['channels'][] {
  return hasAlpha ? [1, 3, 4] : [1, 3];
}

export function pixelsOf(
  width: number,
  height: number,
  channels: Pixels['channels'],
  sample: (i: number) => number,
): Pixels {
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) => sample(i));
  return { width, height, channels, data };
}

export function noise(width: number, height: number, channels: Pixels['channels'], seed: number): Pixels {
  const random = randomNumbers(seed);
  return pixelsOf(width, height, channels, () => random() * 256);
}
