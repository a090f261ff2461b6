/**
 * npm run bench:faults
 * npm run bench:faults -- --usage     only the usage after replicas were killed
 *
 * What clients see of faults: a service under steady load meets one after the other, and every answer is counted. Needs
 * PostgreSQL and Redis (TEST_POSTGRES_URL, TEST_REDIS_URL, or the local ones). Prints a table; judges nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { root } from '../../scripts/prepare.mjs';
import { TcpProxy } from '../support/tcp-proxy.cjs';
import { usageAfterKills } from './killed-replicas.mjs';
import { startService } from './service-process.mjs';
import { machine } from './support.mjs';

const CLIENTS = 4;
const WORKERS = 2;
/** Duration of a store outage, and of the observation before and after each fault. */
const OUTAGE_MS = 3_000;
const CALM_MS = 2_000;
/** Only responses with 200 for this time count as recovered. */
const SETTLED_MS = 1_500;

const image = readFileSync(join(root, 'examples', 'sample.jpg'));
const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
if (process.argv.includes('--usage')) {
  await killReplicas();
  process.exit(0);
}
const database = `ics_bench_${process.pid}`;
await onServer(`CREATE DATABASE ${database}`);
const postgres = new TcpProxy(Object.assign(new URL(serverUrl), { pathname: database }).toString());
const redis = new TcpProxy(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
await Promise.all([postgres.open(), redis.open()]);
const service = await startService(WORKERS, {
  DATABASE_URL: postgres.url,
  REDIS_URL: redis.url,
  RATE_LIMIT_PER_MINUTE: '1000000',
});

/** Every response with its time. */
const answers = [];
/** Send times of the requests without a response. */
const waiting = new Set();
let isLoading = true;
const clients = Array.from({ length: CLIENTS }, async () => {
  while (isLoading) {
    const sentAt = performance.now();
    waiting.add(sentAt);
    const outcome = await send();
    waiting.delete(sentAt);
    answers.push({ sentAt, at: performance.now(), outcome });
    if (outcome !== '200') await pause(50);
  }
});

async function send(signal, apiKey = service.apiKey) {
  const form = new FormData();
  form.append('image', new Blob([image]), 'sample.jpg');
  try {
    const response = await fetch(new URL('/api/v1/compress', service.url), {
      method: 'POST',
      headers: { 'X-API-Key': apiKey },
      body: form,
      signal,
    });
    const body = await response.arrayBuffer();
    return response.status === 200 ? '200' : `${response.status} ${JSON.parse(Buffer.from(body)).code}`;
  } catch {
    return 'no answer';
  }
}

const workers = () =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(service.pid)], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter(Boolean);
const signalTo = (pids, signal) => pids.forEach((pid) => process.kill(pid, signal));
const outage = (wire, end) => async () => {
  await wire[end]();
  await pause(OUTAGE_MS);
  await wire.open();
};

const faults = [
  ['one worker is killed (-9)', () => signalTo(workers().slice(0, 1), 'SIGKILL')],
  ['all workers are killed (-9)', () => signalTo(workers(), 'SIGKILL')],
  ['one worker hangs (-STOP)', () => signalTo(workers().slice(0, 1), 'SIGSTOP')],
  [`Redis is away for ${OUTAGE_MS / 1000} s`, outage(redis, 'cut')],
  [`Redis hangs for ${OUTAGE_MS / 1000} s`, outage(redis, 'silence')],
  [`PostgreSQL is away for ${OUTAGE_MS / 1000} s`, outage(postgres, 'cut')],
  [`PostgreSQL hangs for ${OUTAGE_MS / 1000} s`, outage(postgres, 'silence')],
  ['50 callers leave in the midst of it', leave],
];

/** With an account of its own: an image that was made and not received counts. */
async function leave() {
  const { apiKey } = await service.signUp('leaving@example.com');
  const controller = new AbortController();
  const leaving = Array.from({ length: 50 }, () => send(controller.signal, apiKey));
  await pause(300);
  controller.abort();
  await Promise.all(leaving);
}

console.log(`${machine()}; ${CLIENTS} clients, ${image.length} bytes each, ${WORKERS} workers\n`);
console.log('fault | answers during it | slowest answer | back to normal after | lost');
for (const [name, inject] of faults) {
  await pause(CALM_MS);
  const start = performance.now();
  await inject();
  const end = performance.now();
  await settled();
  report(name, start, end);
}
await stopUnderLoad();
await compareUsage();
await Promise.all([postgres.cut(), redis.cut()]);
await onServer(`DROP DATABASE ${database} WITH (FORCE)`);
await killReplicas();

/** On both stores. */
async function killReplicas() {
  console.log('\nstore | key | images received | usage by month | difference | allowed | within');
  const [folder, name] = [mkdtempSync(join(tmpdir(), 'ics-bench-')), `ics_bench_killed_${process.pid}`];
  await usageAfterKills('SQLite', `sqlite:${join(folder, 'service.db')}`, image);
  rmSync(folder, { recursive: true, force: true });
  await onServer(`CREATE DATABASE ${name}`);
  await usageAfterKills(
    'PostgreSQL',
    Object.assign(new URL(serverUrl), { pathname: name }).toString(),
    image,
  );
  await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
}

async function onServer(statement) {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Usage in the database after everything, beside the images that clients have received. */
async function compareUsage() {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT images::int AS total,
        (SELECT sum(m.images)::int FROM monthly_usage m WHERE m.account_id = a.id) AS "byMonth"
      FROM accounts a WHERE email = 'bench@example.com'`,
  );
  await client.end();
  const received = answers.filter(({ outcome }) => outcome === '200').length;
  const { total, byMonth } = rows[0];
  console.log(`\nimages received: ${received}; usage: ${total}; usage by month: ${byMonth}`);
}

/** Waits until all earlier requests have responses, and recent responses were all successful. */
async function settled() {
  const from = performance.now();
  for (;;) {
    await pause(100);
    if ([...waiting].some((sentAt) => sentAt < from)) continue;
    const late = answers.filter(({ at }) => at > Math.max(from, performance.now() - SETTLED_MS));
    if (
      performance.now() - from > SETTLED_MS &&
      late.length > 0 &&
      late.every(({ outcome }) => outcome === '200')
    )
      return;
  }
}

function report(name, start, end) {
  const during = answers.filter(({ at }) => at >= start);
  const counts = {};
  for (const { outcome } of during) counts[outcome] = (counts[outcome] ?? 0) + 1;
  const slowest = Math.max(...during.map(({ sentAt, at }) => at - sentAt));
  const bad = during.filter(({ outcome }) => outcome !== '200');
  const firstGood = (after) => during.find(({ at, outcome }) => at > after && outcome === '200')?.at ?? end;
  const back = bad.length === 0 ? 0 : firstGood(bad.at(-1).at) - end;
  const text = Object.entries(counts).map(([outcome, count]) => `${outcome}: ${count}`);
  const seconds = (ms) => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  console.log(
    [
      name,
      text.join(', '),
      seconds(slowest),
      bad.length ? seconds(back) : 'at once',
      counts['no answer'] ?? 0,
    ].join(' | '),
  );
}

/** Last: all accepted images get a response, and the process exits by itself. */
async function stopUnderLoad() {
  await pause(CALM_MS);
  const start = performance.now();
  const stopping = service.stop();
  await pause(200);
  isLoading = false;
  const code = await stopping;
  const ms = performance.now() - start;
  await Promise.all(clients);
  // A client that connects after the exit gets no response; it was not accepted, and the proxy would retry it.
  const during = answers.filter(({ sentAt, at }) => sentAt < start && at >= start);
  const lost = during.filter(({ outcome }) => outcome === 'no answer').length;
  const refused = answers.filter(({ outcome }) => outcome === '503 draining').length;
  console.log(
    `SIGTERM under load | accepted before: ${during.length - lost} of ${during.length} answered; 503 draining: ${refused} | - | exit ${code} after ${(ms / 1000).toFixed(1)} s | ${lost}`,
  );
}
