import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const args = [jest, '--config', join('config', 'jest.config.cjs'), ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root });
process.exit(status ?? 1);
