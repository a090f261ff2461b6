/** npm run fuzz -- http --minutes 10 [--connections N] [--seed N] [--out FOLDER]; exit code 1 for a finding */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import sharp from 'sharp';
import { machine } from '../bench/support.mjs';
import { startService } from '../bench/service-process.mjs';
import { peakMegabytes } from '../support/process-memory.cjs';
import { connections } from './http-requests.mjs';
import { readResponses } from './http-responses.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string' },
    connections: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string', default: 'fuzz-findings' },
  },
});
const folder = process.env.INIT_CWD ?? process.cwd();
/** How long a connection may stay silent before its requests count as done. */
const SILENCE_MS = 150;
const PATIENCE_MS = 10_000;
/** Peak resident set of the service: 150 MB after its start, and 20 requests of half a megabyte at once. */
const MAX_MEGABYTES = 400;
const CONNECTIONS_PER_CHECK = 25;
const LONGEST_MS = 2 ** 31 - 1;

const service = await startService(1, {
  ACCOUNT_REQUESTS_PER_MINUTE: '0',
  SIGNUP_LIMIT_PER_HOUR: '0',
  TINIFY_API: 'on',
});
const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
  .png()
  .toBuffer();
const seed = Number(options.seed ?? Date.now() % 2 ** 31);
const statuses = {};
const findings = new Map();
let tried = 0;

/** Sends the bytes and resolves with all that comes back; rejects when the service stays silent for too long. */
function exchange({ bytes, isHonest, pieces, leave }) {
  return new Promise((resolve, reject) => {
    const received = [];
    const socket = connect(Number(service.url.port), '127.0.0.1');
    const patience = setTimeout(() => done(new Error('stall: no response within 10 s')), PATIENCE_MS);
    let silence;
    const done = (error) => {
      clearTimeout(patience);
      clearTimeout(silence);
      socket.destroy();
      if (error) reject(error);
      else resolve(Buffer.concat(received));
    };
    const listen = () => {
      clearTimeout(silence);
      if (!isHonest || received.length > 0) silence = setTimeout(done, SILENCE_MS);
    };
    socket.on('data', (piece) => (received.push(piece), listen()));
    socket.on('error', () => undefined);
    socket.on('close', () => done());
    socket.on('connect', async () => {
      const size = Math.ceil(bytes.length / pieces);
      for (let at = 0; at < bytes.length; at += size) {
        socket.write(bytes.subarray(at, at + size));
        if (pieces > 1) await new Promise((next) => setImmediate(next));
      }
      if (leave === 'reset') socket.resetAndDestroy();
      if (leave === 'half-close') socket.end();
      listen();
    });
  });
}

async function checkService() {
  const start = performance.now();
  const live = await fetch(new URL('/health/live', service.url));
  if (live.status !== 200) throw new Error(`not alive: ${live.status}`);
  if (performance.now() - start > 2_000) throw new Error('stall: /health/live took 2 s');
  const body = new FormData();
  body.append('image', new Blob([image]), 'a.png');
  const headers = { 'X-API-Key': service.apiKey };
  const good = await fetch(new URL('/api/v1/compress', service.url), { method: 'POST', headers, body });
  if (good.status !== 200) throw new Error(`a good upload got ${good.status}`);
  await good.arrayBuffer();
  const peak = peakMegabytes(service.pid) ?? 0;
  if (peak > MAX_MEGABYTES) throw new Error(`memory: ${peak.toFixed(0)} MB`);
}

const property = fc.asyncProperty(connections(image, service.apiKey), async (connection) => {
  tried++;
  const responses = readResponses(await exchange(connection));
  if (connection.isHonest && responses.length === 0) throw new Error('no response to an honest request');
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  if (tried % CONNECTIONS_PER_CHECK === 0) await checkService();
});

const minutes = Number(options.minutes ?? (options.connections ? Infinity : 1));
const most = Number(options.connections ?? 1e9);
console.log(
  `${machine()}, seed ${seed}, ${options.connections ? `${most} connections` : `${minutes} minutes`}`,
);
const end = performance.now() + Math.min(minutes * 60_000, LONGEST_MS);
for (let run = seed; performance.now() < end && tried < most && findings.size < 5; run++) {
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed: run,
    numRuns: most - tried,
    interruptAfterTimeLimit: end - performance.now(),
    markInterruptAsFailure: false,
  });
  if (!failed || !counterexample) continue;
  const { message = String(errorInstance) } = errorInstance ?? {};
  findings.set(message, (findings.get(message) ?? 0) + 1);
  const [{ bytes, ...rest }] = counterexample;
  const file = resolve(folder, options.out, `http-${run}.bin`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  console.log(`FOUND ${message}\n`, rest, file);
}
await checkService().catch((error) => findings.set(error.message, 1));
console.log(`${tried} connections, statuses ${JSON.stringify(statuses)}`);
console.log(`peak of the service ${peakMegabytes(service.pid)?.toFixed(0) ?? '?'} MB`);
console.log(findings.size === 0 ? 'nothing found' : [...findings.keys()].join('\n'));
await service.stop();
process.exitCode = findings.size === 0 ? 0 : 1;
