/**
 * Loads the WebAssembly modules of web-assembly.ts. They are small, have no imports, and are compiled in the
 * thread that uses them.
 */
import { once } from './once';

/** TypeScript declares it only for browsers. */
export const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (compiled: object, imports?: object) => { readonly exports: unknown };
    compile(bytes: Uint8Array): Promise<object>;
  };
};

/** The exports of a module. @param Address the functions that return an offset into its memory */
export type WasmModule<Address extends string = never> = {
  readonly memory: { readonly buffer: ArrayBuffer };
} & Readonly<Record<Address, () => number>>;

/**
 * Returns a function for the exports of one instance, which is made on first use. Its memory never shrinks, so it
 * is used for every image.
 * @param prepare fills its tables
 */
export function loadModule<Exports extends WasmModule>(
  base64: string,
  prepare?: (module: Exports) => void,
): () => Exports {
  return once(() => {
    const compiled = new WebAssembly.Module(Buffer.from(base64, 'base64'));
    const module = new WebAssembly.Instance(compiled).exports as Exports;
    prepare?.(module);
    return module;
  });
}
