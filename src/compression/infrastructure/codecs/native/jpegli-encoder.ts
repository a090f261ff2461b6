/**
 * jpegli as a WebAssembly module: the JPEG encoder of the JPEG XL project (Z. Szabadka, J. Alakuijala et al., Google,
 * 2023), with adaptive quantization and its own quantization tables.
 *
 * The module imports nothing that reaches the system and works only on its own memory. Another library decodes its output
 * for the score before it is delivered.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChromaSubsampling, Pixels } from '../../../domain/pixels';

/** The exports of the module; pointers are offsets into its memory. */
interface Instance {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  /** Returns a pointer to the JPEG and writes its length to `sizeAt` (u32). Returns 0 if the encoder fails. */
  encode(
    pixels: number,
    width: number,
    height: number,
    colourSpace: number,
    chroma: number,
    sizeAt: number,
    quality: number,
    progressiveLevel: number,
    optimizeCoding: number,
    adaptiveQuantization: number,
    standardTables: number,
    fancyDownsampling: number,
    dctMethod: number,
  ): number;
}

/** TypeScript declares WebAssembly only for browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (compiled: object, imports: object) => { readonly exports: unknown };
};

export interface JpegliSettings {
  /** 1..100 on libjpeg's scale, which jpegli maps to a distance. */
  readonly quality: number;
  readonly chroma: ChromaSubsampling;
  /** Progressive files are about 5 % smaller and take twice the time to encode; the pixels are the same. */
  readonly isProgressive: boolean;
  /** Adaptive quantization; on by default. If off, each coefficient is rounded to the nearest multiple of its step. */
  readonly isAdaptive?: boolean;
}

/** Values of libjpeg's J_COLOR_SPACE and of the wrapper. */
const COLOUR_SPACE = { grey: 1, rgba: 2 } as const;
const CHROMA: Readonly<Record<ChromaSubsampling, number>> = { '4:4:4': 0, '4:2:0': 2 };
const PROGRESSIVE_LEVEL = 2;
/** WebAssembly memory never shrinks, so a larger instance is discarded. A new one takes 1 ms. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MODULE = 'jpegli.wasm';

export class JpegliEncoder {
  private readonly compiled: object;
  private instance: Instance | undefined;

  /**
   * Compiles the module that the build copied next to this file.
   * @throws Error when the module cannot be read or compiled
   */
  constructor(path = modulePath()) {
    this.compiled = new WebAssembly.Module(readFileSync(path));
    this.instance = this.instantiate();
  }

  /**
   * Returns the pixels as a JPEG file.
   * @throws Error when the encoder fails
   */
  encode(pixels: Pixels, settings: JpegliSettings): Buffer {
    const { width, height, channels } = pixels;
    const instance = (this.instance ??= this.instantiate());
    // Kept only after success: an instance that fails is not used again.
    this.instance = undefined;
    const isGrey = channels === 1;
    const bytes = width * height * (isGrey ? 1 : 4);
    const pixelsAt = instance.malloc(bytes);
    const sizeAt = instance.malloc(Uint32Array.BYTES_PER_ELEMENT);
    if (pixelsAt === 0 || sizeAt === 0) throw new Error('jpegli is out of memory.');
    writeSamples(pixels, new Uint8Array(instance.memory.buffer, pixelsAt, bytes));
    const { quality, chroma, isProgressive, isAdaptive = true } = settings;
    const jpegAt = instance.encode(
      pixelsAt,
      width,
      height,
      isGrey ? COLOUR_SPACE.grey : COLOUR_SPACE.rgba,
      CHROMA[chroma],
      sizeAt,
      quality,
      isProgressive ? PROGRESSIVE_LEVEL : 0,
      1,
      isAdaptive ? 1 : 0,
      0,
      0,
      0,
    );
    if (jpegAt === 0) throw new Error('jpegli failed.');
    const { buffer } = instance.memory;
    const size = new DataView(buffer).getUint32(sizeAt, true);
    const jpeg = Buffer.from(new Uint8Array(buffer, jpegAt, size));
    for (const pointer of [jpegAt, sizeAt, pixelsAt]) instance.free(pointer);
    if (buffer.byteLength <= MAX_KEPT_BYTES) this.instance = instance;
    return jpeg;
  }

  private instantiate(): Instance {
    const stop = () => {
      throw new Error('jpegli exited.');
    };
    const system = { fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0, proc_exit: stop };
    const { exports } = new WebAssembly.Instance(this.compiled, { wasi_snapshot_preview1: system });
    const instance = exports as Instance;
    instance._initialize();
    return instance;
  }
}

/** Returns the path of the module: next to the built file or, when the sources run without a build, in its package. */
function modulePath(): string {
  const built = join(__dirname, MODULE);
  return existsSync(built) ? built : require.resolve(`@samatech/image-opt/${MODULE}`);
}

/** Writes grey or RGBA samples; the encoder ignores alpha. */
function writeSamples({ channels, data }: Pixels, to: Uint8Array): void {
  if (channels === 1 || channels === 4) {
    to.set(data);
    return;
  }
  const [green, blue] = channels === 3 ? [1, 2] : [0, 0];
  for (let i = 0, p = 0; i < to.length; i += 4, p += channels) {
    to[i] = data[p];
    to[i + 1] = data[p + green];
    to[i + 2] = data[p + blue];
    to[i + 3] = 255;
  }
}
