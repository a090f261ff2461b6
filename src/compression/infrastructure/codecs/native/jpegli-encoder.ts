/**
 * jpegli (Szabadka, Alakuijala et al., Google, 2023) as WebAssembly. The module imports nothing that reaches
 * the system and works on its own memory alone; libvips decodes its output, which is scored before it is
 * delivered.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dimensions } from '../../../domain/dimensions';
import { WebAssembly, type WasmModule } from '../../../domain/load-module';
import type { ChromaSubsampling, Pixels } from '../../../domain/pixels';
import { isFrameHeader, readJpegHead } from '../../../formats/jpeg/jpeg-segments';

interface Instance extends WasmModule {
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  /** Writes the length of the JPEG to `sizeAt` (u32). Returns 0 if the encoder fails. */
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

export interface JpegliSettings {
  /** 1..100 on libjpeg's scale, which jpegli maps to a distance. */
  readonly quality: number;
  readonly chroma: ChromaSubsampling;
  /** Progressive files are about 5% smaller and take twice the time to encode; the pixels are the same. */
  readonly isProgressive: boolean;
  /** Adaptive quantization; on by default. If off, each coefficient is rounded to the nearest multiple of its step. */
  readonly isAdaptive?: boolean;
}

const COLOUR_SPACE = { grey: 1, rgba: 2 } as const;
const CHROMA: Readonly<Record<ChromaSubsampling, number>> = { '4:4:4': 0, '4:2:0': 2 };
const PROGRESSIVE_LEVEL = 2;
const BLOCK = 8;
/** Whole blocks up to the encoder's limit of 65 500 px; longer grey images are encoded in colour. */
const MAX_GREY_SIDE = 65_496;

export class JpegliEncoder {
  private readonly compiled: object;
  private instance: Instance | undefined;

  /** @throws Error when the module cannot be read or compiled */
  constructor(path = join(__dirname, 'jpegli.wasm')) {
    this.compiled = new WebAssembly.Module(readFileSync(path));
    this.instance = this.instantiate();
  }

  /** Returns the pixels as a JPEG. @throws Error when the encoder fails or memory runs out */
  encode(pixels: Pixels, settings: JpegliSettings): Buffer {
    const isGrey = pixels.channels === 1 && Math.max(pixels.width, pixels.height) <= MAX_GREY_SIDE;
    const source = isGrey ? inWholeBlocks(pixels) : pixels;
    const { width, height } = source;
    const instance = (this.instance ??= this.instantiate());
    // An instance that failed is not used again.
    this.instance = undefined;
    const bytes = width * height * (isGrey ? 1 : 4);
    const pixelsAt = instance.malloc(bytes);
    const sizeAt = instance.malloc(Uint32Array.BYTES_PER_ELEMENT);
    if (pixelsAt === 0 || sizeAt === 0) throw new Error('jpegli is out of memory.');
    const samples = new Uint8Array(instance.memory.buffer, pixelsAt, bytes);
    if (source.data.length === bytes) samples.set(source.data);
    else writeRgba(source, samples);
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
    this.instance = instance;
    if (isGrey) setFrameSize(jpeg, pixels);
    return jpeg;
  }

  /** The memory of an instance never shrinks, but with a new one the next large image takes a quarter longer. */
  releaseMemory(maxBytes: number): boolean {
    const bytes = this.instance?.memory.buffer.byteLength ?? 0;
    if (bytes <= maxBytes) return false;
    this.instance = undefined;
    return true;
  }

  private instantiate() {
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

/** Repeats the last column and row: the module would read other images in its memory to complete grey blocks. */
function inWholeBlocks(pixels: Pixels): Pixels {
  const [width, height] = [pixels.width, pixels.height].map((side) => Math.ceil(side / BLOCK) * BLOCK);
  if (width === pixels.width && height === pixels.height) return pixels;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const from = Math.min(y, pixels.height - 1) * pixels.width;
    const end = from + pixels.width;
    data.set(pixels.data.subarray(from, end), y * width);
    data.fill(pixels.data[end - 1], y * width + pixels.width, (y + 1) * width);
  }
  return { width, height, channels: 1, data };
}

/** ITU-T T.81 B.2.2. The number of blocks must stay the same. */
function setFrameSize(jpeg: Buffer, { width, height }: Dimensions) {
  for (const { marker, start } of readJpegHead(jpeg).segments) {
    if (!isFrameHeader(marker)) continue;
    jpeg.writeUInt16BE(height, start + 5);
    jpeg.writeUInt16BE(width, start + 7);
  }
}

/** The encoder ignores alpha. */
function writeRgba({ channels, data }: Pixels, to: Uint8Array) {
  const [green, blue] = channels === 3 ? [1, 2] : [0, 0];
  for (let i = 0, p = 0; i < to.length; i += 4, p += channels) {
    to[i] = data[p];
    to[i + 1] = data[p + green];
    to[i + 2] = data[p + blue];
    to[i + 3] = 255;
  }
}
