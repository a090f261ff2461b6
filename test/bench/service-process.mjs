/** Runs the built service as a separate process, and reads its metrics and those of the system. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root as here } from '../../scripts/prepare.mjs';
import { peakMegabytes, residentMegabytes, workersOf } from '../support/process-memory.cjs';
import { sum } from './support.mjs';

/** Starts it as the container does, without the limits that would stop a benchmark. @param env further settings */
export async function startService(workers, { root = here, ...env } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ics-bench-'));
  const child = spawn(process.execPath, ['--initial-old-space-size=96', join(root, 'dist', 'main.js')], {
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      WORKERS: String(workers),
      RATE_LIMIT_PER_MINUTE: '0',
      METRICS_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const [metricsPort, url] = await new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`The service ended with exit code ${code}: ${output}`)));
    child.stdout.on('data', (piece) => {
      if (output.length > 100_000) return;
      output += piece;
      const [, port] = /"port":(\d+),"message":"metrics"/.exec(output) ?? [];
      const [, address] = /"url":"([^"]+)".*"listening"/.exec(output) ?? [];
      if (port && address) resolve([port, address]);
    });
  });
  /** Creates an account, and returns its key. */
  const signUp = async (name) => {
    const response = await fetch(`${url}/api/v1/accounts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `${name}@example.com` }),
    });
    return (await response.json()).apiKey;
  };
  return {
    url: new URL(url),
    port: Number(new URL(url).port),
    apiKey: await signUp('bench'),
    signUp,
    pid: child.pid,
    async metrics() {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
      return Object.fromEntries(lines.map((line) => [line.split(' ')[0], Number(line.split(' ').at(-1))]));
    },
    async stop(signal = 'SIGTERM') {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      const code = await exited;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** Memory of the service and its workers in MiB; undefined where there is no /proc. */
export function usage(pid) {
  const inMib = (megabytes = 0) => (megabytes * 1e6) / 1024 ** 2;
  const [resident, peak] = [residentMegabytes, peakMegabytes].map((read) => (id) => inMib(read(id)));
  if (residentMegabytes(pid) === undefined) return undefined;
  const workers = workersOf(pid);
  return {
    service: resident(pid),
    workers: sum(workers, resident),
    servicePeak: peak(pid),
    peak: sum([pid, ...workers], peak),
  };
}
