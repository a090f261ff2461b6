/**
 * The binding of oxipng's WebAssembly module. The one in its package keeps its first instance for as long as the process lives: a
 * damaged file, at which oxipng aborts, leaves its memory behind in it, and the memory of an instance never shrinks.
 */
/** A compiled module. */
export type WasmModule = object;

/** The exports of the module; addresses and lengths are in bytes of its memory. */
interface Oxipng {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly __wbindgen_malloc: (bytes: number, alignment: number) => number;
  readonly __wbindgen_free: (at: number, bytes: number, alignment: number) => void;
  readonly __wbindgen_add_to_stack_pointer: (bytes: number) => number;
  /** Takes the memory of the file, and writes the address and the length of the result to the first argument. */
  readonly optimise: (
    result: number,
    file: number,
    bytes: number,
    level: number,
    interlace: number,
    optimiseAlpha: number,
  ) => void;
}

/** TypeScript declares WebAssembly only for browsers. */
declare const WebAssembly: {
  Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown };
};

/** An instance whose memory has grown beyond this is replaced. */
const LARGE_BYTES = 64_000_000;

export type OptimisePng = (png: Uint8Array, level: number) => Uint8Array;

/** Returns a function that throws for damaged files, and starts with a new instance after them. */
export function oxipngOf(code: WasmModule): OptimisePng {
  let oxipng: Oxipng | undefined;
  return (png, level) => {
    const instance = oxipng ?? instanceOf(code);
    oxipng = undefined;
    const optimised = optimise(instance, png, level);
    if (instance.memory.buffer.byteLength <= LARGE_BYTES) oxipng = instance;
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

function instanceOf(code: WasmModule): Oxipng {
  const fail = (at: number, bytes: number) => {
    throw new Error(Buffer.from(oxipng.memory.buffer, at, bytes).toString());
  };
  const oxipng = new WebAssembly.Instance(code, { wbg: { __wbindgen_throw: fail } }).exports as Oxipng;
  return oxipng;
}
