/**
 * How often metrics agree with people about which of two versions of an image is closer to the original. FOLDER has answers.csv
 * (first, second, image, better), originals and a folder for each version. Intervals: 95% of 1 000 samples of the images.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { ssim } from 'ssim.js';
import { quantile } from './calibration/statistics.mjs';
import { load, pixelsOf } from './support.mjs';

const { comparePixels } = load('compression/domain/score/compare-pixels.js');

const decoded = (file) => pixelsOf(sharp(file).ensureAlpha());

function judge(original, version) {
  const { score, ssimulacra2 } = comparePixels(original, version);
  const error = original.data.reduce((sum, sample, i) => sum + (sample - version.data[i]) ** 2, 0);
  return { score, SSIMULACRA2: ssimulacra2, 'ssim.js': ssim(original, version).mssim, PSNR: -error };
}

export async function run(folder) {
  const rows = readFileSync(join(folder, 'answers.csv'), 'utf8').trim().split(/\r?\n/).slice(1);
  const judged = new Map();
  const byImage = {};
  for (const [first, second, image, better] of rows.map((row) => row.split(','))) {
    const pair = [];
    for (const version of [first, second]) {
      const file = join(folder, version, `${image}.jpg`);
      if (!judged.has(file))
        judged.set(
          file,
          judge(await decoded(join(folder, 'originals', `${image}.png`)), await decoded(file)),
        );
      pair.push(judged.get(file));
    }
    const [a, b] = pair;
    const agrees = Object.keys(a).map((metric) => a[metric] > b[metric] === (better === first));
    (byImage[image] ??= []).push(agrees);
  }
  const images = Object.values(byImage);
  const shares = (sample) => {
    const answers = sample.flat();
    return answers[0].map(
      (_, metric) => answers.reduce((sum, agrees) => sum + agrees[metric], 0) / answers.length,
    );
  };
  const samples = Array.from({ length: 1_000 }, () =>
    shares(images.map(() => images[Math.floor(Math.random() * images.length)])),
  );
  const percent = (share) => (100 * share).toFixed(1);
  console.log(`${rows.length} answers about ${images.length} images`);
  for (const [metric, name] of Object.keys(judged.values().next().value).entries()) {
    const [low, high] = [0.025, 0.975].map((share) =>
      quantile(
        samples.map((sample) => sample[metric]),
        share,
      ),
    );
    console.log(
      `${name.padEnd(12)} agrees with ${percent(shares(images)[metric])}% [${percent(low)}, ${percent(high)}]`,
    );
  }
}
