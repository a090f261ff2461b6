/** PNG graphics: bytes, time, kind and SSIMULACRA2 beside pngquant 80-95 followed by oxipng, where it is installed. */
import { spawnSync } from 'node:child_process';
import { losslessCompressPng } from '@napi-rs/image';
import sharp from 'sharp';
import { ssimulacra2 } from '../judges/ssimulacra2.mjs';
import {
  compressImage,
  cost,
  imagesIn,
  load,
  median,
  nativeEngine,
  pixelsOf,
  policy,
  rowOf,
  sum,
} from './support.mjs';

/** SSIMULACRA2 above which a result of pngquant counts as good. */
const GOOD = 85;

const WIDTHS = [-28, 10, 10, -19, 11, 7, 10, 12, 7];

const decoded = (png) => pixelsOf(sharp(png, { ignoreIcc: true }).ensureAlpha());

async function judged(before, after) {
  const { isOpaque, compositeOver, withoutRedundantChannels } = load('compression/domain/pixels.js');
  const over = (background, image) => withoutRedundantChannels(compositeOver(background, image), false);
  const [a, b] = [await decoded(before), await decoded(after)];
  if (a.width !== b.width || Math.min(a.width, a.height) < 8) return undefined;
  const backgrounds = isOpaque(a) && isOpaque(b) ? [255] : [255, 0];
  return Math.min(...backgrounds.map((background) => ssimulacra2(over(background, a), over(background, b))));
}

function rungOf({ skipReason, maxError }) {
  if (skipReason) return skipReason;
  if (maxError === undefined) return 'palette';
  return maxError === 0 ? 'lossless' : `near ${maxError}`;
}

async function oursOf(bytes, engine) {
  const { result, ms } = await cost(() => compressImage(bytes, engine, policy));
  const score = result.report.score < 1 ? await judged(bytes, result.bytes) : 100;
  return { size: result.bytes.length, ms, score, rung: rungOf(result.report), report: result.report };
}

async function theirsOf(bytes) {
  const { result: packed, ms } = await cost(async () => {
    const options = { input: bytes, maxBuffer: 2 ** 30 };
    const { status, stdout } = spawnSync('pngquant', ['--quality', '80-95', '-'], options);
    return status === 0 ? losslessCompressPng(stdout, { strip: true }) : undefined;
  });
  return { size: packed?.length, ms, score: packed && (await judged(bytes, packed)) };
}

export async function run(folder) {
  const engine = nativeEngine();
  console.log(
    '\ngraphic                        bytes in       ours  rung               SSIMULACRA2      ms   pngquant  SSIMULACRA2      ms',
  );
  const rows = [];
  for (const { name, bytes } of imagesIn(folder, /\.png$/i)) {
    const ours = await oursOf(bytes, engine);
    const theirs = await theirsOf(bytes);
    const { dimensions, originalDimensions } = ours.report;
    const counts = bytes[24] <= 8 && dimensions.width === originalDimensions.width;
    rows.push({ name, size: bytes.length, ours, theirs, counts });
    const cells = [
      name,
      bytes.length,
      ours.size,
      ` ${ours.rung}`,
      ours.score?.toFixed(1) ?? 'scaled',
      ours.ms.toFixed(0),
      theirs.size ?? '-',
      theirs.score?.toFixed(1) ?? '-',
      theirs.ms.toFixed(0),
    ];
    console.log(rowOf(WIDTHS, cells));
  }
  printSums(rows);
}

function timesOf(rows) {
  const ratios = rows.map(({ ours, theirs }) => ours.ms / theirs.ms);
  const together = sum(rows, ({ ours }) => ours.ms) / sum(rows, ({ theirs }) => theirs.ms);
  return `median ${median(ratios).toFixed(2)}, worst ${Math.max(...ratios).toFixed(2)}, sum ${together.toFixed(2)}`;
}

function printSums(all) {
  const rows = all.filter(({ counts }) => counts);
  const input = sum(rows, ({ size }) => size);
  const share = (value) => (sum(rows, value) / input).toFixed(3);
  const good = rows.filter(({ theirs }) => theirs.score >= GOOD);
  console.log(
    `\nbytes ÷ input: ours ${share(({ ours }) => ours.size)}, pngquant ${share((row) => row.theirs.size ?? row.size)}`,
  );
  console.log(
    `results under ${GOOD}: ours ${rows.filter(({ ours }) => ours.score < GOOD).length}, pngquant ${rows.filter(({ theirs }) => theirs.score < GOOD).length}`,
  );
  console.log(
    `bytes ÷ pngquant where it is good: ${(sum(good, ({ ours }) => ours.size) / sum(good, ({ theirs }) => theirs.size)).toFixed(3)}`,
  );
  console.log(`time ÷ pngquant: ${timesOf(rows)}; with 16 bits and scaled ones: ${timesOf(all)}`);
  for (const rung of new Set(rows.map(({ ours }) => ours.rung.split(' ')[0]))) {
    const of = rows.filter(({ ours }) => ours.rung.startsWith(rung));
    const ratio = sum(of, ({ ours }) => ours.size) / sum(of, ({ size }) => size);
    console.log(`${rung}: ${of.length} images, ${ratio.toFixed(3)} of their input`);
  }
}
