/** The workers that compress: their script and its arguments. */
import { join } from 'node:path';
import type { SandboxMode } from '../../application/running/compression-runner.port';
import type { Engine } from '../../options/values';
import { readablePaths, type CodecPackage } from '../../packages/codec-package';
import { LOAD_TRIAL } from '../sandbox/run-trial';
import type { WorkerPoolOptions } from './worker-pool';

/** The script of a worker process. */
export const WORKER_PROCESS = join(__dirname, 'worker-process.js');

/** Returns the options of a pool whose workers compress with an engine, and with formats that packages add. */
export function compressingWith(
  { name, memoryFactor, package: enginePackage }: Engine,
  formatModules: readonly CodecPackage[] = [],
  mode: SandboxMode = 'off',
): Pick<WorkerPoolOptions, 'entry' | 'memoryFactor' | 'sandbox'> {
  const args = [name, ...formatModules.map(({ path }) => path)];
  const packages = [...(enginePackage ? [enginePackage] : []), ...formatModules];
  return {
    entry: [WORKER_PROCESS, ...args],
    memoryFactor,
    sandbox: { mode, trial: [LOAD_TRIAL, ...args], readable: readablePaths(packages) },
  };
}
