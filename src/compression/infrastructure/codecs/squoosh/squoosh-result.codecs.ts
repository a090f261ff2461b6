/**
 * The AVIF codec of the portable engine: libavif with libaom as WebAssembly. It lacks tuning for still images, so its files differ
 * from those of the native engine at the same quality.
 */
import {
  AvifCodec,
  checkEncode,
  type AvifEncodeOptions,
  WebpCodec,
  type WebpEncodeOptions,
} from '../../../application/result-codecs.port';
import type { Pixels } from '../../../domain/pixels';
import { withAvifMetadata } from '../../../formats/avif/avif-metadata';
import { rgbaImage, withoutOpaqueAlpha } from './squoosh-modules';
import type { SquooshResultModules } from './squoosh-result-modules';
import { withWebpMetadata } from '../../../formats/webp/webp-file';

/** avifPixelFormat values in the module. */
const SUBSAMPLE = { '4:2:0': 1, '4:4:4': 3 } as const;

export class SquooshAvifCodec extends AvifCodec {
  /** @param modules loads them; called for the first image */
  constructor(private readonly modules: () => Promise<SquooshResultModules>) {
    super();
  }

  async encode(pixels: Pixels, options: AvifEncodeOptions): Promise<Uint8Array> {
    const { quality, chroma, effort, metadata } = options;
    checkEncode(AvifCodec, pixels, options);
    // libavif's scale goes to 10.
    const speed = AvifCodec.MAX_EFFORT - effort;
    const encoded = await (
      await this.modules()
    ).encodeAvif(rgbaImage(pixels), {
      quality,
      speed,
      subsample: SUBSAMPLE[chroma],
      bitDepth: 8,
    });
    const avif = new Uint8Array(encoded);
    return metadata ? withAvifMetadata(avif, metadata) : avif;
  }

  async decode(avif: Uint8Array): Promise<Pixels> {
    return withoutOpaqueAlpha(await (await this.modules()).decodeAvif(new Uint8Array(avif).buffer));
  }
}

/** libwebp reads the quality of a lossless image as effort. */
const LOSSLESS_QUALITY = 80;
/** A value of near_lossless that changes no sample. */
const EXACT = 100;

export class SquooshWebpCodec extends WebpCodec {
  /** @param modules loads them; called for the first image */
  constructor(private readonly modules: () => Promise<SquooshResultModules>) {
    super();
  }

  async encode(pixels: Pixels, options: WebpEncodeOptions): Promise<Uint8Array> {
    const { mode, quality, effort, metadata } = options;
    checkEncode(WebpCodec, pixels, options);
    const isLossy = mode === 'lossy';
    const encoded = await (
      await this.modules()
    ).encodeWebp(rgbaImage(pixels), {
      quality: isLossy ? quality : LOSSLESS_QUALITY,
      method: effort,
      lossless: isLossy ? 0 : 1,
      near_lossless: mode === 'near-lossless' ? quality : EXACT,
      use_sharp_yuv: 1,
      alpha_quality: 100,
    });
    const webp = new Uint8Array(encoded);
    return metadata ? withWebpMetadata(webp, metadata) : webp;
  }

  async decode(webp: Uint8Array): Promise<Pixels> {
    return withoutOpaqueAlpha(await (await this.modules()).decodeWebp(new Uint8Array(webp).buffer));
  }
}
