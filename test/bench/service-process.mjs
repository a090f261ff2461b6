/** Runs the built service as a separate process, and reads its metrics and those of the system. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root as here } from '../../scripts/prepare.mjs';
import { workersOf } from '../support/process-memory.mjs';

const MIB = 1024 * 1024;

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
  const signUp = async (email) => {
    const response = await fetch(`${url}/api/v1/accounts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    return response.json();
  };
  const { apiKey } = await signUp('bench@example.com');
  return {
    url: new URL(url),
    apiKey,
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
  if (!existsSync(`/proc/${pid}/status`)) return undefined;
  const [service, ...workers] = [pid, ...workersOf(pid)].map(usageOf).filter(Boolean);
  const sum = (of) => workers.reduce((total, worker) => total + of(worker), 0);
  return {
    service: service.residentMib,
    workers: sum((worker) => worker.residentMib),
    servicePeak: service.peakMib,
    peak: service.peakMib + sum((worker) => worker.peakMib),
  };
}

function usageOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mib = (name) =>
      (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024) / MIB;
    return { residentMib: mib('VmRSS'), peakMib: mib('VmHWM') };
  } catch {
    return undefined;
  }
}
