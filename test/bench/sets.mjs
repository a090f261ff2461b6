/**
 * npm run bench:sets -- FOLDER [--formats avif,same] [--widths 480,960,1920]
 *
 * A set against single requests for each of its files, with one worker: CPU time (Linux; the service and its worker, the least of three),
 * and the peak memory of a new worker against the largest of the single requests.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { peakMegabytes, workersOf } from '../support/process-memory.mjs';
import { startService } from './service-process.mjs';
import { folderOf, imagesIn, machine } from './support.mjs';

const PAIRS = 3;
/** Of Linux, for all architectures of Node.js. */
const MS_PER_TICK = 10;
const SETTINGS = { DEADLINE_MS: '300000', MAX_UPLOAD_MB: '50', SANDBOX: 'off' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    formats: { type: 'string', default: 'avif,same' },
    widths: { type: 'string', default: '480,960,1920' },
  },
});
const formats = values.formats.split(',');
const widths = values.widths.split(',').map(Number);

console.log(`${machine()}, widths ${widths}, formats ${formats}\n`);
console.log('| Image | Single, s | Set, s | Set ÷ single | Peak of a single, MB | Of the set | ÷ |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const { name, bytes } of imagesIn(folderOf(positionals[0]), /\.(jpe?g|png)$/i)) {
  const requests = await singleRequests(bytes);
  const set = `sets?widths=${widths}&format=${formats}`;
  const service = await startService(1, SETTINGS);
  for (const request of requests) await send(service, request, bytes);
  const pairs = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const single = await cpuOf(service, requests, bytes);
    pairs.push([single, await cpuOf(service, [set], bytes)]);
  }
  await service.stop();
  const [single, whole] = [0, 1].map((i) => Math.min(...pairs.map((pair) => pair[i])) / 1000);
  const peaks = [];
  for (const request of requests) peaks.push(await peakOf(request, bytes));
  const [largest, ofSet] = [Math.max(...peaks), await peakOf(set, bytes)];
  const cells = [
    basename(name),
    single.toFixed(2),
    whole.toFixed(2),
    (whole / single).toFixed(3),
    largest.toFixed(0),
    ofSet.toFixed(0),
    (ofSet / largest).toFixed(2),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

/** Returns the requests that make the same files one by one. */
async function singleRequests(image) {
  const { autoOrient } = await sharp(image).metadata();
  const { width, height } = autoOrient;
  return widths
    .filter((wanted) => wanted <= width)
    .flatMap((wanted) => {
      const longer = Math.round(Math.max(wanted, (height * wanted) / width));
      return formats.map((format) => `compress?max_dimension=${longer}&format=${format}`);
    });
}

async function send({ url, apiKey }, request, image) {
  const body = new FormData();
  body.append('image', new Blob([image]), 'image');
  const headers = { 'X-API-Key': apiKey };
  const response = await fetch(new URL(`/api/v1/${request}`, url), { method: 'POST', headers, body });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${request}: ${response.status}`);
}

async function cpuOf(service, requests, image) {
  const spent = () =>
    [service.pid, ...workersOf(service.pid)].reduce((sum, pid) => sum + ticksOf(pid), 0) * MS_PER_TICK;
  const before = spent();
  for (const request of requests) await send(service, request, image);
  return spent() - before;
}

/** User and system time (proc(5), stat), after the name in parentheses. */
function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function peakOf(request, image) {
  const service = await startService(1, SETTINGS);
  await send(service, request, image);
  const peak = Math.max(...workersOf(service.pid).map(peakMegabytes));
  await service.stop();
  return peak;
}
