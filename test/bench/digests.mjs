/**
 * npm run bench -- digests FOLDER… --of DIR --out FILE: a line for each answer of the version that is built in DIR, with the digest of
 * its bytes, its report or its refusal. --against OLD lists what differs. The files and one rule choose the requests, so that two
 * versions get the same ones; --quick takes a part of them.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { startService } from './service-process.mjs';
import { folderOf } from './support.mjs';

const LANES = 2;
/** Of a folder with more files, every fifth is sent. */
const MANY_FILES = 100;
/** Larger images are scaled down, to save time; every twelfth is also sent as it is. */
const LARGE_PIXELS = 2_000_000;
const SMALL_PIXELS = 300_000;
/** A percentage is one of the upload's bytes; what follows @ is the header Accept. */
const OPTIONS =
  `quality=high quality=low quality=medium&metadata=copyright quality=very-high quality=lossless quality=0.95
  density=2 density=3&format=auto@image/avif,image/webp density=1.5&quality=low effort=fast effort=max max_dimension=150
  max_dimension=97&quality=lossless metadata=copyright metadata=all metadata=all&max_dimension=140 metadata=all&format=webp
  metadata=all&format=avif metadata=copyright&format=jxl metadata=copyright&format=jpeg format=same&quality=very-high
  format=jpeg format=png format=webp format=avif format=jxl format=avif,webp format=jpeg,png format=webp,same&effort=fast
  format=jxl,same format=auto@image/avif,image/webp,*/* format=auto@image/webp format=auto@image/jxl,image/avif;q=0
  format=auto format=auto&quality=lossless@image/avif,image/webp format=webp&quality=lossless format=png&quality=lossless
  format=jxl&quality=lossless format=avif&quality=lossless format=jpeg&density=2 format=avif&effort=fast&quality=low
  format=webp&effort=max&quality=medium format=webp&density=2&max_dimension=256 max_bytes=60% max_bytes=25%
  max_bytes=12%&metadata=all max_bytes=4% max_bytes=4%&allow=any max_bytes=300&allow=any max_bytes=20%&format=webp
  max_bytes=15%&format=avif,webp max_bytes=15%&format=auto@image/webp max_bytes=10%&allow=any&format=jpeg
  max_bytes=25%&density=2 max_bytes=30%&quality=low max_bytes=90%&quality=very-high`.split(/\s+/);
const REFUSED_OPTIONS =
  `quality=85 max_bytes=0 allow=any format=gif format=webp,auto max_dimension=8 density=9 effort=best
  metadata=exif quality=lossless&max_bytes=900 quality=lossless&density=2 background=ffffff strip=1 quality=low&quality=high`.split(
    /\s+/,
  );
const COMMANDS = [
  'set FILE -o widths --widths 60,120 --format avif,same --placeholder blur --alt x',
  'set FILE -o densities --width 50 --densities 1,2 --format auto --placeholder colour',
  'set FILE -o limited --widths 64 --format webp,same --max-bytes 900 --allow any',
  'compress FILE -o a.webp',
  'compare FILE a.webp --map map.png',
  'compress FILE -o b.jpg --density 2',
  'compare FILE b.jpg --density 2',
  'check FILE',
  'compress FILE --in-place --keep-metadata copyright',
];
const CONVERSIONS = [
  { convert: { type: ['image/webp', 'image/avif'] }, preserve: ['copyright'] },
  { resize: { method: 'fit', width: 90, height: 80 } },
  { resize: { method: 'cover', width: 60, height: 70 }, convert: { type: '*/*' } },
];

const text = { type: 'string' };
const options = { of: text, out: text, against: text, quick: { type: 'boolean' } };
const { values, positionals } = parseArgs({ allowPositionals: true, options });
if (positionals.length === 0 || !(values.out || values.against)) {
  console.error('Usage: npm run bench -- digests FOLDER… [--of DIR] [--quick] --out FILE or --against FILE');
  process.exit(2);
}
const version = values.of ? folderOf(values.of) : root;
const temporary = mkdtempSync(join(tmpdir(), 'ics-digests-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
const lines = new Map();
const start = performance.now();
const files = (await Promise.all(positionals.map((folder) => imagesBelow(folderOf(folder))))).flat();
const bad = files.filter(({ isBad }) => isBad);
const good = files.filter(({ isBad }) => !isBad);
const small = good.filter(({ pixels }) => pixels > 1_000 && pixels < SMALL_PIXELS);
const jpegs = await made(part(small, 4), (image, index) =>
  image.jpeg({ quality: 80 + (index % 17), chromaSubsampling: index % 3 ? '4:2:0' : '4:4:4' }),
);
const webps = await made(part(small, 10), (image, index) => image.webp({ lossless: index % 3 === 0 }));
await record('native', 1);
await record('squoosh', 2);
const sorted = [...lines].map(([id, result]) => `${id}\t${result}\n`).sort();
if (values.out) writeFileSync(folderOf(values.out), sorted.join(''));
console.log(`${lines.size} lines in ${Math.round((performance.now() - start) / 1000)} s`);
if (values.against) compareWith(readFileSync(folderOf(values.against), 'utf8'));

function part(items, step) {
  return items.filter((_, index) => index % step === 0);
}

async function imagesBelow(folder) {
  const paths = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(jpe?g|a?png)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const chosen = paths.filter((path) => {
    const besides = paths.filter((other) => dirname(other) === dirname(path));
    return besides.length <= MANY_FILES || besides.indexOf(path) % 5 === 0;
  });
  return Promise.all(
    chosen.map(async (path) => {
      const bytes = readFileSync(path);
      const header = async () => sharp(bytes, { limitInputPixels: false }).metadata();
      const { width, height } = await header().catch(() => ({ width: 0, height: 0 }));
      const [kind, name] = [basename(dirname(path)), basename(path)];
      const described = { name: `${kind}/${name}`, isBad: kind === 'bad', isJpeg: bytes[0] === 0xff };
      return { ...described, bytes, pixels: width * height };
    }),
  );
}

/** Ordinary files, and animations if the format has them. Images that sharp cannot read are left out. */
async function made(images, encode) {
  const results = images.map(async ({ name, bytes }, index) => {
    const still = sharp(bytes)
      .resize(300 + 20 * (index % 9), 260, { fit: 'cover' })
      .toColourspace('srgb');
    const frame = await still
      .ensureAlpha(index % 2 ? 0.5 : 1)
      .keepMetadata()
      .png()
      .toBuffer();
    const isAnimated = index % 8 === 7;
    const image = isAnimated ? sharp([frame, frame], { join: { animated: true } }) : sharp(frame);
    const result = await encode(image.keepMetadata(), index).toBuffer();
    return { name: `${name} again`, bytes: result, isJpeg: true, pixels: SMALL_PIXELS };
  });
  return (await Promise.allSettled(results)).flatMap(({ value }) => value ?? []);
}

/** @param step every how many files the engine gets: the slower one fewer */
async function record(engine, step) {
  const some = (items, every) => part(items, step * every * (values.quick ? 4 : 1));
  const refused = REFUSED_OPTIONS.map((asked) => ({ file: small[0], asked }));
  const whole = part(good.filter(isLarge), 12 * step).map((file) => ({ file, asked: 'max_dimension=3840' }));
  const requests = values.quick
    ? [...part(planned([...small, ...jpegs], 1), step ** 2), ...some(planned(bad, 1), 3)]
    : [...whole, ...planned(part([...good, ...jpegs], step), 3 - step), ...planned(part(bad, step), 1)];
  await serve({ CODEC_ENGINE: engine, TINIFY_API: 'on' }, async (service) => {
    await inLanes([...requests, ...refused], (one) => compress(service, `${engine} query`, one));
    await inLanes(some(small, 6), (file, index) =>
      shrink(service, `${engine} tinify ${file.name}`, file, index),
    );
  });
  const added = { CODEC_ENGINE: engine, UPLOAD_FORMATS: 'jpg,png,webp' };
  await serve(added, (service) =>
    inLanes(some(planned(webps, 4), 1), (one) => compress(service, `${engine} form`, one)),
  );
  await inLanes(some(small, 8), (file) => runCommands(`${engine} cli ${file.name}`, file, engine));
}

function isLarge({ pixels }) {
  return pixels > LARGE_PIXELS;
}

/** Gives each file the next few options: JPGs and the others in a round of their own. */
function planned(images, count) {
  return [true, false].flatMap((isJpeg) =>
    images
      .filter((file) => file.isJpeg === isJpeg)
      .flatMap((file) => Array.from({ length: count }, () => file))
      .map((file, turn) => ({ file, asked: OPTIONS[turn % OPTIONS.length] })),
  );
}

async function serve(settings, work) {
  const fixed = { DEADLINE_MS: '3600000', MEMORY_BUDGET_MB: '4096', ICS_USER_FOLDER: version };
  const service = await startService(LANES, { root: version, ...fixed, ...settings });
  await work(service);
  await service.stop();
}

/** Sends the options of a WebP as fields of the form, others in the query. */
async function compress({ url, apiKey }, entry, { file, asked }) {
  const [given, accept = 'image/png'] = asked.split('@');
  const isScaled = isLarge(file) && !given.includes('max_dimension');
  const bytesOf = (_, percent) => Math.ceil((file.bytes.length * percent) / 100);
  const query = given.replace(/(\d+)%/, bytesOf) + (isScaled ? '&max_dimension=640' : '');
  const inForm = entry.endsWith('form');
  const body = new FormData();
  if (inForm) for (const [name, value] of new URLSearchParams(query)) body.set(name, value);
  body.set('image', new Blob([file.bytes]), basename(file.name));
  const headers = { 'X-API-Key': apiKey, Accept: accept };
  const target = `${url}api/v1/compress?${inForm ? '' : query}`;
  await send(`${entry} ${file.name} ${asked}`, target, { method: 'POST', body, headers });
}

async function shrink({ url, apiKey }, id, { bytes }, index) {
  const headers = { Authorization: `Basic ${btoa(`api:${apiKey}`)}`, 'Content-Type': 'application/json' };
  const stored = await send(`${id} shrink`, `${url}shrink`, { method: 'POST', body: bytes, headers });
  if (!stored.headers.has('location')) return;
  const output = new URL(stored.headers.get('location'), url);
  await send(`${id} output`, output, { headers });
  const body = JSON.stringify(CONVERSIONS[index % CONVERSIONS.length]);
  await send(`${id} ${body}`, output, { method: 'POST', body, headers });
}

/** Writes the answer without what differs by itself: times, ids, and the state of the limits. */
async function send(id, url, asked) {
  const response = await fetch(url, asked).catch((cause) => {
    throw new Error(`No answer to ${id}`, { cause });
  });
  const body = Buffer.from(await response.arrayBuffer());
  const isJson = /json/.test(response.headers.get('content-type'));
  const report = [...response.headers].filter(([name]) =>
    isJson ? name === 'content-type' : /^(x-(?!request-id|ratelimit)|image-|content-|vary)/.test(name),
  );
  const words = isJson && body.toString().replace(/"(request_id|instance|url)":"[^"]*",?/g, '');
  write(
    id,
    response.status,
    isJson ? words : digestOf(body),
    report.map((pair) => pair.join(': ')).join('; '),
  );
  return response;
}

/** Writes what each command prints, and the files that they leave. */
async function runCommands(id, file, engine) {
  const [folder, cache] = ['cli-', 'cache-'].map((prefix) => mkdtempSync(join(temporary, prefix)));
  const name = basename(file.name);
  writeFileSync(join(folder, name), file.bytes);
  const env = { ...process.env, CODEC_ENGINE: engine, ICS_USER_FOLDER: folder, XDG_CACHE_HOME: cache };
  for (const command of COMMANDS) {
    const typed = `${command} --json --jobs 1`.split(' ').map((word) => (word === 'FILE' ? name : word));
    const [status, printed] = await new Promise((resolve) => {
      const args = [join(version, 'dist', 'cli', 'engine.js'), ...typed];
      const done = (error, stdout, stderr) => resolve([error?.code ?? 0, stdout + stderr]);
      execFile(process.execPath, args, { cwd: folder, env }, done);
    });
    const words = printed
      .replace(/,"ms":[\d.]+/g, '')
      .trim()
      .split('\n')
      .sort();
    write(`${id} ${command}`, status, words.join(' | '));
  }
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) write(`${id} > ${relative(folder, path)}`, digestOf(readFileSync(path)));
  }
}

async function inLanes(items, work) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next], next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function write(id, ...result) {
  if (lines.has(id)) throw new Error(`Two requests are called ${id}.`);
  lines.set(id, result.join('\t'));
}

function compareWith(recorded) {
  const old = new Map(recorded.split('\n').map((line) => line.split(/\t(.*)/)));
  const ids = [...new Set([...old.keys(), ...lines.keys()])].sort();
  const different = ids.filter((id) => old.get(id) !== lines.get(id));
  for (const id of different) console.log(`${id}\n  - ${old.get(id)}\n  + ${lines.get(id)}`);
  console.log(`${different.length} lines differ`);
  process.exitCode = different.length > 0 ? 1 : 0;
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
