/** Loads Squoosh's codecs for AVIF and WebP as packaged by @jsquash; see squoosh-modules.ts. */
import { load, type RgbaImage } from './squoosh-modules';

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
  return {
    encodeAvif: encodeAvif as SquooshResultModules['encodeAvif'],
    decodeAvif: decodeAvif as SquooshResultModules['decodeAvif'],
    encodeWebp: encodeWebp as SquooshResultModules['encodeWebp'],
    decodeWebp: decodeWebp as SquooshResultModules['decodeWebp'],
  };
}
