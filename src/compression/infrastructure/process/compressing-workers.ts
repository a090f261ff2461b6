/** The workers that compress: their script and its arguments. */
import { join } from 'node:path';
import type { Engine } from '../../options/engine';
import type { CodecPackage } from '../../packages/codec-package';
import type { WorkerPoolOptions } from './worker-pool';

/** The script of a worker process. */
export const WORKER_PROCESS = join(__dirname, 'worker-process.js');

/** Returns the options of a pool whose workers compress with an engine, and with formats that packages add. */
export function compressingWith(
  { name, memoryFactor }: Engine,
  formatModules: readonly CodecPackage[] = [],
): Pick<WorkerPoolOptions, 'entry' | 'memoryFactor'> {
  return { entry: [WORKER_PROCESS, name, ...formatModules.map(({ path }) => path)], memoryFactor };
}
