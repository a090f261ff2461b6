/** npm run bench -- limits [FOLDER] [--engine NAME]: time and peak memory (VmHWM) of files, or of the tests' bombs */
import { parseArgs } from 'node:util';
import { bombs } from '../support/bombs.cjs';
import { workersOf, forgetPeak, peakMegabytes, residentMegabytes } from '../support/process-memory.cjs';
import { startService } from './service-process.mjs';
import { folderOf, imagesIn, load, machine, rowOf } from './support.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'native' } },
});
const { readAcceptedHeader } = load('compression/formats/image-header.js');

const service = await startService(1, { DEADLINE_MS: '300000', CODEC_ENGINE: values.engine });

console.log(`${machine()}, engine ${values.engine}\n`);
console.log(
  `${'file'.padEnd(52)} ${'KB'.padStart(6)} answer                              ms  worker MB  service +MB`,
);
try {
  const files = positionals[0] ? imagesIn(folderOf(positionals[0]), /\.(jpe?g|png)$/i) : bombs();
  for await (const { name, bytes } of files) await measure(name, bytes);
} finally {
  await service.stop();
}

async function measure(name, bytes) {
  const worker = await freshWorker();
  const before = residentMegabytes(service.pid);
  for (const pid of [worker, service.pid]) forgetPeak(pid);
  const body = new FormData();
  body.append('image', new Blob([bytes]), name);
  const start = performance.now();
  const response = await fetch(new URL('/api/v1/compress', service.url), {
    method: 'POST',
    headers: { 'X-API-Key': service.apiKey },
    body,
  });
  const answer = Buffer.from(await response.arrayBuffer());
  const ms = performance.now() - start;
  const cells = [
    name,
    (bytes.length / 1000).toFixed(0),
    `${response.status} ${outcomeOf(response, answer)}`,
    ms.toFixed(0),
    // A file that is refused by its header never reaches a worker.
    isRefusedAtOnce(bytes) ? '-' : (peakMegabytes(worker)?.toFixed(0) ?? 'lost'),
    ((peakMegabytes(service.pid) ?? NaN) - before).toFixed(0),
  ];
  console.log(rowOf([-52, 6, -30, 7, 10, 12], cells));
}

function outcomeOf(response, answer) {
  const { headers, status } = response;
  if (status !== 200) return JSON.parse(answer.toString()).code;
  return (
    headers.get('x-skip-reason') ?? `${(answer.length / 1000).toFixed(0)} KB, ${headers.get('x-dimensions')}`
  );
}

function isRefusedAtOnce(bytes) {
  try {
    readAcceptedHeader(bytes, 268e6);
    return false;
  } catch {
    return true;
  }
}

async function freshWorker() {
  const [old] = workersOf(service.pid);
  if (old) process.kill(old, 'SIGKILL');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [worker] = workersOf(service.pid);
    if (!worker || worker === old) continue;
    if ((await fetch(new URL('/health/ready', service.url))).ok) return worker;
  }
}
