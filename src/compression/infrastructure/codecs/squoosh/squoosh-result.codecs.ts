/**
 * AVIF and WebP of the portable engine: libavif with libaom, and libwebp, as WebAssembly. This libaom lacks
 * tuning for still images, so its files differ from those of the native engine at the same quality.
 */
import type { EncodeOptions as AvifOptions } from '@jsquash/avif/meta.js' with {
  'resolution-mode': 'import',
};
import type { EncodeOptions as WebpOptions } from '@jsquash/webp/meta.js' with {
  'resolution-mode': 'import',
};
import type { ResultCodec } from '../../../application/codecs.port';
import { once } from '../../../domain/once';
import type { Dimensions } from '../../../domain/dimensions';
import { crop, toTenBits } from '../../../domain/pixels';
import { rewriteAvif } from '../../../formats/avif/avif-metadata';
import { readAvifLayout, withStoredLayout } from '../../../formats/avif/avif-header';
import { rotateUpright } from '../raster';
import { rgbaImage, withoutOpaqueAlpha, load, type RgbaImage } from './squoosh-modules';
import { rewriteWebp } from '../../../formats/webp/webp-file';

/** RGBA samples of 2 megapixels. */
const LARGE_BYTES = 8_000_000;

interface SquooshResultModules {
  readonly encodeAvif: (
    image: Dimensions & { readonly data: RgbaImage['data'] | Uint16Array },
    options: Partial<AvifOptions>,
  ) => Promise<ArrayBuffer>;
  readonly decodeAvif: (avif: ArrayBuffer, options?: { readonly bitDepth: 8 | 16 }) => Promise<RgbaImage>;
  readonly encodeWebp: (image: RgbaImage, options: Partial<WebpOptions>) => Promise<ArrayBuffer>;
  readonly decodeWebp: (webp: ArrayBuffer) => Promise<RgbaImage>;
}

/** The scalar WebP encoder is left out: every supported version of Node.js has SIMD. */
async function loadModules() {
  const [encodeAvif, decodeAvif, encodeWebp, decodeWebp] = await Promise.all([
    load(import('@jsquash/avif/encode.js'), '@jsquash/avif/codec/enc/avif_enc.wasm', LARGE_BYTES),
    load(import('@jsquash/avif/decode.js'), '@jsquash/avif/codec/dec/avif_dec.wasm', LARGE_BYTES),
    load(import('@jsquash/webp/encode.js'), '@jsquash/webp/codec/enc/webp_enc_simd.wasm', LARGE_BYTES),
    load(import('@jsquash/webp/decode.js'), '@jsquash/webp/codec/dec/webp_dec.wasm', LARGE_BYTES),
  ]);
  return { encodeAvif, decodeAvif, encodeWebp, decodeWebp } as SquooshResultModules;
}

/** A value of avifPixelFormat. */
const YUV_444 = 3;
/** Of 0 to 10: the slowest speed of libaom is 0, the fastest that is used 9. */
const FASTEST = 9;

function createAvif(modules: () => Promise<SquooshResultModules>): ResultCodec {
  return {
    async encode(pixels, { quality, effort, bitDepth = 8, metadata = {} }) {
      const { encodeAvif } = await modules();
      const settings = { quality, speed: FASTEST - effort, subsample: YUV_444, bitDepth };
      const image = rgbaImage(pixels);
      const data = bitDepth === 10 ? toTenBits(image.data) : image.data;
      return rewriteAvif(new Uint8Array(await encodeAvif({ ...image, data }, settings)), {
        blocks: metadata,
      });
    },
    async decode(avif) {
      return withoutOpaqueAlpha(await (await modules()).decodeAvif(new Uint8Array(avif).buffer));
    },
    async decodeUpload(avif) {
      const { clip, orientation, bitDepth } = readAvifLayout(avif);
      const { decodeAvif } = await modules();
      // libavif applies none of the properties, and refuses an odd place of the part to show.
      const plain = new Uint8Array(withStoredLayout(avif)).buffer;
      const decoded = await decodeAvif(plain, { bitDepth: bitDepth > 8 ? 16 : 8 });
      const stored = bitDepth > 8 ? deepRaster(decoded) : withoutOpaqueAlpha(decoded);
      return rotateUpright(clip ? crop(stored, clip, clip) : stored, orientation);
    },
  };
}

/** libwebp reads the quality of a lossless image as effort. */
const LOSSLESS_QUALITY = 80;
/** A value of near_lossless that changes no sample; it falls by this step a lost bit. */
const EXACT = 100;
const STEP_OF_BIT = 20;

/** Its type says otherwise. */
function deepRaster({ width, height, data }: RgbaImage) {
  return { width, height, channels: 4 as const, data: data as unknown as Uint16Array };
}

function createWebp(modules: () => Promise<SquooshResultModules>): ResultCodec {
  return {
    async encode(
      pixels,
      { quality, effort, hasSharpChroma = true, isLossless, lostBits = 0, metadata = {} },
    ) {
      const { encodeWebp } = await modules();
      const encoded = await encodeWebp(rgbaImage(pixels), {
        quality: isLossless ? LOSSLESS_QUALITY : quality,
        method: effort,
        lossless: isLossless ? 1 : 0,
        near_lossless: EXACT - STEP_OF_BIT * lostBits,
        use_sharp_yuv: hasSharpChroma ? 1 : 0,
        alpha_quality: 100,
      });
      return rewriteWebp(new Uint8Array(encoded), { blocks: metadata });
    },
    async decode(webp) {
      return withoutOpaqueAlpha(await (await modules()).decodeWebp(new Uint8Array(webp).buffer));
    },
  };
}

/** Their modules are loaded with the first image that needs them. */
export function createSquooshResultCodecs() {
  const modules = once(loadModules);
  return { avif: createAvif(modules), webp: createWebp(modules) };
}
