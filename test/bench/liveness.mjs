/**
 * Does the event loop stay free while all workers are busy? Starts the built service, sends eight large photos at
 * once, and asks GET /health/live the whole time. Prints percentiles; judges nothing.
 */
import { Agent, get } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { startService } from './service-process.mjs';
import { machine } from './support.mjs';

const PHOTOS = 8;
const [width, height] = [4000, 3000];

const service = await startService(availableParallelism(), { DEADLINE_MS: '120000' });

/** A 12-megapixel image with detail everywhere: the sample of the repository, enlarged, with noise. */
const sample = await sharp(join(root, 'examples', 'sample.jpg'))
  .resize(width, height, { fit: 'fill' })
  .raw()
  .toBuffer();
let state = 1;
for (let i = 0; i < sample.length; i++) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  sample[i] = Math.max(0, Math.min(255, sample[i] + (state >>> 28) - 8));
}
const photo = await sharp(sample, { raw: { width, height, channels: 3 } })
  .jpeg({ quality: 95 })
  .toBuffer();

let isBusy = true;
const start = performance.now();
const compressions = Promise.all(
  Array.from({ length: PHOTOS }, async () => {
    const body = new FormData();
    body.append('image', new Blob([photo]), 'photo.jpg');
    const response = await fetch(new URL('/api/v1/compress', service.url), {
      method: 'POST',
      headers: { 'X-API-Key': service.apiKey },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  }),
).finally(() => (isBusy = false));

const agent = new Agent({ keepAlive: true });
const latencies = [];
const ask = () =>
  new Promise((resolve, reject) => {
    const asked = performance.now();
    get(new URL('/health/live', service.url), { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(latencies.push(performance.now() - asked)));
    }).on('error', reject);
  });
while (isBusy) {
  await ask();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
const statuses = await compressions;
const seconds = (performance.now() - start) / 1000;
await service.stop();

latencies.sort((a, b) => a - b);
const at = (share) =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))].toFixed(1);
console.log(machine());
console.log(
  `input      ${PHOTOS} photos of ${width}x${height}, ${(photo.length / 1e6).toFixed(1)} MB each, at once`,
);
console.log(`answers    ${statuses.join(' ')} in ${seconds.toFixed(1)} s`);
console.log(
  `live       ${latencies.length} probes: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
);
