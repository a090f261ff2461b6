/**
 * npm run bench -- peaks
 *
 * Large and small images at the same time, with 1, 2 and 4 workers and the memory that docs/deploying.md advises: the highest
 * sum of the memory of all processes (Linux, Pss, which counts shared pages once), to compare with the advised size of the
 * container. Judges nothing.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { flatPng } from '../support/png-bombs.mjs';
import { workersOf } from '../support/process-memory.mjs';
import { startService } from './service-process.mjs';
import { machine } from './support.mjs';

const SECONDS = 60;
const SAMPLE_MS = 100;
/** Workers and MEMORY_BUDGET_MB. */
const SIZES = [
  [1, 512],
  [2, 1024],
  [4, 2048],
];

const noise = (width, height) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  });
const large = [
  flatPng(16_000, 16_000, { interlaced: true }),
  await noise(3_840, 3_840).jpeg({ quality: 80, chromaSubsampling: '4:4:4' }).toBuffer(),
];
const small = [
  await noise(800, 800).png().toBuffer(),
  await noise(1_200, 1_000).jpeg({ quality: 90 }).toBuffer(),
];

console.log(`${machine()}, ${SECONDS} s each\n`);
console.log('| WORKERS | MEMORY_BUDGET_MB | Peak, MiB | Images |');
console.log('| --- | --- | --- | --- |');
for (const [workers, budget] of SIZES) {
  const service = await startService(workers, { DEADLINE_MS: '300000', MEMORY_BUDGET_MB: String(budget) });
  const end = Date.now() + SECONDS * 1000;
  let images = 0;
  const senders = [large, large, ...Array.from({ length: workers + 1 }, () => small)].map(
    async (kinds, i) => {
      for (let turn = i; Date.now() < end; turn++) {
        const response = await send(service, kinds[turn % kinds.length]);
        if (response.status === 200) images++;
      }
    },
  );
  let peak = 0;
  while (Date.now() < end) {
    const sum = [service.pid, ...workersOf(service.pid)].reduce((all, pid) => all + mebibytesOf(pid), 0);
    peak = Math.max(peak, sum);
    await pause(SAMPLE_MS);
  }
  await Promise.all(senders);
  console.log(`| ${workers} | ${budget} | ${Math.round(peak)} | ${images} |`);
  await service.stop();
}

async function send({ url, apiKey }, image) {
  const body = new FormData();
  body.append('image', new Blob([image]), 'image');
  const response = await fetch(new URL('/api/v1/compress', url), {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body,
  });
  await response.arrayBuffer();
  return response;
}

function mebibytesOf(pid) {
  try {
    const [, kilobytes] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    // The process has ended.
    return 0;
  }
}
