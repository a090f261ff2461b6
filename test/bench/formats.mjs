/**
 * npm run bench -- FOLDER --formats [--max-dimension PX]
 *
 * Results in AVIF and WebP against those of the same upload in its own format. For each image: bytes as AVIF, as WebP, and
 * with `format=auto` (AVIF and WebP accepted) ÷ bytes of the own format; the SSIMULACRA2 of the AVIF against the upload, of the
 * whole (with the service's own implementation, which the tests compare with the judge) and of the middle (with the judge, which
 * is too slow for more); the AVIF ÷ the smallest whose whole reaches 80 (same encoder effort); CPU time of the AVIF ÷ that of one
 * encode of the decoded pixels at its quality and effort, and ÷ that of plain sharp, which decodes and scales the upload too;
 * and of `auto` ÷ the own format alone.
 */
import sharp from 'sharp';
import { ssimulacra2 } from '../judges/ssimulacra2.mjs';
import { compressImage, imagesIn, load, machine, median, nativeEngine, policy } from './support.mjs';

const { SharpAvifCodec } = load('compression/infrastructure/codecs/native/sharp-result.codecs.js');
const { ssimulacra2Distance, ssimulacra2Of } = load('compression/domain/score/ssimulacra2.js');
const codec = new SharpAvifCodec();

/** SSIMULACRA2 of the default quality. */
const TARGET = 80;
/** Side of the part that is judged. */
const CROP = 768;
const BROWSERS = ['same', 'avif', 'webp'];
/** As in avif-format.ts, for photos. */
const effortOf = (megapixels) => (megapixels < 0.6 ? 4 : megapixels < 3 ? 2 : 1);

export async function compareFormats(folder, maxDimensionPx) {
  console.log(`${machine()}, max_dimension=${maxDimensionPx}\n`);
  console.log(COLUMNS.map(([title, , width]) => title.padStart(width)).join(''));
  const engine = nativeEngine();
  const run = (bytes, formats) =>
    timed(() => compressImage(bytes, engine, { ...policy, maxDimensionPx, formats }));
  const rows = [];
  for (const { name, bytes } of imagesIn(folder, /\.(jpe?g|png)$/i)) {
    try {
      rows.push(await compare(name, bytes, run));
    } catch (error) {
      console.log(`${name.padStart(NAME_WIDTH)}  ${error.message}`);
      continue;
    }
    console.log(COLUMNS.map(([, value, width]) => value(rows.at(-1)).padStart(width)).join(''));
  }
  for (const kind of ['jpeg', 'png', FRESH])
    summarise(
      kind,
      rows.filter((row) => row.kind === kind),
    );
}

/** A photo in a PNG is compared with the JPEG that it would become, as if the camera had not saved it as one. */
const FRESH = 'jpeg of a fresh source';
const NAME_WIDTH = 30;
const ratio = (value) => (value === undefined ? '-' : value.toFixed(3));
const COLUMNS = [
  ['image', ({ name }) => name.slice(-NAME_WIDTH), NAME_WIDTH],
  ['MP', ({ megapixels }) => megapixels.toFixed(1), 7],
  ['bytes', ({ own }) => String(own), 10],
  ['AVIF', ({ avif }) => ratio(avif), 8],
  ['WebP', ({ webp }) => ratio(webp), 8],
  ['auto', ({ auto, chosen }) => `${ratio(auto)} ${chosen}`, 13],
  ['whole', ({ whole }) => whole.toFixed(1), 7],
  ['middle', ({ middle }) => middle.toFixed(1), 8],
  ['÷ exact', ({ exact }) => ratio(exact), 9],
  ['time ÷ encode', ({ toEncode }) => ratio(toEncode), 15],
  ['÷ plain', ({ toPlain }) => ratio(toPlain), 9],
  ['auto ÷ own', ({ toOwn }) => ratio(toOwn), 12],
];

async function compare(name, bytes, run) {
  let own = await run(bytes, undefined);
  const { format, dimensions } = own.result.report;
  let kind = format;
  const asJpeg = format === 'png' ? await run(bytes, ['jpeg']).catch(() => undefined) : undefined;
  if (asJpeg && asJpeg.result.bytes.length < own.result.bytes.length / 2) [own, kind] = [asJpeg, FRESH];
  const avif = await run(bytes, ['avif']);
  const webp = await run(bytes, ['webp']);
  const auto = await run(bytes, BROWSERS);
  const upload = await pixelsOf(bytes, dimensions);
  const megapixels = (dimensions.width * dimensions.height) / 1e6;
  const { quality } = avif.result.report;
  const options = { quality, chroma: '4:4:4', effort: effortOf(megapixels) };
  const encode = await timed(() => codec.encode(upload, options));
  const plain = await timed(() => plainAvif(bytes, dimensions, options));
  const delivered = await pixelsOf(avif.result.bytes, dimensions);
  const size = own.result.bytes.length;
  return {
    name,
    kind,
    format,
    megapixels,
    own: size,
    avif: avif.result.bytes.length / size,
    webp: webp.result.bytes.length / size,
    auto: auto.result.bytes.length / size,
    chosen: auto.result.report.format,
    whole: wholeScore(upload, delivered),
    middle: ssimulacra2(middle(upload), middle(delivered)),
    exact: await toExact(upload, options),
    toEncode: avif.cpu / encode.cpu,
    toPlain: avif.cpu / plain.cpu,
    toOwn: auto.cpu / own.cpu,
  };
}

/** What sharp does without a search: decodes, rotates, scales and encodes at a given quality. */
function plainAvif(bytes, { width, height }, { quality, chroma, effort }) {
  return sharp(bytes)
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .avif({ quality, chromaSubsampling: chroma, effort })
    .toBuffer();
}

function wholeScore(a, b) {
  return ssimulacra2Of(ssimulacra2Distance(a, b));
}

/** Bytes at the quality that was found ÷ at the lowest one whose whole image reaches the target. */
async function toExact(upload, { quality, ...options }) {
  const encode = (at) => codec.encode(upload, { ...options, quality: at });
  const reaches = async (file) => wholeScore(upload, await codec.decode(file)) >= TARGET;
  const found = await encode(quality);
  let best = found;
  if (await reaches(found)) {
    for (let at = quality - 1; at > 0; at--) {
      const file = await encode(at);
      if (!(await reaches(file))) break;
      best = file;
    }
  } else {
    for (let at = quality + 1; at <= 99 && !(await reaches(best)); at++) best = await encode(at);
  }
  return found.length / best.length;
}

function summarise(kind, rows) {
  if (rows.length === 0) return;
  const mean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
  const of = (key) => rows.map((row) => row[key]);
  console.log(`\n${rows.length} uploads, against ${kind}; geometric means, and the worst:`);
  for (const key of ['avif', 'webp', 'auto', 'exact']) {
    console.log(`  ${key.padEnd(6)} ${mean(of(key)).toFixed(3)}, ${Math.max(...of(key)).toFixed(3)}`);
  }
  for (const part of ['whole', 'middle'])
    console.log(`  SSIMULACRA2 of the AVIF, ${part}: ${spread(of(part))}`);
  const keeping = rows.filter((row) => row.chosen === row.format);
  console.log(
    `  CPU time, medians: AVIF ÷ encode ${median(of('toEncode')).toFixed(2)}, ÷ plain ${median(of('toPlain')).toFixed(2)}; auto ÷ own ${median(of('toOwn')).toFixed(2)}` +
      (keeping.length > 0
        ? `, where the own format stays ${median(keeping.map(({ toOwn }) => toOwn)).toFixed(2)}`
        : ''),
  );
}

function spread(values) {
  const average = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length);
  return `median ${median(values).toFixed(1)}, standard deviation ${deviation.toFixed(2)}, least ${Math.min(...values).toFixed(1)}`;
}

async function timed(work) {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: user + system };
}

/** RGB samples over white as stored, upright and scaled as the product scales. */
async function pixelsOf(bytes, { width, height }) {
  const data = await sharp(bytes, { ignoreIcc: true })
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  return { width, height, channels: 3, data };
}

function middle({ width, height, channels, data }) {
  const size = { width: Math.min(CROP, width), height: Math.min(CROP, height) };
  const [left, top] = [(width - size.width) >> 1, (height - size.height) >> 1];
  const part = new Uint8Array(size.width * size.height * channels);
  for (let y = 0; y < size.height; y++) {
    const from = ((top + y) * width + left) * channels;
    part.set(data.subarray(from, from + size.width * channels), y * size.width * channels);
  }
  return { ...size, channels, data: part };
}
