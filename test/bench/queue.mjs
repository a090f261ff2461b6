/** npm run bench -- queue [ROOT [NAME]]: how long a photo of 1 megapixel waits for the images of other accounts */
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { chunk, header, png } from '../support/png-bombs.mjs';
import { root as here } from '../../scripts/prepare.mjs';
import { startService } from './service-process.mjs';
import { machine, median } from './support.mjs';

const PHOTOS = 12;
const PAUSE_MS = 700;

const [root = here, only = ''] = process.argv.slice(2);
const noise = (width, height, sigma = 30) =>
  sharp({
    create: { width, height, channels: 3, background: 'grey', noise: { type: 'gaussian', mean: 128, sigma } },
  });

function tinyFrames(count) {
  const number = (...values) => {
    const out = Buffer.alloc(4 * values.length);
    values.forEach((value, i) => out.writeUInt32BE(value, 4 * i));
    return out;
  };
  const data = deflateSync(Buffer.from([0, 1, 2, 3]));
  const control = (i) =>
    chunk('fcTL', Buffer.concat([number(i, 1, 1, 0, 0), Buffer.from([0, 1, 0, 50, 0, 0])]));
  const frames = Array.from({ length: count - 1 }, (_, i) => [
    control(2 * i + 1),
    chunk('fdAT', Buffer.concat([number(2 * i + 2), data])),
  ]);
  return png(
    header(1, 1),
    chunk('acTL', number(count, 0)),
    control(0),
    chunk('IDAT', data),
    ...frames.flat(),
  );
}

const photo = await noise(1200, 850).jpeg({ quality: 95 }).toBuffer();
const animation = tinyFrames(14_000);
const small = await noise(520, 520).png().toBuffer();
const large = await noise(7300, 5500, 6).png({ palette: true, colours: 16 }).toBuffer();
const fourteen = await noise(3840, 3840, 4).png().toBuffer();
const medium = await noise(1600, 1250, 20).png().toBuffer();
const long = await noise(800, 800).png().toBuffer();

const repeat = (count, image, query = '') => Array.from({ length: count }, () => [image, query]);
/** What the other accounts send: a list for each account, again and again. */
const ROWS = {
  nothing: { others: [] },
  'a: two animations of 14 000 frames': { others: [repeat(2, animation)] },
  'b: png,avif at max, 520 px, eight at a time': {
    others: [repeat(8, small, '?format=png,avif&effort=max')],
  },
  'c: eight PNGs of 40 MP with a byte limit': {
    others: [repeat(8, large, '?max_dimension=1600&max_bytes=20000')],
  },
  'd: three PNGs of 14 MP beside PNGs of 2 MP, 1024 MiB': { others: [repeat(3, fourteen)], image: medium },
  'e: three PNGs of 2.6 MP with a byte limit': {
    others: [repeat(3, await noise(1800, 1450, 20).png().toBuffer(), '?max_bytes=60000&allow=any')],
  },
  ...Object.fromEntries(
    [1, 2, 4, 16].map((count) => [
      `f: ${count} accounts with three long AVIFs each`,
      { others: Array.from({ length: count }, () => repeat(3, long, '?format=png,avif&effort=max')) },
    ]),
  ),
};

console.log(
  `Service of ${root === here ? 'this checkout' : 'another checkout'}, ${machine()}, two workers\n`,
);
console.log('| Beside | Longest, ms | Median, ms | Status |');
console.log('| --- | --- | --- | --- |');
for (const [name, { others, image = photo }] of Object.entries(ROWS)) {
  if (!name.includes(only)) continue;
  const service = await startService(2, {
    root,
    MEMORY_BUDGET_MB: '1024',
    SIGNUP_LIMIT_PER_HOUR: '0',
    MAX_UPLOAD_MB: '60',
  });
  const keys = await Promise.all(others.map((_, i) => signUp(service, `other${i}`)));
  let isOver = false;
  others.forEach((images, i) =>
    images.forEach(async ([one, query]) => {
      while (!isOver) {
        const { status } = await send(service, keys[i], one, query);
        if (status !== 200) await pause(250);
      }
    }),
  );
  await pause(others.length > 0 ? 3_000 : 0);
  const times = [];
  const statuses = {};
  for (let i = 0; i < PHOTOS; i++) {
    const start = performance.now();
    const { status } = await send(service, service.apiKey, image);
    times.push(performance.now() - start);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await pause(PAUSE_MS);
  }
  isOver = true;
  console.log(
    `| ${name} | ${Math.max(...times).toFixed(0)} | ${median(times).toFixed(0)} | ${JSON.stringify(statuses)} |`,
  );
  await service.stop('SIGKILL');
}
process.exit();

async function signUp({ url }, name) {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email: `${name}@example.com` });
  return (await (await fetch(new URL('/api/v1/accounts', url), { method: 'POST', headers, body })).json())
    .apiKey;
}

async function send({ url }, key, image, query = '') {
  const body = new FormData();
  body.append('image', new Blob([image]), 'a');
  const response = await fetch(new URL(`/api/v1/compress${query}`, url), {
    method: 'POST',
    headers: { 'X-API-Key': key },
    body,
  }).catch(() => ({ status: 0, arrayBuffer: () => undefined }));
  await response.arrayBuffer();
  return response;
}
