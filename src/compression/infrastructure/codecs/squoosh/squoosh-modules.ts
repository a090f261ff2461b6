/**
 * Loads Squoosh's codecs as @jsquash packages them. In browsers they fetch their WebAssembly from a URL; here
 * it is read from the package, and an instance is replaced when it has grown or failed.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { WebAssembly } from '../../../domain/load-module';
import { asRgba, withoutRedundantChannels, type Pixels } from '../../../domain/pixels';

/** The packages declare the browser's ImageData, which Node's types lack. */
export interface RgbaImage {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

interface MozJpegOptions {
  readonly quality: number;
  readonly progressive: boolean;
  readonly color_space: number;
  readonly auto_subsample: boolean;
  readonly chroma_subsample: number;
}

/** RGBA samples of 16 megapixels; larger images are rare and are scaled down. */
const LARGE_BYTES = 64_000_000;

class BrowserImageData implements RgbaImage {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
    readonly height: number,
  ) {}
}

export interface SquooshModules {
  readonly encodeJpeg: (image: RgbaImage, options: MozJpegOptions) => Promise<ArrayBuffer>;
  readonly decodeJpeg: (jpeg: ArrayBuffer) => Promise<RgbaImage>;
  /** Returns the warnings of the JPEG decoder since the last call. */
  readonly takeWarnings: () => string[];
  readonly optimisePng: OptimisePng;
}

export async function loadSquooshModules(): Promise<SquooshModules> {
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  const [encodeJpeg, decodeJpeg, oxipng] = await Promise.all([
    load(import('@jsquash/jpeg/encode.js'), '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm', LARGE_BYTES),
    load(import('@jsquash/jpeg/decode.js'), '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm', LARGE_BYTES, warn),
    compiled('@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm'),
  ]);
  const takeWarnings = () => warnings.splice(0);
  return { encodeJpeg, decodeJpeg, takeWarnings, optimisePng: bindOxipng(oxipng) } as SquooshModules;
}

type Codec = (input: ArrayBuffer | RgbaImage, options?: unknown) => Promise<ArrayBuffer | RgbaImage>;

/**
 * Returns the function that a package exports, with its module loaded.
 * @param file of the module: its package, and its path there
 * @param largeBytes of an image after which the instance is replaced
 */
export async function load(
  loading: Promise<{ readonly init: unknown; readonly default: unknown }>,
  file: string,
  largeBytes: number,
  printErr: (line: string) => void = () => undefined,
): Promise<Codec> {
  // The global with which the modules create their results.
  Object.assign(globalThis, { ImageData: BrowserImageData });
  const [{ init, default: work }, code] = await Promise.all([loading, compiled(file)]);
  // The declared types lack the second argument.
  const initialize = init as (module: WasmModule, options: object) => Promise<unknown>;
  const renew = () => initialize(code, { print: () => undefined, printErr });
  await renew();
  return renewed(work as Codec, renew, largeBytes);
}

/**
 * Replaces the instance after an error and after a large image. MozJPEG exits without freeing its memory, so
 * an instance would run out after a few dozen damaged files; and memory never shrinks.
 */
export function renewed(work: Codec, renew: () => Promise<unknown>, largeBytes: number): Codec {
  const isLarge = (part: ArrayBuffer | RgbaImage) => 'data' in part && part.data.length > largeBytes;
  return async (image, options) => {
    let isSpent = true;
    try {
      const result = await work(image, options);
      isSpent = isLarge(image) || isLarge(result);
      return result;
    } finally {
      if (isSpent) await renew();
    }
  };
}

async function compiled(file: string) {
  const [scope, name, ...path] = file.split('/');
  const manifest = createRequire(__filename).resolve(`${scope}/${name}/package.json`);
  return WebAssembly.compile(await readFile(join(dirname(manifest), ...path)));
}

/** Returns RGBA with an alpha of 255 if there is no alpha. May share the memory of the pixels. */
export function rgbaImage(pixels: Pixels): RgbaImage {
  const { width, height, data } = asRgba(pixels);
  // libavif's encoder reads the buffer from its start, whatever the view.
  const { buffer } = data.byteLength === data.buffer.byteLength ? data : new Uint8Array(data);
  return { width, height, data: new Uint8ClampedArray(buffer) };
}

/** Returns RGB if no pixel is transparent. */
export function withoutOpaqueAlpha({ width, height, data }: RgbaImage): Pixels {
  const rgba = new Uint8Array(data.buffer, data.byteOffset, data.length);
  return withoutRedundantChannels({ width, height, channels: 4, data: rgba }, false);
}

export type WasmModule = object;

/** Addresses and lengths are in bytes of the module's memory. */
interface Oxipng {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly __wbindgen_malloc: (bytes: number, alignment: number) => number;
  readonly __wbindgen_free: (at: number, bytes: number, alignment: number) => void;
  readonly __wbindgen_add_to_stack_pointer: (bytes: number) => number;
  /** Writes the address and the length of the result to the first argument. */
  readonly optimise: (
    result: number,
    file: number,
    bytes: number,
    level: number,
    interlace: number,
    optimiseAlpha: number,
  ) => void;
}

/** An instance of oxipng whose memory has grown beyond this is replaced. */
const LARGE_MEMORY_BYTES = 64_000_000;

export type OptimisePng = (png: Uint8Array, level: number) => Uint8Array;

/**
 * Returns oxipng as a function that throws for damaged files, and then starts with a new instance. The
 * binding in its package keeps the first instance, with the memory of each file at which it aborts.
 */
export function bindOxipng(code: WasmModule): OptimisePng {
  let oxipng: Oxipng | undefined;
  return (png, level) => {
    const instance = oxipng ?? instantiate(code);
    oxipng = undefined;
    const optimised = optimise(instance, png, level);
    if (instance.memory.buffer.byteLength <= LARGE_MEMORY_BYTES) oxipng = instance;
    return optimised;
  };
}

function optimise(oxipng: Oxipng, png: Uint8Array, level: number): Uint8Array {
  const result = oxipng.__wbindgen_add_to_stack_pointer(-16);
  const file = oxipng.__wbindgen_malloc(png.length, 1);
  new Uint8Array(oxipng.memory.buffer, file).set(png);
  oxipng.optimise(result, file, png.length, level, 0, 0);
  const [at, bytes] = new Uint32Array(oxipng.memory.buffer, result, 2);
  const optimised = new Uint8Array(oxipng.memory.buffer, at, bytes).slice();
  oxipng.__wbindgen_free(at, bytes, 1);
  oxipng.__wbindgen_add_to_stack_pointer(16);
  return optimised;
}

function instantiate(code: WasmModule) {
  const fail = (at: number, bytes: number) => {
    throw new Error(Buffer.from(oxipng.memory.buffer, at, bytes).toString());
  };
  const oxipng = new WebAssembly.Instance(code, { wbg: { __wbindgen_throw: fail } }).exports as Oxipng;
  return oxipng;
}
