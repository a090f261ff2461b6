import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare('tests');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const args = [jest, '--config', join('config', 'jest.config.cjs'), ...process.argv.slice(2)];
// Jest needs this flag to import ES modules, such as the WebAssembly codecs.
const flags = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  // Garbage collection took a tenth of the processor time. With these sizes, in MiB, it begins later.
  '--initial-old-space-size=512',
  '--max-semi-space-size=64',
];
const { status } = spawnSync(process.execPath, [...flags, ...args], { stdio: 'inherit', cwd: root });
process.exit(status ?? 1);
