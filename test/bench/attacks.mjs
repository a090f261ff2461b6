/**
 * npm run bench:attacks [ROOT]
 *
 * Attacks a service that it starts on 127.0.0.1, each attack for some seconds, and prints what it did: the longest gap of the
 * event loop (as /health/live sees it from another process), the peak memory of the service's process, and what an
 * innocent client got that sends one small image after the other from an account of its own. ROOT: another built
 * checkout to compare with. Judges nothing.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { usage } from './service-process.mjs';
import { machine } from './support.mjs';

const MB = 1_000_000;
const ATTACK_MS = 12_000;
/** An image that the well-behaved client has not received by then counts as not served. */
const PATIENCE_MS = 5_000;
const BOUNDARY = 'a';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

const self = fileURLToPath(import.meta.url);

async function main(target) {
  console.log(`Service of ${target === root ? 'this checkout' : 'another checkout'}, ${machine()}`);
  console.log('WORKERS=2 MEMORY_BUDGET_MB=1024, no proxy\n');
  console.log('| Attack | Longest gap, ms | Peak, MiB | Innocent client, served within 5 s |');
  console.log('| --- | --- | --- | --- |');
  const images = await makeImages();
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const service = await start(target);
    try {
      const result = await under(attack, service, images);
      console.log(`| ${name} | ${result.gapMs} | ${result.peakMib} | ${result.served} of ${result.asked} |`);
    } finally {
      await service.stop();
    }
  }
  process.exit();
}

const ATTACKS = {
  'nothing, to compare with': () => [],
  'pipelined GET /docs that nobody reads, 8 connections (5)': ({ port }) =>
    Array.from({ length: 8 }, () => {
      const socket = raw(port);
      socket.pause();
      socket.write('GET /docs HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_700));
      return socket;
    }),
  'garbage behind an unanswered request, 4 connections (6)': ({ port, keys }, { slow }) =>
    Array.from({ length: 4 }, () => {
      const socket = raw(port);
      socket.write(Buffer.concat([Buffer.from(head(keys[0], formOf(slow).length)), formOf(slow)]));
      flood(socket, Buffer.alloc(512 * 1024, '\u0001garbage\r\n\r\n'));
      return socket;
    }),
  'results that nobody reads, 40 (7)': ({ port, keys }, { growing }) =>
    Array.from({ length: 40 }, (_, i) => {
      const socket = raw(port);
      socket.pause();
      socket.write(Buffer.concat([Buffer.from(head(keys[i % 4], formOf(growing).length)), formOf(growing)]));
      return socket;
    }),
  // The well-behaved client's image has 12 MB here.
  'heads that declare 20 MB, four accounts, 80 connections (8)': ({ port, keys }, images) => {
    images.innocent = images.padded;
    return Array.from({ length: 80 }, (_, i) => {
      const socket = raw(port);
      socket.write(head(keys[i % 4], 20 * MB) + PART);
      return socket;
    });
  },
  'one account, an expensive PNG again and again (9)': ({ port, keys }, { slow }) =>
    Array.from({ length: 6 }, () => again(port, keys[0], formOf(slow))),
  'multipart parts without number, 19 MB (11)': ({ port, keys }) => {
    const body = Buffer.alloc(19 * MB, `\r\n--${BOUNDARY}`);
    return [again(port, keys[0], body), again(port, keys[1], body)];
  },
  'chunks of one byte, 2 connections (11)': ({ port, keys }) =>
    [0, 1].map((i) => {
      const socket = raw(port);
      const first = Buffer.from(PART + '\x89PNG\r\n\x1a\n', 'latin1');
      socket.write(`${head(keys[i])}${first.length.toString(16)}\r\n`);
      socket.write(first);
      socket.write('\r\n');
      flood(socket, Buffer.alloc(60_000, '1\r\nx\r\n'));
      return socket;
    }),
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
  const end = Date.now() + ATTACK_MS;
  images.innocent = images.small;
  const attackers = attack(service, images);
  await pause(300);
  let [asked, served] = [0, 0];
  while (Date.now() < end) {
    asked++;
    if (await isServed(service, images.innocent)) served++;
    await pause(200);
  }
  for (const one of attackers) one.destroy();
  const peakMib = Math.round(usageOf(service.pid));
  probing.kill('SIGTERM');
  await new Promise((done) => probing.once('exit', done));
  return { gapMs: Math.round(Number(report)), peakMib, asked, served };
}

async function isServed({ port, innocent }, image) {
  const form = new FormData();
  form.append('image', new Blob([image]), 'a.png');
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const request = { method: 'POST', headers: { 'X-API-Key': innocent }, body: form, signal };
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
  const folder = mkdtempSync(join(tmpdir(), 'ics-attacks-'));
  const child = spawn(process.execPath, [join(target, 'dist', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      WORKERS: '2',
      MEMORY_BUDGET_MB: '1024',
      RATE_LIMIT_PER_MINUTE: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const port = await new Promise((done, fail) => {
    let log = '';
    child.once('exit', (code) => fail(new Error(`exit code ${code}: ${log}`)));
    child.stdout.on('data', (piece) => {
      if (log.length > 100_000) return;
      log += piece;
      const url = /"url":"([^"]+)".*"listening"/.exec(log)?.[1];
      if (url) done(Number(new URL(url).port));
    });
  });
  const signUp = async (name) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/accounts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `${name}@example.com` }),
    });
    return (await response.json()).apiKey;
  };
  const keys = await Promise.all(['a', 'b', 'c', 'd'].map(signUp));
  return {
    port,
    keys,
    innocent: await signUp('innocent'),
    pid: child.pid,
    async stop() {
      const exited = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Peak memory of the service process, in MiB. */
function usageOf(pid) {
  if (!usage(pid)) return NaN;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function raw(port) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  return socket;
}

/** Sends the same form repeatedly, each time after the response to the previous one. */
function again(port, key, body) {
  let socket;
  let isOver = false;
  const send = () => {
    if (isOver) return;
    socket = raw(port);
    socket.once('close', () => setTimeout(send, 50));
    socket.write(head(key, body.length, 'Connection: close\r\n'));
    socket.write(body);
  };
  send();
  return {
    destroy() {
      isOver = true;
      socket.destroy();
    },
  };
}

/** Writes endlessly, as fast as the service reads, and holds at most a megabyte. */
function flood(socket, piece) {
  const write = () => {
    if (socket.destroyed) return;
    if (socket.writableLength < MB) socket.write(piece);
    setTimeout(write, socket.writableLength < MB ? 0 : 5);
  };
  write();
}

function head(key, bytes, more = '') {
  const length = bytes === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  return (
    `POST /api/v1/compress HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}` +
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n${length}\r\n\r\n`
  );
}

const formOf = (image) => Buffer.concat([Buffer.from(PART), image, Buffer.from(END)]);

async function makeImages() {
  const noise = (width, height, kind) =>
    sharp({
      create: {
        width,
        height,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .png(kind)
      .toBuffer();
  const small = await noise(48, 48);
  return {
    small,
    padded: Buffer.concat([small, Buffer.alloc(12 * MB)]),
    /** Takes some seconds of CPU time, and so much memory that two do not fit. */
    slow: await noise(2_200, 2_200, { palette: true, colours: 16 }),
    /** Two colours, which scaling turns into many, so that the result is many times larger than the upload. */
    growing: await noise(4_200, 400, { palette: true, colours: 2 }),
  };
}

if (process.argv[2] === '--probe') await probe(Number(process.argv[3]));
else await main(resolve(process.argv[2] ?? root));
