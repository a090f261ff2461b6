/**
 * The AVIF and WebP codecs of the portable engine: libavif with libaom, and libwebp, as WebAssembly. libaom lacks tuning for still
 * images here, so its files differ from those of the native engine at the same quality.
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
import { rgbaImage, withoutOpaqueAlpha, load, type RgbaImage } from './squoosh-modules';
import { withWebpMetadata } from '../../../formats/webp/webp-file';

/** Settings of libavif; numbers are values of its enumerations. */
interface LibavifOptions {
  readonly quality: number;
  /** 0 (slow) to 10. */
  readonly speed: number;
  readonly subsample: number;
  readonly bitDepth: 8;
}

/** Settings of libwebp's WebPConfig. */
interface LibwebpOptions {
  readonly quality: number;
  readonly method: number;
  readonly lossless: 0 | 1;
  readonly near_lossless: number;
  readonly use_sharp_yuv: 0 | 1;
  readonly alpha_quality: number;
}

/** RGBA samples of 2 megapixels. */
const LARGE_BYTES = 8_000_000;

/** Codecs for AVIF and WebP. */
export interface SquooshResultModules {
  readonly encodeAvif: (image: RgbaImage, options: LibavifOptions) => Promise<ArrayBuffer>;
  readonly decodeAvif: (avif: ArrayBuffer) => Promise<RgbaImage>;
  readonly encodeWebp: (image: RgbaImage, options: LibwebpOptions) => Promise<ArrayBuffer>;
  readonly decodeWebp: (webp: ArrayBuffer) => Promise<RgbaImage>;
}

/** Loads the modules. The scalar WebP encoder is left out: every supported version of Node.js has SIMD. */
export async function loadSquooshResultModules(): Promise<SquooshResultModules> {
  const [encodeAvif, decodeAvif, encodeWebp, decodeWebp] = await Promise.all([
    load(import('@jsquash/avif/encode.js'), '@jsquash/avif/codec/enc/avif_enc.wasm', LARGE_BYTES),
    load(import('@jsquash/avif/decode.js'), '@jsquash/avif/codec/dec/avif_dec.wasm', LARGE_BYTES),
    load(import('@jsquash/webp/encode.js'), '@jsquash/webp/codec/enc/webp_enc_simd.wasm', LARGE_BYTES),
    load(import('@jsquash/webp/decode.js'), '@jsquash/webp/codec/dec/webp_dec.wasm', LARGE_BYTES),
  ]);
  return { encodeAvif, decodeAvif, encodeWebp, decodeWebp } as SquooshResultModules;
}

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
    const { encodeAvif } = await this.modules();
    const settings = { quality, speed, subsample: SUBSAMPLE[chroma], bitDepth: 8 } as const;
    const avif = new Uint8Array(await encodeAvif(rgbaImage(pixels), settings));
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
    const { encodeWebp } = await this.modules();
    const encoded = await encodeWebp(rgbaImage(pixels), {
      quality: isLossy ? quality : LOSSLESS_QUALITY,
      method: effort,
      lossless: isLossy ? 0 : 1,
      near_lossless: EXACT,
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
