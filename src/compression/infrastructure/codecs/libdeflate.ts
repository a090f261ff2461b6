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
/** 32-bit words of a compressor by index. */
const WORDS: Readonly<Record<Effort, object>> = {
  fast: {},
  // The search depth and the length of matches that end a search. Between those of levels 10 and 11, they take 1.1% more bytes for
  // palettes than level 11, in six tenths of its time.
  balanced: { 4: 70, 5: 100 },
  // Passes over each block: ten instead of four save 0.1%, in 1.3 times the time.
  max: { 2_252_921: 4 },
};
/** One pass instead of two takes 0.3 to 0.7% more bytes for noise, in 0.65 to 0.8 of the time. */
const FOR_NOISE = { 2_252_921: 1 };

/**
 * Input of which zlib at level 1 leaves less than this share repeats over long distances. For 46 such charts, diagrams and drawings,
 * level 12 takes 0.95 of the bytes of `balanced`, in 2.8 times its time; above, up to twice the share, 0.985.
 */
const REPETITIVE = 0.1;
/** Level 12 takes about a second a megabyte here, so longer input would take too long: a page of 7 megapixels 1.9 times the time, for 3.6%. */
export const MOST_REPETITIVE_BYTES = 2 * 1024 * 1024;
/** What is spent on repetitive input. */
const FOR_REPETITIVE: Readonly<Record<Effort, Effort>> = { fast: 'balanced', balanced: 'max', max: 'max' };

let compiled: object | undefined;
let kept: Exports | undefined;

/** @throws Error if there is not enough memory */
export function deflate(bytes: Uint8Array, effort: Effort, isNoise = false): Promise<Uint8Array> {
  return Promise.resolve(deflateRepetitive(bytes, effort) ?? deflateBy(effort, bytes, isNoise));
}

/** Returns undefined for input that is not repetitive, or too long for the effort above. @throws Error as deflate */
export function deflateRepetitive(bytes: Uint8Array, effort: Effort): Uint8Array | undefined {
  const more = FOR_REPETITIVE[effort];
  if (more === 'max' && bytes.length > MOST_REPETITIVE_BYTES) return undefined;
  const isDense = !isRepetitive(bytes.length, deflateSync(bytes, { level: 1 }).length);
  return isDense ? undefined : deflateBy(more, bytes);
}

/** Whether input may be repetitive, by what any deflater has made of it. */
export function isRepetitive(inputBytes: number, deflatedBytes: number): boolean {
  return deflatedBytes < inputBytes * REPETITIVE;
}

function deflateBy(effort: Effort, bytes: Uint8Array, isNoise = false) {
  const instance = kept ?? instantiate();
  // An instance that failed is not used again.
  kept = undefined;
  const compressor = instance.e(LEVELS[effort]);
  const outputBytes = instance.k(compressor, bytes.length);
  const [input, output] = [instance.n(bytes.length), instance.n(outputBytes)];
  if (!compressor || !input || !output) throw new Error('libdeflate is out of memory.');
  const words = effort === 'balanced' && isNoise ? { ...WORDS.balanced, ...FOR_NOISE } : WORDS[effort];
  Object.assign(new Uint32Array(instance.c.buffer, compressor), words);
  new Uint8Array(instance.c.buffer, input).set(bytes);
  const length = instance.j(compressor, input, bytes.length, output, outputBytes);
  const deflated = Buffer.from(new Uint8Array(instance.c.buffer, output, length));
  for (const pointer of [output, input]) instance.o(pointer);
  instance.g(compressor);
  if (instance.c.buffer.byteLength <= MAX_KEPT_BYTES) kept = instance;
  return deflated;
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
