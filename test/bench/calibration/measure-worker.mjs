/** A thread that encodes calibration images, or JPEGs of them, with jpegli, and measures the shipped terms. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import sharp from 'sharp';

const require = createRequire(import.meta.url);
const { JpegliEncoder } = require(
  join(workerData.dist, 'compression/infrastructure/codecs/native/jpegli-encoder.js'),
);
const { ScoreReference } = require(join(workerData.dist, 'compression/domain/score/ssim-score.js'));
const { luminancePlane } = require(join(workerData.dist, 'compression/domain/score/perceptual-planes.js'));

sharp.concurrency(1);

async function pixels(image) {
  const { data, info } = await image
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: 3, data };
}

/** Plain mean SSIM of luminance: 8×8 windows every 4 px, as in most tools. */
function meanSsimLoss(a, b) {
  let sum = 0;
  let count = 0;
  for (let y = 0; y + 8 <= a.height; y += 4) {
    for (let x = 0; x + 8 <= a.width; x += 4) {
      let [sa, sb, aa, bb, ab] = [0, 0, 0, 0, 0];
      for (let j = y; j < y + 8; j++) {
        for (let p = j * a.width + x, end = p + 8; p < end; p++) {
          const va = a.data[p];
          const vb = b.data[p];
          sa += va;
          sb += vb;
          aa += va * va;
          bb += vb * vb;
          ab += va * vb;
        }
      }
      const [ma, mb] = [sa / 64, sb / 64];
      const variances = aa / 64 - ma * ma + bb / 64 - mb * mb;
      const c1 = 0.0001;
      const c2 = 0.0009;
      const luminance = (2 * ma * mb + c1) / (ma * ma + mb * mb + c1);
      sum += 1 - (luminance * (2 * (ab / 64 - ma * mb) + c2)) / (variances + c2);
      count++;
    }
  }
  return sum / count;
}

const jpegli = new JpegliEncoder();

for (const { image, rows } of workerData.images) {
  const original = await pixels(sharp(join(workerData.folder, 'images', image)));
  const references = new Map();
  for (const row of rows) {
    if (!references.has(row.sourceQuality)) references.set(row.sourceQuality, await sourceOf(original, row));
    const { source, reference, luminance } = references.get(row.sourceQuality);
    const encoded = jpegli.encode(source, { quality: row.quality, chroma: row.chroma, isProgressive: true });
    const candidate = await pixels(sharp(encoded));
    parentPort.postMessage({
      ...row,
      isSameFile: encoded.length === row.bytes,
      losses: reference.losses(candidate),
      meanSsim: meanSsimLoss(luminance, luminancePlane(candidate)),
    });
  }
}

async function sourceOf(original, { sourceQuality }) {
  const { width, height, channels, data } = original;
  const raw = { width, height, channels };
  const source = sourceQuality
    ? await pixels(sharp(await sharp(data, { raw }).jpeg({ quality: sourceQuality }).toBuffer()))
    : original;
  return { source, reference: new ScoreReference(source), luminance: luminancePlane(source) };
}
