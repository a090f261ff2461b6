/** Danger: a service that is killed while its workers start leaves processes behind. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/eventually';
import { hasBubblewrap } from '../support/sandboxes';

const INFRASTRUCTURE = join(__dirname, ...['..', '..', 'dist', 'compression', 'infrastructure']);
const marker = `killed-start-${process.pid}`;
/**
 * Starts a worker that is in no pool, and kills itself as soon as the wanted number of its processes runs, each the child of the one
 * before, or a little later. It reads no more than their children, because the moments that matter take less than a millisecond.
 */
const SERVICE = `
  const { readFileSync, writeSync } = require('node:fs');
  const { bubblewrap } = require('./sandbox/bubblewrap.js');
  const { WorkerFiles } = require('./sandbox/worker-files.js');
  const { spawnWorker } = require('./process/spawn-worker.js');
  const [wanted, later] = process.argv.slice(1).map(Number);
  const libraries = process.report.getReport().sharedObjects.filter((path) => path.startsWith('/'));
  const sandbox = bubblewrap(new WorkerFiles([]), libraries);
  const entry = [require.resolve('./process/worker-process.js'), 'native', '${marker}'];
  const { process: { pid } } = spawnWorker(entry, sandbox);
  const count = (parent) => {
    const child = parseInt(readFileSync(\`/proc/\${parent}/task/\${parent}/children\`, 'latin1'));
    return child ? 1 + count(child) : 1;
  };
  while (count(pid) < wanted);
  for (let i = 0; i < later; i++) count(pid);
  writeSync(1, 'killed');
  process.kill(process.pid, 'SIGKILL');`;

/** The shell, bubblewrap's monitor, its reaper, and the worker itself. */
const PROCESSES = [1, 2, 3, 4];
const LATER = [0, 10, 30, 100];

function left() {
  return readdirSync('/proc').filter((pid) => {
    try {
      return Number(pid) > 0 && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(marker);
    } catch {
      return false;
    }
  });
}

(hasBubblewrap ? it : it.skip).each(PROCESSES)(
  'a worker of which %i processes run ends with its service',
  async (processes) => {
    for (const later of LATER) {
      const args = ['-e', SERVICE, String(processes), String(later)];
      // If nothing starts, the service waits until it is stopped, and prints nothing.
      const options = { cwd: INFRASTRUCTURE, encoding: 'utf8', timeout: 60_000 } as const;
      const { stdout, stderr } = spawnSync(process.execPath, args, options);
      expect([stdout, stderr]).toEqual(['killed', '']);
    }
    await until(() => left().length === 0);
  },
);
