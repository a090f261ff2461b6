import { spawnSync } from 'node:child_process';
import type { SandboxMode } from '../../src/compression/application/running/compression-runner.port';
import { isAvailable } from './services';

export const hasBubblewrap =
  process.platform === 'linux' && isAvailable(spawnSync('bwrap', ['--version']).status === 0, 'bubblewrap');

export const MODES: readonly SandboxMode[] = hasBubblewrap ? ['off', 'required'] : ['off'];

export function sandboxed(mode: SandboxMode, ...readable: string[]) {
  return { mode, readable };
}
