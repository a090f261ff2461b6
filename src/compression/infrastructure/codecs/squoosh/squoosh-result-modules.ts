/** Loads Squoosh's codecs for AVIF and WebP as packaged by @jsquash; see squoosh-modules.ts. */
import { compiled, provideImageData, withModule, type RgbaImage } from './squoosh-modules';

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

export interface SquooshResultModules {
  readonly encodeAvif: (image: RgbaImage, options: LibavifOptions) => Promise<ArrayBuffer>;
  readonly decodeAvif: (avif: ArrayBuffer) => Promise<RgbaImage>;
  readonly encodeWebp: (image: RgbaImage, options: LibwebpOptions) => Promise<ArrayBuffer>;
  readonly decodeWebp: (webp: ArrayBuffer) => Promise<RgbaImage>;
}

const QUIET = { print: () => undefined, printErr: () => undefined };

/** Loads the modules. The scalar WebP encoder is left out: every supported version of Node.js has SIMD. */
export async function loadSquooshResultModules(): Promise<SquooshResultModules> {
  provideImageData();
  const [encodeAvif, decodeAvif, encodeWebp, decodeWebp] = await Promise.all([
    ready(import('@jsquash/avif/encode.js'), '@jsquash/avif', 'codec/enc/avif_enc.wasm'),
    ready(import('@jsquash/avif/decode.js'), '@jsquash/avif', 'codec/dec/avif_dec.wasm'),
    ready(import('@jsquash/webp/encode.js'), '@jsquash/webp', 'codec/enc/webp_enc_simd.wasm'),
    ready(import('@jsquash/webp/decode.js'), '@jsquash/webp', 'codec/dec/webp_dec.wasm'),
  ]);
  return {
    encodeAvif: encodeAvif as SquooshResultModules['encodeAvif'],
    decodeAvif: decodeAvif as SquooshResultModules['decodeAvif'],
    encodeWebp: encodeWebp as SquooshResultModules['encodeWebp'],
    decodeWebp: decodeWebp as SquooshResultModules['decodeWebp'],
  };
}

/** RGBA samples of 2 megapixels. */
const LARGE_BYTES = 8_000_000;

type Work = (input: RgbaImage | ArrayBuffer, options?: unknown) => Promise<ArrayBuffer | RgbaImage>;

/**
 * Returns the function of a package, with its module loaded. The instance is replaced after an error, which leaves its state unknown,
 * and after a large image, because its memory never shrinks.
 */
async function ready(
  loading: Promise<{ readonly init: unknown; readonly default: unknown }>,
  packageName: string,
  path: string,
): Promise<Work> {
  const [{ init, default: exported }, code] = await Promise.all([loading, compiled(packageName, path)]);
  const work = exported as Work;
  const renew = () => withModule(init)(code, QUIET);
  await renew();
  return async (input, options) => {
    let isSpent = true;
    try {
      const result = await work(input, options);
      isSpent = [input, result].some((part) => 'data' in part && part.data.length > LARGE_BYTES);
      return result;
    } finally {
      if (isSpent) await renew();
    }
  };
}
