/** libdeflate (Eric Biggers) as WebAssembly: at level 10 it is 6 to 9% smaller than zlib at 9, in half the time, except for repetitive data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Effort } from '../../domain/compression-policy';
import { WebAssembly } from '../../domain/load-module';

/** The module has these names in place of the library's. */
interface Exports {
  readonly c: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Runs the constructors. */
  d(): void;
  /** libdeflate_alloc_compressor */
  e(level: number): number;
  /** libdeflate_free_compressor */
  g(compressor: number): void;
  /** libdeflate_zlib_compress */
  j(compressor: number, input: number, inputBytes: number, output: number, outputBytes: number): number;
  /** libdeflate_zlib_compress_bound */
  k(compressor: number, inputBytes: number): number;
  /** malloc */
  n(bytes: number): number;
  /** free */
  o(pointer: number): void;
}

const PAGE_BYTES = 65_536;
/** The memory of an instance never shrinks; a larger one is not used again. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Levels of libdeflate, 1..12. */
const LEVELS: Readonly<Record<Effort, number>> = { fast: 8, balanced: 10, max: 12 };
/**
 * 32-bit words of a compressor by index: its search depth and the length of matches that end a search. Between those of levels 10 and 11,
 * they take 1.1% more bytes for palettes than level 11, in six tenths of its time.
 */
const BALANCED = { 4: 70, 5: 100 };
/** Passes over each block. One instead of two takes 0.3 to 0.7% more bytes for noise, in 0.65 to 0.8 of the time. */
const FOR_NOISE = { 2_252_921: 1 };

/**
 * Below this share of the input, zlib at 9 is tried, too. Its longer matches take 6.5% fewer bytes for the rows of 39 charts, diagrams
 * and drawings, in a third of the time of level 10; above, zlib was smaller for 4 of 150.
 */
const REPETITIVE = 0.03;

let compiled: object | undefined;
let kept: Exports | undefined;

/** @throws Error if there is not enough memory */
export function deflate(bytes: Uint8Array, effort: Effort, isNoise = false): Promise<Uint8Array> {
  const instance = kept ?? instantiate();
  // An instance that failed is not used again.
  kept = undefined;
  const compressor = instance.e(LEVELS[effort]);
  const outputBytes = instance.k(compressor, bytes.length);
  const [input, output] = [instance.n(bytes.length), instance.n(outputBytes)];
  if (!compressor || !input || !output) throw new Error('libdeflate is out of memory.');
  if (effort === 'balanced')
    Object.assign(new Uint32Array(instance.c.buffer, compressor), BALANCED, isNoise && FOR_NOISE);
  new Uint8Array(instance.c.buffer, input).set(bytes);
  const length = instance.j(compressor, input, bytes.length, output, outputBytes);
  const deflated = Buffer.from(new Uint8Array(instance.c.buffer, output, length));
  for (const pointer of [output, input]) instance.o(pointer);
  instance.g(compressor);
  if (instance.c.buffer.byteLength <= MAX_KEPT_BYTES) kept = instance;
  return Promise.resolve(byZlib(bytes, length) ?? deflated);
}

/** Returns the bytes as zlib deflates them, if that is smaller than what libdeflate takes. */
export function byZlib(bytes: Uint8Array, libdeflateBytes: number): Uint8Array | undefined {
  if (!isRepetitive(bytes.length, libdeflateBytes)) return undefined;
  const deflated = deflateSync(bytes, { level: 9 });
  return deflated.length < libdeflateBytes ? deflated : undefined;
}

/** Whether that is possible. */
export function isRepetitive(inputBytes: number, libdeflateBytes: number): boolean {
  return libdeflateBytes < inputBytes * REPETITIVE;
}

function instantiate() {
  compiled ??= new WebAssembly.Module(readFileSync(join(__dirname, 'libdeflate.wasm')));
  const instance = new WebAssembly.Instance(compiled, { a: { a: growTo, b: copy } }).exports as Exports;
  instance.d();
  return instance;

  function growTo(bytes: number) {
    try {
      instance.c.grow(Math.ceil((bytes - instance.c.buffer.byteLength) / PAGE_BYTES));
      return true;
    } catch {
      return false;
    }
  }

  function copy(to: number, from: number, bytes: number) {
    new Uint8Array(instance.c.buffer).copyWithin(to, from, from + bytes);
  }
}
