/**
 * Lists the files whose functions run for one upload, in the service and in its worker:
 * node test/bench/walk.mjs [IMAGE] [--list]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { prepare, root } from '../../scripts/prepare.mjs';
import { workersOf } from '../support/process-memory.mjs';
import { startService } from './service-process.mjs';

prepare('tests');
const [typed = join(root, 'examples', 'sample.jpg')] = process.argv
  .slice(2)
  .filter((text) => text[0] !== '-');
const image = readFileSync(resolve(process.env.INIT_CWD ?? '.', typed));
const folder = mkdtempSync(join(tmpdir(), 'ics-walk-'));
const hook = `file://${join(root, 'test', 'bench', 'walk', 'count-calls.mjs')}?folder=${folder}`;
const service = await startService(1, { NODE_OPTIONS: `--import ${hook}`, WORKER_SANDBOX: 'off' });

// The first upload starts what later ones find running.
await upload();
const processes = [service.pid, ...workersOf(service.pid)];
for (const pid of processes) await filesOf(pid);
await upload();
for (const [i, pid] of processes.entries()) {
  const files = await filesOf(pid);
  console.log(`${i === 0 ? 'service' : 'worker'}: ${files.length} files`);
  if (process.argv.includes('--list')) console.log(files.map((file) => `  ${file}`).join('\n'));
}
await service.stop();
rmSync(folder, { recursive: true });

async function upload() {
  const form = new FormData();
  form.append('image', new Blob([image]), 'image');
  const headers = { 'X-API-Key': service.apiKey };
  const response = await fetch(new URL('/api/v1/compress', service.url), {
    method: 'POST',
    headers,
    body: form,
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Returns the files with functions that ran since the last call. */
async function filesOf(pid) {
  const path = join(folder, String(pid));
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(path)) await delay(20);
  const files = readFileSync(path, 'utf8').split('\n');
  rmSync(path);
  return files;
}
