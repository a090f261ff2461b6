/**
 * npm run bench -- attacks [ROOT [NAME]]: the longest gap of the event loop, peak memory and processor time
 *
 * `npm run bench -- attacks . accounts` takes 7 minutes: small images of two accounts beside 1 to 16 accounts with long ones.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { chunk, flatPng } from '../support/png-bombs.cjs';
import { startService, usage } from './service-process.mjs';
import { machine, median } from './support.mjs';

const MB = 1_000_000;
const ATTACK_MS = 12_000;
/** An image that the well-behaved client has not received by then counts as not served. */
const PATIENCE_MS = 5_000;
const CROWD_MS = 40_000;
const CROWDS = [1, 2, 4, 16];
const AT_ONCE = 3;
/** The well-behaved client has an address of its own, as behind a proxy. */
const LIMITS = { MEMORY_BUDGET_MB: '1024', SIGNUP_LIMIT_PER_HOUR: '0', TRUST_PROXY: '1' };
const OTHER_ADDRESS = '203.0.113.1';
const BOUNDARY = 'a';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

const self = fileURLToPath(import.meta.url);

async function main(target, only) {
  console.log(`Service of ${target === root ? 'this checkout' : 'another checkout'}, ${machine()}`);
  console.log('WORKERS=2 MEMORY_BUDGET_MB=1024\n');
  if (only === 'accounts') return compareCrowds(target).then(() => process.exit());
  console.log(
    '| Attack | Longest gap, ms | Peak, MiB | CPU, s | Innocent client, served within 5 s | Median and longest wait, s |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  const images = await makeImages();
  for (const [name, attack] of Object.entries(ATTACKS)) {
    if (only && !name.includes(only)) continue;
    const service = await start(target);
    try {
      const result = await under(attack, service, images);
      const { gapMs, peakMib, cpu, served, waits } = result;
      const times = [median(waits), Math.max(...waits)].map((ms) => (ms / 1000).toFixed(2)).join(', ');
      console.log(
        `| ${name} | ${gapMs} | ${peakMib} | ${cpu.toFixed(1)} | ${served} of ${waits.length} | ${times} |`,
      );
    } finally {
      await service.stop();
    }
  }
  process.exit();
}

async function compareCrowds(target) {
  console.log(
    '| Accounts, each with three at once | Small images of others served within 5 s | Median wait, s | Longest gap, s |',
  );
  console.log('| --- | --- | --- | --- |');
  const { small, slow, photo } = await makeImages();
  const kinds = { 'ordinary PNGs': [slow, ''], 'long AVIFs': [photo, '?format=avif'] };
  const runs = Object.entries(kinds).flatMap(([kind, upload]) =>
    CROWDS.map((count) => [kind, count, upload]),
  );
  for (const [kind, count, [image, query]] of [['nothing', 0, [small, '']], ...runs]) {
    const { served, asked, medianMs, gapMs } = await besideCrowd(target, count, { small, image, query });
    const times = [medianMs, gapMs].map((ms) => (ms / 1000).toFixed(2)).join(' | ');
    console.log(`| ${count}, ${kind} | ${served} of ${asked} | ${times} |`);
  }
  console.log();
}

/** Two accounts send small images one after the other. A gap is the time without a result for an account. */
async function besideCrowd(target, count, { small, image, query }) {
  const service = await startService(2, { root: target, ...LIMITS });
  const { port, signUp } = service;
  const innocents = [await signUp('innocent'), await signUp('other')];
  const keys = [];
  for (let i = 0; i < count; i++) keys.push(await signUp(`attacker-${i}`));
  const body = formOf(image);
  const crowd = keys.flatMap((key) => times(AT_ONCE, () => again(port, key, body, query)));
  await pause(1_000);
  const end = performance.now() + CROWD_MS;
  const waits = [];
  const gaps = [];
  const send = async (innocent) => {
    let lastAt = performance.now();
    while (performance.now() < end) {
      const sentAt = performance.now();
      const isDone = await isServed({ port, innocent }, small, 2 * CROWD_MS);
      const now = performance.now();
      waits.push(isDone ? now - sentAt : Infinity);
      gaps.push(now - lastAt);
      if (isDone) lastAt = now;
      await pause(200);
    }
  };
  await Promise.all(innocents.map(send));
  for (const one of crowd) one.destroy();
  await service.stop('SIGKILL');
  const served = waits.filter((ms) => ms <= PATIENCE_MS).length;
  return {
    served,
    asked: waits.length,
    medianMs: median(waits.filter(Number.isFinite)),
    gapMs: Math.max(...gaps),
  };
}

const ATTACKS = {
  'nothing, to compare with': () => [],
  'pipelined GET /docs that nobody reads, 8 connections (5)': ({ port }) =>
    times(8, () => unread(port, get('/docs').repeat(1_700))),
  'garbage behind an unanswered request, 4 connections (6)': ({ port, keys }, { slow }) =>
    times(4, () => {
      const socket = raw(port, request(keys[0], formOf(slow)));
      flood(socket, Buffer.alloc(512 * 1024, '\u0001garbage\r\n\r\n'));
      return socket;
    }),
  'results that nobody reads, 40 (7)': ({ port, keys }, { growing }) =>
    times(40, (i) => unread(port, request(keys[i % 4], formOf(growing)))),
  // The well-behaved client's image has 12 MB here.
  'heads that declare 20 MB, four accounts, 80 connections (8)': ({ port, keys }, images) => {
    images.innocent = images.padded;
    return times(80, (i) => raw(port, head(keys[i % 4], 20 * MB) + PART));
  },
  'one account, an expensive PNG again and again (9)': ({ port, keys }, { slow }) =>
    times(6, () => again(port, keys[0], formOf(slow))),
  'multipart parts without number, 19 MB (11)': ({ port, keys }) => {
    const body = Buffer.alloc(19 * MB, `\r\n--${BOUNDARY}`);
    return [again(port, keys[0], body), again(port, keys[1], body)];
  },
  // The well-behaved client's image has 6 megapixels here.
  'three thumbnails of PNGs of 267 megapixels': ({ port, keys }, images) => {
    images.innocent = images.ordinary;
    return times(3, () => raw(port, request(keys[0], formOf(images.vast), '?max_dimension=16')));
  },
  'one account, 40 megapixels whose text alone exceeds max_bytes': ({ port, keys }, { wordy }) => {
    const query = '?max_dimension=256&metadata=all&max_bytes=100000';
    return times(6, () => again(port, keys[0], formOf(wordy), query));
  },
  'four trials of one address, expensive images that are refused': ({ port, trials }, { slow }) =>
    trials.flatMap((key) => times(2, () => again(port, key, formOf(slow), '?max_bytes=50'))),
  'chunks of one byte, 8 connections that reconnect, half of them without a key': ({ port, keys }) =>
    times(8, (i) => tinyChunks(port, i % 2 ? keys[i % 4] : 'none')),
  'downloads without a key that nobody reads, 150 connections': async (service, { heavy }) => {
    const path = await shrink(service, heavy);
    return times(150, () => unread(service.port, get(path).repeat(16)));
  },
  'downloads without a key of ten clients that leave, each 14 times a second': async (service, { heavy }) => {
    const path = await shrink(service, heavy);
    return times(10, () => leaving(service.port, get(path)));
  },
  // The well-behaved client has a wrong key, writes 12 MB before it reads, and waits for its 401.
  'resets behind pending responses, 100 connections before': async ({ port, keys }, images) => {
    images.isServed = refusalArrives;
    const page = await (await fetch(`http://127.0.0.1:${port}/docs`)).text();
    const script = get(/\/docs\/assets\/[^"]+\.js/.exec(page)[0]);
    const sockets = times(100, (i) => unread(port, script.repeat(3) + head(keys[i % 4], 100_000) + PART));
    await pause(1_500);
    for (const socket of sockets) socket.resetAndDestroy();
    await pause(500);
    return [];
  },
  'eighteen accounts of one address, a long image each': async ({ port, signUp }, { photo }) => {
    const keys = await Promise.all(times(18, (i) => signUp(`one-of-many-${i}`)));
    const attackers = keys.map((key) => again(port, key, formOf(photo), '?format=avif&effort=max'));
    await pause(3_000);
    return attackers;
  },
  'twenty networks, a long image each': async ({ port, signUp }, { photo }) => {
    const keys = await Promise.all(times(20, (i) => signUp(`far-apart-${i}`)));
    const attackers = keys.map((key, i) =>
      again(port, key, formOf(photo), '?format=avif&effort=max', Infinity, `198.18.${i}.1`),
    );
    await pause(3_000);
    return attackers;
  },
  'two connections that leave after 150 ms': ({ port, keys }, { fine }) =>
    times(2, () => again(port, keys[0], formOf(fine), '?format=avif&effort=max', 150)),
  'a worker is stopped (13)': ({ pid }) => {
    const [worker] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(worker), 'SIGSTOP');
    return [];
  },
};

async function under(attack, service, images) {
  const probing = spawn(process.execPath, [self, '--probe', String(service.port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let report = '';
  probing.stdout.on('data', (piece) => (report += piece));
  await pause(500);
  images.innocent = images.small;
  images.isServed = isServed;
  const attackers = await attack(service, images);
  const end = Date.now() + ATTACK_MS;
  const cpuBefore = cpuSeconds(service.pid);
  await pause(300);
  let served = 0;
  const waits = [];
  while (Date.now() < end) {
    const sentAt = performance.now();
    if (await images.isServed(service, images.innocent)) served++;
    waits.push(performance.now() - sentAt);
    await pause(200);
  }
  const cpu = cpuSeconds(service.pid) - cpuBefore;
  for (const one of attackers) one.destroy();
  const peakMib = Math.round(usage(service.pid)?.servicePeak ?? NaN);
  probing.kill('SIGTERM');
  await new Promise((done) => probing.once('exit', done));
  return { gapMs: Math.round(Number(report)), peakMib, cpu, served, waits };
}

async function isServed({ port, innocent }, image, patienceMs = PATIENCE_MS) {
  const form = new FormData();
  form.append('image', new Blob([image]), 'a.png');
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const headers = { 'X-API-Key': innocent, 'X-Forwarded-For': OTHER_ADDRESS };
    const request = { method: 'POST', headers, body: form, signal };
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/compress`, request);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Runs in a separate process and prints the longest response time of /health/live, in ms. */
async function probe(port) {
  let longest = 0;
  let sentAt = performance.now();
  process.on('SIGTERM', () => {
    process.stdout.write(String(Math.max(longest, performance.now() - sentAt)), () => process.exit());
  });
  for (;;) {
    sentAt = performance.now();
    await fetch(`http://127.0.0.1:${port}/health/live`)
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
    longest = Math.max(longest, performance.now() - sentAt);
    await pause(5);
    sentAt = performance.now();
  }
}

async function start(target) {
  const service = await startService(2, { root: target, ...LIMITS, TINIFY_API: 'on' });
  const { port, signUp } = service;
  const openTrial = async () => {
    // Only JSON is read, so that foreign pages need a preflight.
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: '{}' };
    return (await (await fetch(new URL('/api/v1/trials', service.url), request)).json()).apiKey;
  };
  return {
    port,
    keys: await Promise.all(['a', 'b', 'c', 'd'].map(signUp)),
    trials: await Promise.all(times(4, openTrial)),
    innocent: await signUp('innocent'),
    signUp,
    pid: service.pid,
    stop: () => service.stop('SIGKILL'),
  };
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function shrink({ port, keys }, image) {
  const headers = { Authorization: `Basic ${Buffer.from(`api:${keys[0]}`).toString('base64')}` };
  const response = await fetch(`http://127.0.0.1:${port}/shrink`, { method: 'POST', headers, body: image });
  return new URL(response.headers.get('location'), 'http://x').pathname;
}

/** Whether a client with a wrong key that writes its whole upload before it reads gets its response. */
function refusalArrives({ port }, image) {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
    const giveUp = () => (socket.destroy(), done(false));
    const timer = setTimeout(giveUp, PATIENCE_MS);
    socket.on('error', giveUp);
    socket.write(request('none', formOf(Buffer.concat([image, Buffer.alloc(12 * MB)]))), (error) => {
      if (error) return;
      let text = '';
      socket.on('data', (piece) => (text += piece.toString('latin1'))).resume();
      socket.on('end', () => (clearTimeout(timer), socket.destroy(), done(text.startsWith('HTTP/1.1 401'))));
    });
  });
}

/** Sends a body in chunks of one byte, and starts again when the service closes the connection. */
function tinyChunks(port, key) {
  const chunks = Buffer.alloc(60_000, '1\r\nx\r\n');
  return reopening(port, (socket) => {
    const first = Buffer.from(PART + '\x89PNG\r\n\x1a\n', 'latin1');
    socket.write(`${head(key)}${first.length.toString(16)}\r\n`);
    socket.write(first);
    socket.write('\r\n');
    flood(socket, chunks);
  });
}

/** Opens a connection, and another one whenever it has closed. */
function reopening(port, send) {
  let socket;
  let isOver = false;
  const open = () => {
    if (isOver) return;
    socket = raw(port);
    socket.once('close', () => setTimeout(open, 50));
    send(socket);
  };
  open();
  return {
    destroy() {
      isOver = true;
      socket.destroy();
    },
  };
}

function raw(port, sent = '') {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  socket.write(sent);
  return socket;
}

const unread = (port, sent) => raw(port, sent).pause();

/** Sends a request every 70 ms, and leaves when its response begins. */
function leaving(port, request) {
  const timer = setInterval(() => {
    const socket = raw(port, request);
    socket.once('data', () => socket.destroy());
  }, 70);
  return { destroy: () => clearInterval(timer) };
}

/** Sends the same form repeatedly, each time after the response to the previous one, or without waiting for it any longer. */
function again(port, key, body, query = '', patienceMs = Infinity, address = '127.0.0.1') {
  const more = `Connection: close\r\nX-Forwarded-For: ${address}\r\n`;
  return reopening(port, (socket) => {
    socket.write(head(key, body.length, more, query));
    socket.write(body);
    if (patienceMs < Infinity) setTimeout(() => socket.destroy(), patienceMs);
  });
}

function flood(socket, piece) {
  const write = () => {
    if (socket.destroyed) return;
    if (socket.writableLength < MB) socket.write(piece);
    setTimeout(write, socket.writableLength < MB ? 0 : 5);
  };
  write();
}

function head(key, bytes, more = '', query = '') {
  const length = bytes === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  return (
    `POST /api/v1/compress${query} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n${more}` +
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n${length}\r\n\r\n`
  );
}

const request = (key, form, query) => Buffer.concat([Buffer.from(head(key, form.length, '', query)), form]);

const get = (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

const formOf = (image) => Buffer.concat([Buffer.from(PART), image, Buffer.from(END)]);

async function makeImages() {
  const gaussian = { type: 'gaussian', mean: 128, sigma: 30 };
  const grained = (width, height) =>
    sharp({ create: { width, height, channels: 3, background: 'grey', noise: gaussian } });
  const noise = (width, height, kind) => grained(width, height).png(kind).toBuffer();
  const jpeg = async (side) =>
    sharp(await noise(side, side))
      .jpeg({ quality: 90 })
      .toBuffer();
  const small = await noise(48, 48);
  const words = chunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), Buffer.alloc(120_000, 'x')]));
  const forty = flatPng(8_000, 5_000);
  const afterHeader = 33;
  return {
    small,
    padded: Buffer.concat([small, Buffer.alloc(12 * MB)]),
    photo: await jpeg(3_840),
    /** Arrives at once. */
    fine: await jpeg(1_400),
    /** Takes some seconds of CPU time, and so much memory that two do not fit. */
    slow: await noise(2_200, 2_200, { palette: true, colours: 16 }),
    /** Cannot be made much smaller: 7 MB. */
    heavy: await noise(1_800, 1_400),
    /** Two colours, which scaling turns into many, so that the result is many times larger than the upload. */
    growing: await noise(4_200, 400, { palette: true, colours: 2 }),
    ordinary: flatPng(3_000, 2_000),
    /** Small files that take long to decode. */
    vast: flatPng(16_340, 16_340),
    wordy: Buffer.concat([forty.subarray(0, afterHeader), words, forty.subarray(afterHeader)]),
  };
}

if (process.argv[2] === '--probe') await probe(Number(process.argv[3]));
else await main(resolve(process.argv[2] ?? root), process.argv[3]);
