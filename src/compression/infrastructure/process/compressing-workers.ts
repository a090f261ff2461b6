/** The workers that compress: their script, and the memory that their engine needs. */
import { join } from 'node:path';
import type { EngineName } from '../../application/codecs.port';
import type { WorkerPoolOptions } from './worker-pool';

/** The script of a worker process. */
export const WORKER_PROCESS = join(__dirname, 'worker-process.js');

/**
 * Memory of a worker for an image, as a multiple of memoryDemand(). The portable engine keeps copies in JavaScript and WebAssembly:
 * measured 1.9 times for JPEGs of 14.7 megapixels and 2.0 for 16-bit PNGs.
 */
const MEMORY_FACTOR: Readonly<Record<EngineName, number>> = { native: 1, squoosh: 2 };

/**
 * Returns the options of a pool whose workers compress with an engine.
 * @param formatModules absolute paths of modules that add formats
 */
export function compressingWith(
  engine: EngineName,
  formatModules: readonly string[] = [],
): Pick<WorkerPoolOptions, 'entry' | 'memoryFactor'> {
  return { entry: [WORKER_PROCESS, engine, ...formatModules], memoryFactor: MEMORY_FACTOR[engine] };
}
