/** Worker pools of tests, with and without a sandbox. */
import { spawnSync } from 'node:child_process';
import type { SandboxMode } from '../../src/compression/application/running/compression-runner.port';
import { isAvailable } from './services';

/** Whether workers can be confined with bubblewrap. */
export const hasBubblewrap =
  process.platform === 'linux' && isAvailable(spawnSync('bwrap', ['--version']).status === 0, 'bubblewrap');

/** The modes in which a pool must behave alike. */
export const MODES: readonly SandboxMode[] = hasBubblewrap ? ['off', 'required'] : ['off'];

/** @param readable files and folders of the worker */
export function sandboxed(mode: SandboxMode, ...readable: string[]) {
  return { mode, readable };
}
