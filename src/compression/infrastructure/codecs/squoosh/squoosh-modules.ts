/**
 * Squoosh's codecs, as @jsquash packages them: WebAssembly modules made for browsers, which fetch their code by
 * address. Here it is read from the package and handed over.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** RGBA of 8 bits. (The packages declare the browser's ImageData, which Node's types do not know.) */
interface RgbaImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** The settings of MozJPEG that are used here; numbers of its own enumerations. */
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
  /** What the JPEG decoder has complained about since this was last called. */
  readonly takeWarnings: () => string[];
  readonly optimisePng: (png: ArrayBuffer, options: { readonly level: number }) => Promise<ArrayBuffer>;
}

/** RGBA of a picture of 16 megapixels: larger ones are rare, and scaled down. */
const LARGE_BYTES = 64_000_000;

/** A part of the platform that the compiler's library for Node leaves out. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { compile(code: Uint8Array): Promise<object> };
};

/** What the modules expect of a browser. */
class BrowserImageData implements RgbaImage {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
    readonly height: number,
  ) {}
}

export async function loadSquooshModules(): Promise<SquooshModules> {
  Object.assign(globalThis, { ImageData: BrowserImageData });
  const [encoder, decoder, oxipng] = await Promise.all([
    import('@jsquash/jpeg/encode.js'),
    import('@jsquash/jpeg/decode.js'),
    import('@jsquash/oxipng/optimise.js'),
  ]);
  const warnings: string[] = [];
  const quiet = { print: () => undefined, printErr: (line: string) => void warnings.push(line) };
  // The declared types know the browser's one argument only.
  const withModule = (init: unknown) => init as (module: object, options?: object) => Promise<unknown>;
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
 * MozJPEG ends the program at a fault: the instance of the module keeps the stack and the memory that were in use, and
 * after some dozen damaged files has none left for good ones. A new instance takes its place; so it does after a
 * large picture, since the memory of an instance only ever grows.
 */
function renewed<Input extends unknown[], Result extends ArrayBuffer | RgbaImage>(
  work: (...input: Input) => Promise<Result>,
  renew: () => Promise<unknown>,
): (...input: Input) => Promise<Result> {
  return async (...input) => {
    let isSpent = true;
    try {
      const result = await work(...input);
      isSpent = 'data' in result && result.data.length > LARGE_BYTES;
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
