/**
 * How often metrics agree with people about which of two versions of an image is closer to the original. FOLDER has answers.csv
 * (first, second, image, better), originals and a folder for each version. Intervals: 95% of 1 000 samples of the images.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { ssim } from 'ssim.js';
import { quantile } from './calibration/statistics.mjs';
import { load } from './support.mjs';

const { comparePixels } = load('compression/domain/score/compare-pixels.js');

async function pixelsIn(folder, image) {
  const name = readdirSync(folder).find((file) => file.startsWith(`${image}.`));
  const picture = sharp(join(folder, name)).toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 4 };
}

function judge(original, version) {
  const { score, ssimulacra2 } = comparePixels(original, version);
  const error = original.data.reduce((sum, sample, i) => sum + (sample - version.data[i]) ** 2, 0);
  return { score, SSIMULACRA2: ssimulacra2, 'ssim.js': ssim(original, version).mssim, PSNR: -error };
}

export async function run(folder) {
  const rows = readFileSync(join(folder, 'answers.csv'), 'utf8').trim().split('\n').slice(1);
  const judged = new Map();
  const byImage = new Map();
  for (const [first, second, image, better] of rows.map((row) => row.trim().split(','))) {
    for (const version of [first, second]) {
      const path = join(folder, version);
      const key = join(path, image);
      if (judged.has(key)) continue;
      judged.set(key, judge(await pixelsIn(join(folder, 'originals'), image), await pixelsIn(path, image)));
    }
    const [a, b] = [first, second].map((version) => judged.get(join(folder, version, image)));
    const agrees = Object.keys(a).map((metric) => Number(a[metric] > b[metric] === (better === first)));
    byImage.set(image, [...(byImage.get(image) ?? []), agrees]);
  }
  const images = [...byImage.values()];
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
