/** A result format as the conformance kit tests it: its codings, and images for them. */
import type { AddedFormat, DeepCodings, ImageFacts, ResultFormat } from '../application/result-format.port';
import type { Effort } from '../domain/compression-policy';
import type { DeepPixels } from '../domain/deep-pixels';
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
}

export function codingsOf({ encodeLosslessly, lossy }: ResultFormat): Coding[] {
  const codings = lossy.map((coding): Coding => {
    const { chroma, qualityOf } = coding;
    const range = coding.range(1);
    const qualityAt = (level: number) => {
      const step = Math.round(range.lowest + level * (range.highest - range.lowest));
      return qualityOf?.(step) ?? step;
    };
    return {
      name: `with loss, ${chroma}`,
      isExact: false,
      encode: (pixels, { level = 0.8, metadata = {} } = {}) => {
        const image = factsOf(pixels, 'fast');
        return coding.encode(pixels, { quality: qualityAt(level), purpose: 'delivery', image, metadata });
      },
    };
  });
  if (!encodeLosslessly) return codings;
  const exact: Coding['encode'] = (pixels, { metadata = {} } = {}) =>
    encodeLosslessly(pixels, { effort: 'fast', metadata });
  return [...codings, { name: 'without loss', isExact: true, encode: exact }];
}

/** One way to encode samples of 16 bits, at a high quality. */
interface DeepCoding {
  readonly name: string;
  readonly isExact: boolean;
  readonly encode: (pixels: DeepPixels) => Promise<Uint8Array>;
  readonly decode: DeepCodings['decode'];
}

export function deepCodingsOf({ deep, lossy }: ResultFormat): DeepCoding[] {
  if (!deep) return [];
  const decode = deep.decode.bind(deep);
  const withLoss = lossy.map((coding): DeepCoding => {
    const { chroma } = coding;
    const quality = coding.range(1).highest;
    const options = { quality, chroma, purpose: 'delivery', metadata: {} } as const;
    const encode = async (pixels: DeepPixels) => {
      const file = await deep.encode?.(pixels, { ...options, image: factsOf(pixels, 'fast') });
      return file ?? Promise.reject(new Error('no coding with loss for 16 bits'));
    };
    return { name: `with loss, ${chroma}`, isExact: false, encode, decode };
  });
  const encodeLosslessly = deep.encodeLosslessly?.bind(deep);
  if (!encodeLosslessly) return withLoss;
  const exact: DeepCoding['encode'] = (pixels) => encodeLosslessly(pixels, { effort: 'fast', metadata: {} });
  return [...withLoss, { name: 'without loss', isExact: true, encode: exact, decode }];
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
