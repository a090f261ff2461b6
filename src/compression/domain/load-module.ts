/**
 * Loads the WebAssembly modules of web-assembly.ts. They are small, have no imports, and are compiled in the
 * thread that uses them.
 */

/** TypeScript declares it only for browsers. */
export const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (compiled: object, imports?: object) => { readonly exports: unknown };
    compile(bytes: Uint8Array): Promise<object>;
  };
};

/**
 * Returns the exports of a new instance. Its memory never shrinks, so a caller keeps one and uses it for
 * every image.
 */
export function loadModule(base64: string): unknown {
  return new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(base64, 'base64'))).exports;
}
