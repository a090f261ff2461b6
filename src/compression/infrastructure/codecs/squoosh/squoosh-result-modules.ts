/** Loads Squoosh's codecs for AVIF and WebP as packaged by @jsquash; see squoosh-modules.ts. */
import { loadCodec, type RgbaImage } from './squoosh-modules';

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
export type SquooshResultModules = Awaited<ReturnType<typeof loadSquooshResultModules>>;

/** Loads the modules. The scalar WebP encoder is left out: every supported version of Node.js has SIMD. */
export async function loadSquooshResultModules() {
  const [encodeAvif, decodeAvif, encodeWebp, decodeWebp] = await Promise.all([
    encoder<LibavifOptions>(import('@jsquash/avif/encode.js'), '@jsquash/avif', 'codec/enc/avif_enc.wasm'),
    decoder(import('@jsquash/avif/decode.js'), '@jsquash/avif', 'codec/dec/avif_dec.wasm'),
    encoder<LibwebpOptions>(
      import('@jsquash/webp/encode.js'),
      '@jsquash/webp',
      'codec/enc/webp_enc_simd.wasm',
    ),
    decoder(import('@jsquash/webp/decode.js'), '@jsquash/webp', 'codec/dec/webp_dec.wasm'),
  ]);
  return { encodeAvif, decodeAvif, encodeWebp, decodeWebp };
}

type Loading = Parameters<typeof loadCodec>[0];

function encoder<Options>(loading: Loading, ...file: [string, string]) {
  return loadCodec<RgbaImage, [options: Options], ArrayBuffer>(loading, file, LARGE_BYTES);
}

function decoder(loading: Loading, ...file: [string, string]) {
  return loadCodec<ArrayBuffer, [], RgbaImage>(loading, file, LARGE_BYTES);
}
