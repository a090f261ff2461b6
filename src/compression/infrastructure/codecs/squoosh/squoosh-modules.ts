/** Loads Squoosh's codecs as packaged by @jsquash. In browsers they fetch their WebAssembly by URL; here it is read from the package. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** 8-bit RGBA. The packages declare the browser's ImageData, which Node's types lack. */
export interface RgbaImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** The MozJPEG settings used here; numbers are values of its enumerations. */
interface MozJpegOptions {
  readonly quality: number;
  readonly progressive: boolean;
  readonly color_space: number;
  readonly auto_subsample: boolean;
  readonly chroma_subsample: number;
}

export interface SquooshModules {
  readonly encodeJpeg: (image: RgbaImage, options: MozJpegOptions) => Promise<ArrayBuffer>;
  readonly decodeJpeg: (jpeg: ArrayBuffer) => Promise<RgbaImage>;
  /** Returns the warnings of the JPEG decoder since the last call. */
  readonly takeWarnings: () => string[];
  readonly optimisePng: (png: ArrayBuffer, options: { readonly level: number }) => Promise<ArrayBuffer>;
}

/** RGBA samples of 16 megapixels; larger images are rare and are scaled down. */
const LARGE_BYTES = 64_000_000;

/** Node's types do not declare WebAssembly. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { compile(code: Uint8Array): Promise<object> };
};

/** The ImageData that the modules expect as a browser global. */
class BrowserImageData implements RgbaImage {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
    readonly height: number,
  ) {}
}

/** Defines the global with which the modules create their results. */
export function provideImageData(): void {
  Object.assign(globalThis, { ImageData: BrowserImageData });
}

/** Returns the initializer of a package; the declared types have only the first argument. */
export function withModule(init: unknown): (module: object, options?: object) => Promise<unknown> {
  return init as (module: object, options?: object) => Promise<unknown>;
}

export async function loadSquooshModules(): Promise<SquooshModules> {
  provideImageData();
  const [encoder, decoder, oxipng] = await Promise.all([
    import('@jsquash/jpeg/encode.js'),
    import('@jsquash/jpeg/decode.js'),
    import('@jsquash/oxipng/optimise.js'),
  ]);
  const warnings: string[] = [];
  const quiet = { print: () => undefined, printErr: (line: string) => void warnings.push(line) };
  const encoderCode = await compiled('@jsquash/jpeg', 'codec/enc/mozjpeg_enc.wasm');
  const decoderCode = await compiled('@jsquash/jpeg', 'codec/dec/mozjpeg_dec.wasm');
  const renewEncoder = () => withModule(encoder.init)(encoderCode, quiet);
  const renewDecoder = () => withModule(decoder.init)(decoderCode, quiet);
  await Promise.all([renewEncoder(), renewDecoder()]);
  await withModule(oxipng.init)(await compiled('@jsquash/oxipng', 'codec/pkg/squoosh_oxipng_bg.wasm'));
  return {
    encodeJpeg: renewed(encoder.default as unknown as SquooshModules['encodeJpeg'], renewEncoder),
    decodeJpeg: renewed(decoder.default as unknown as SquooshModules['decodeJpeg'], renewDecoder),
    takeWarnings: () => warnings.splice(0),
    optimisePng: oxipng.default as unknown as SquooshModules['optimisePng'],
  };
}

/**
 * Replaces the instance of the module after an error and after a large image. On an error MozJPEG exits without freeing its stack
 * and memory, so an instance runs out after a few dozen damaged files. And the memory of an instance never shrinks.
 */
export function renewed<
  Image extends ArrayBuffer | RgbaImage,
  More extends unknown[],
  Result extends ArrayBuffer | RgbaImage,
>(
  work: (image: Image, ...more: More) => Promise<Result>,
  renew: () => Promise<unknown>,
): (image: Image, ...more: More) => Promise<Result> {
  return async (image, ...more) => {
    let isSpent = true;
    try {
      const result = await work(image, ...more);
      isSpent = isLarge(image) || isLarge(result);
      return result;
    } finally {
      if (isSpent) await renew();
    }
  };
}

/** Returns whether these are the samples of a large image, as input of an encoder or output of a decoder. */
function isLarge(image: ArrayBuffer | RgbaImage): boolean {
  return 'data' in image && image.data.length > LARGE_BYTES;
}

export async function compiled(packageName: string, path: string): Promise<object> {
  const manifest = createRequire(__filename).resolve(`${packageName}/package.json`);
  return WebAssembly.compile(await readFile(join(dirname(manifest), path)));
}
