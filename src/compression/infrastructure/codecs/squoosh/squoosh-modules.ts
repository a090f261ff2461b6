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

/** RGBA samples of 16 megapixels; larger images are rare and are scaled down. */
const LARGE_BYTES = 64_000_000;

/** TypeScript declares WebAssembly only for browsers. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<object> };

/** The ImageData that the modules expect as a browser global. */
class BrowserImageData implements RgbaImage {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
    readonly height: number,
  ) {}
}

/** Codecs for JPEG and PNG. */
export type SquooshModules = Awaited<ReturnType<typeof loadSquooshModules>>;

export async function loadSquooshModules() {
  const warnings: string[] = [];
  const [encodeJpeg, decodeJpeg, optimisePng] = await Promise.all([
    loadCodec<RgbaImage, [options: MozJpegOptions], ArrayBuffer>(
      import('@jsquash/jpeg/encode.js'),
      ['@jsquash/jpeg', 'codec/enc/mozjpeg_enc.wasm'],
      LARGE_BYTES,
    ),
    loadCodec<ArrayBuffer, [], RgbaImage>(
      import('@jsquash/jpeg/decode.js'),
      ['@jsquash/jpeg', 'codec/dec/mozjpeg_dec.wasm'],
      LARGE_BYTES,
      (line) => void warnings.push(line),
    ),
    loadCodec<ArrayBuffer, [options: { readonly level: number }], ArrayBuffer>(
      import('@jsquash/oxipng/optimise.js'),
      ['@jsquash/oxipng', 'codec/pkg/squoosh_oxipng_bg.wasm'],
      Infinity,
    ),
  ]);
  /** Returns the warnings of the JPEG decoder since the last call. */
  const takeWarnings = () => warnings.splice(0);
  return { encodeJpeg, decodeJpeg, takeWarnings, optimisePng };
}

/**
 * Returns the function that a package exports, with its module loaded.
 * @param file the package, and the path of its module
 * @param largeBytes of an image after which the instance is replaced
 */
export async function loadCodec<
  Image extends ArrayBuffer | RgbaImage,
  More extends unknown[],
  Result extends ArrayBuffer | RgbaImage,
>(
  loading: Promise<{ readonly init: unknown; readonly default: unknown }>,
  [packageName, path]: readonly [string, string],
  largeBytes: number,
  printErr: (line: string) => void = () => undefined,
): Promise<(image: Image, ...more: More) => Promise<Result>> {
  // The global with which the modules create their results.
  Object.assign(globalThis, { ImageData: BrowserImageData });
  const [{ init, default: work }, code] = await Promise.all([loading, compiled(packageName, path)]);
  // The declared types lack the second argument.
  const initialize = init as (module: object, options: object) => Promise<unknown>;
  const renew = () => initialize(code, { print: () => undefined, printErr });
  await renew();
  return renewed(work as (image: Image, ...more: More) => Promise<Result>, renew, largeBytes);
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
  largeBytes: number,
): (image: Image, ...more: More) => Promise<Result> {
  // The samples are the input of an encoder or the output of a decoder.
  const isLarge = (part: ArrayBuffer | RgbaImage) => 'data' in part && part.data.length > largeBytes;
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

async function compiled(packageName: string, path: string): Promise<object> {
  const manifest = createRequire(__filename).resolve(`${packageName}/package.json`);
  return WebAssembly.compile(await readFile(join(dirname(manifest), path)));
}
