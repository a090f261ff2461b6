/**
 * Two plots for the README, as SVG and as PNG, into docs/plots: what quality costs in bytes, for the recipe and for
 * other ways to choose a quality, over calibration images; and what the recipe costs in time, over megapixels.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { measureImages } from './calibration/measure.mjs';
import { bytesWhenHeld, oracleBytes } from './calibration/statistics.mjs';
import { mozjpegOfSameScore } from './photos.mjs';
import { linePlot, saveDrawing } from './line-plot.mjs';
import {
  compressImage,
  folderOf,
  imagesIn,
  load,
  machine,
  median,
  nativeEngine,
  policy,
  time,
} from './support.mjs';

/** The range in which every image has files on both sides. */
const FIFTHS = [60, 63, 66, 69, 72, 75, 78];
const MEGAPIXELS = [0.25, 0.5, 1, 2, 4, 6, 8, 11, 14];
const RUNS = 5;
/** Runs that are not counted: Node compiles functions while they run. */
const WARM_UPS = 3;

export async function drawPlots(folder) {
  const out = join(root, 'docs', 'plots');
  mkdirSync(out, { recursive: true });
  await saveDrawing(join(out, 'quality-bytes'), await qualityPlot(folder));
  await saveDrawing(join(out, 'time-megapixels'), await timePlot());
  console.log(`drawn into ${out}`);
}

async function qualityPlot(folder) {
  const { TERMS } = load('compression/domain/score/ssim-score.js');
  const { images } = await measureImages(folder);
  const kilobytes = (bytes) => bytes / images.length / 1024;
  const held = (name, metric, modes) => ({
    name,
    points: FIFTHS.map((fifth) => [kilobytes(bytesWhenHeld(images, metric, fifth, modes)), fifth]),
  });
  return linePlot({
    title: `Worst quality against bytes, ${images.length} images of ${'512 × 512'} px`,
    x: { label: 'KiB an image (mean)' },
    y: { label: 'SSIMULACRA2, 5th percentile' },
    series: [
      held('mean SSIM', (row) => row.meanSsim, ['4:2:0']),
      held('one fixed quality', (row) => 101 - row.quality, ['4:2:0']),
      held('this score', (row) => row.losses.reduce((sum, loss, k) => sum + loss * TERMS[k].weight, 0)),
      {
        name: 'exact search on SSIMULACRA2',
        points: FIFTHS.map((fifth) => [kilobytes(oracleBytes(images, fifth)), fifth]),
      },
    ],
  });
}

async function timePlot() {
  const [{ bytes }] = imagesIn(folderOf(), /\.jpe?g$/);
  const engine = nativeEngine();
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const [plain, recipe] = [[], []];
  for (const megapixels of MEGAPIXELS) {
    const width = Math.round(Math.sqrt(megapixels * 1.5e6));
    const height = Math.round((megapixels * 1e6) / width);
    const raw = { width, height, channels: 3 };
    const source = await sharp(mirrored(data, info, width, height), { raw })
      .jpeg({ quality: 98, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const recipeOnce = () => compressImage(source, engine, { ...policy, maxDimensionPx: 16384 });
    const { quality } = await mozjpegOfSameScore(source, await recipeOnce());
    const plainOnce = () => sharp(source).jpeg({ mozjpeg: true, quality }).toBuffer();
    const times = { plain: [], recipe: [] };
    for (let run = 0; run < WARM_UPS + RUNS; run++) {
      times.plain.push(await time(plainOnce));
      times.recipe.push(await time(recipeOnce));
    }
    for (const each of [times.plain, times.recipe]) each.splice(0, WARM_UPS);
    plain.push([megapixels, median(times.plain)]);
    recipe.push([megapixels, median(times.recipe)]);
    console.log(`${megapixels} MP: ${(median(times.recipe) / median(times.plain)).toFixed(2)} plain encodes`);
  }
  return linePlot({
    title: `Time of one photo, ${machine()}`,
    x: { label: 'megapixels' },
    y: { label: 'ms' },
    series: [
      { name: 'one plain MozJPEG encode of the same SSIMULACRA2', points: plain },
      { name: 'the whole recipe: decode, search, encode, verify', points: recipe },
    ],
  });
}

/** The photo repeatedly, every other time mirrored, for the same detail at every size. */
function mirrored(data, { width: w, height: h }, width, height) {
  const out = Buffer.alloc(width * height * 3);
  const fold = (i, length) => (Math.floor(i / length) % 2 ? length - 1 - (i % length) : i % length);
  for (let y = 0, to = 0; y < height; y++) {
    const row = fold(y, h) * w;
    for (let x = 0; x < width; x++, to += 3) {
      const from = (row + fold(x, w)) * 3;
      out[to] = data[from];
      out[to + 1] = data[from + 1];
      out[to + 2] = data[from + 2];
    }
  }
  return out;
}
