/** The ways to encode that the conformance suite of result codecs tests, and images for it. */
import type { AvifCodec, WebpCodec } from '../../../src/compression/application/result-codecs.port';
import type { Pixels } from '../../../src/compression/domain/pixels';
import type { EmbeddedBlocks } from '../../../src/compression/formats/embedded-blocks';
import { randomNumbers } from '../../support/images';

export interface ResultCodecs {
  readonly avif: AvifCodec;
  readonly webp: WebpCodec;
}

export interface FormatCheck {
  readonly name: string;
  readonly run: (codecs: ResultCodecs) => Promise<void>;
}

/** One way to encode, with the decoder of the same format. */
export interface Coding {
  readonly name: string;
  readonly codec: AvifCodec | WebpCodec;
  readonly encode: (
    pixels: Pixels,
    quality?: number,
    metadata?: EmbeddedBlocks,
    effort?: number,
  ) => Promise<Uint8Array>;
  readonly isExact: boolean;
}

export function codings({ avif, webp }: ResultCodecs): Coding[] {
  return [
    ...(['4:2:0', '4:4:4'] as const).map((chroma) => ({
      name: `AVIF ${chroma}`,
      codec: avif,
      isExact: false,
      encode: (pixels: Pixels, quality = 80, metadata?: EmbeddedBlocks, effort = 1) =>
        avif.encode(pixels, { quality, chroma, effort, ...(metadata ? { metadata } : {}) }),
    })),
    ...(['lossy', 'near-lossless', 'lossless'] as const).map((mode) => ({
      name: `WebP ${mode}`,
      codec: webp,
      isExact: mode === 'lossless',
      encode: (pixels: Pixels, quality = 80, metadata?: EmbeddedBlocks, effort = 2) =>
        webp.encode(pixels, { mode, quality, effort, ...(metadata ? { metadata } : {}) }),
    })),
  ];
}

export function pixelsOf(
  width: number,
  height: number,
  channels: Pixels['channels'],
  sample: (i: number) => number,
): Pixels {
  return {
    width,
    height,
    channels,
    data: Uint8Array.from({ length: width * height * channels }, (_, i) => sample(i)),
  };
}

export function noise(width: number, height: number, channels: Pixels['channels'], seed: number): Pixels {
  const random = randomNumbers(seed);
  return pixelsOf(width, height, channels, () => random() * 256);
}
