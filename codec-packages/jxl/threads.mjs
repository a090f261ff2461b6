/**
 * Runs libjxl in a thread of its own. The memory of a WebAssembly module never shrinks, and fragments from one large image to the
 * next; ending the thread gives all of it back. A new one takes 0.14 s of processor time.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** A thread ends before it would have handled more pixels in total. A larger image gets a thread of its own. */
const MAX_PIXELS = 8_000_000;
/** Of WebAssembly memory, at most; measured. */
const BYTES_PER_PIXEL = 60;

/** Kept for the next threads: V8 compiles a module once for all threads of a process, as long as anything refers to it. */
let modules;
function keepModules() {
  const library = createRequire(import.meta.url).resolve('wasm-vips');
  modules ??= ['vips.wasm', 'vips-jxl.wasm'].map(
    (name) => new WebAssembly.Module(readFileSync(join(dirname(library), name))),
  );
}

/** @type {Thread | undefined} */
let thread;
/** One call at a time, so that images never add up. */
let last = Promise.resolve();

/** An upper estimate. */
export const heldBytes = () => (thread ? thread.pixels * BYTES_PER_PIXEL : 0);

/** Ends the thread after the calls so far. */
export function release() {
  last = last.then(() => thread?.end());
}

/** Sends a message about an image to the thread. Resolves to its result. */
export function run(message, { width, height }) {
  const pixels = width * height;
  const result = last.then(async () => {
    if (thread && thread.pixels + pixels > MAX_PIXELS) await thread.end();
    thread ??= new Thread();
    thread.pixels += pixels;
    const reply = await thread.run(message);
    if (thread && reply.width * reply.height > pixels) thread.pixels += reply.width * reply.height - pixels;
    return reply;
  });
  last = result.catch(() => undefined);
  return result;
}

class Thread {
  pixels = 0;
  #worker = new Worker(new URL('libjxl.mjs', import.meta.url));
  #settle;

  constructor() {
    keepModules();
    this.#worker.unref();
    this.#worker.on('message', (reply) => this.#settle?.(reply));
    this.#worker.on('error', (error) => this.#stopped(error));
    this.#worker.on('exit', () => this.#stopped(new Error('libjxl ended')));
  }

  async run(message) {
    this.#worker.ref();
    const { result, error } = await new Promise((settle) => {
      this.#settle = settle;
      this.#worker.postMessage(message);
    });
    this.#worker.unref();
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async end() {
    if (thread === this) thread = undefined;
    await this.#worker.terminate();
  }

  #stopped(error) {
    if (thread === this) thread = undefined;
    this.#settle?.({ error: error.message });
  }
}
