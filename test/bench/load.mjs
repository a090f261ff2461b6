/** npm run bench -- load [FOLDER] [--seconds 20]: 1 to 32 clients of the service, against its workers without HTTP */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/prepare.mjs';
import { bodiesOf, sendWith } from './load-generator.mjs';
import { startService, usage } from './service-process.mjs';
import { folderOf, imagesIn, load, machine, median, rowOf, sum } from './support.mjs';

const CLIENTS = [1, 2, 4, 8, 16, 32];
const PAIRS = 3;
const SAMPLE_MS = 100;
const IMAGES_A_CLIENT = 3;
const WIDTHS = [7, 9, 6, 6, 6, 11, 10, 8, 9, 11];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '20' } },
});
const folder = folderOf(positionals[0]);
const images = existsSync(folder) ? imagesIn(folder, /\.(jpe?g|png)$/i) : [];
if (images.length === 0 || !(Number(values.seconds) > 0)) {
  console.error(`There are no images in ${folder}, or --seconds is not a number above 0.`);
  process.exit(2);
}
const { compression: settings } = load('settings/settings.js').readSettings(process.env);
const { workers } = settings.pool;
const sizes = images.map(({ bytes }) => bytes.length / 1024);
console.log(`${machine()}, ${availableParallelism()} cores to be used`);
console.log(
  `${workers} workers, ${images.length} images of ${Math.min(...sizes).toFixed(0)} to ${Math.max(...sizes).toFixed(0)} KiB, median ${median(sizes).toFixed(0)} KiB\n`,
);
const { WorkerPool } = load('compression/infrastructure/process/worker-pool.js');
const { compressingWith } = load('compression/infrastructure/process/spawn-worker.js');
const pool = new WorkerPool({ ...compressingWith({ ...settings, sandbox: 'off' }), queueLimit: Infinity });
await pool.start();
const service = await startService(workers);
const bodies = bodiesOf(images);

/** The same workers, fed from memory without idle time: images per second. */
async function bare(passes) {
  const signal = new AbortController().signal;
  const next = inTurn(images, passes);
  const start = performance.now();
  await Promise.all(
    Array.from({ length: workers * 2 }, async () => {
      for (let image = next(); image; image = next()) {
        const task = { kind: 'compress', image: image.bytes, policy: settings.policy };
        await pool.run(task, { deadlineAt: Infinity, signal });
      }
    }),
  );
  return (passes * images.length) / ((performance.now() - start) / 1000);
}

async function throughTheService(clients, passes) {
  // Reading the metrics starts a new measurement of the event loop.
  await service.metrics();
  let peak = 0;
  const sampling = setInterval(() => {
    const now = usage(service.pid);
    if (now) peak = Math.max(peak, now.service + now.workers);
  }, SAMPLE_MS);
  const result = await sendWith(service, clients, inTurn(bodies, passes));
  clearInterval(sampling);
  const metrics = await service.metrics();
  return {
    ...result,
    rate: result.latencies.length / result.seconds,
    peak,
    lagP99: metrics['nodejs_eventloop_lag_p99_seconds'] * 1000,
    lagMax: metrics['nodejs_eventloop_lag_max_seconds'] * 1000,
  };
}

function passesFor(clients) {
  return Math.max(passes, Math.ceil((clients * IMAGES_A_CLIENT) / images.length));
}

function inTurn(items, passes) {
  let given = 0;
  return () => (given < items.length * passes ? items[given++ % items.length] : undefined);
}

// The first pass loads codecs and shows how many images fill the time.
await bare(1);
const passes = Math.max(1, Math.ceil((Number(values.seconds) * (await bare(1))) / images.length));
await throughTheService(workers, 1);

console.log(`${passes * images.length} images a step, or ${IMAGES_A_CLIENT} a client`);
console.log('clients  images/s    p50    p95    p99 ms  refused   loop p99   max ms  peak MiB  generator');
for (const clients of CLIENTS) {
  const step = await throughTheService(clients, passesFor(clients));
  const sorted = step.latencies.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
  const refused = sum(Object.values(step.refusals), (count) => count);
  const cells = [
    clients,
    step.rate.toFixed(2),
    ...[0.5, 0.95, 0.99].map(at),
    `${((100 * refused) / (refused + sorted.length)).toFixed(1)} %`,
    step.lagP99.toFixed(1),
    step.lagMax.toFixed(1),
    step.peak ? step.peak.toFixed(0) : 'n/a',
    `${step.cores.toFixed(2)} cores`,
  ];
  console.log(rowOf(WIDTHS, cells) + (refused > 0 ? `  ${JSON.stringify(step.refusals)}` : ''));
}
const highWater = usage(service.pid)?.peak;
if (highWater) console.log(`sum of the highest each process has ever had: ${highWater.toFixed(0)} MiB`);

const saturated = workers * 4;
console.log(`\nagainst the workers alone, ${saturated} clients, in ${PAIRS} pairs:`);
const ratios = [];
for (let pair = 0; pair < PAIRS; pair++) {
  // The same number of images in both, so that the last ones, when some workers are idle, count the same.
  const alone = await bare(passesFor(saturated));
  const { rate } = await throughTheService(saturated, passesFor(saturated));
  ratios.push(rate / alone);
  console.log(
    `  ${alone.toFixed(2)} images/s alone, ${rate.toFixed(2)} through the service: ${(rate / alone).toFixed(3)}`,
  );
}
console.log(`median ratio ${median(ratios).toFixed(3)} (to reach: 0.85)`);
pool.stop();
await service.stop();
