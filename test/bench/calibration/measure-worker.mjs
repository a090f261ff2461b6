/** A thread that encodes calibration images as their scores were made, and measures them with the shipped terms. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import sharp from 'sharp';

const require = createRequire(import.meta.url);
const { ScoreReference } = require(join(workerData.dist, 'compression/domain/score/ssim-score.js'));
const { brightnessPlane } = require(join(workerData.dist, 'compression/domain/score/perceptual-planes.js'));

sharp.concurrency(1);

async function pixels(image) {
  const { data, info } = await image
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: 3, data };
}

/** Plain mean SSIM of brightness: 8×8 windows every 4 px, as most tools have it. */
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

for (const { image, rows } of workerData.images) {
  const source = await pixels(sharp(join(workerData.folder, 'images', image)));
  const reference = new ScoreReference(source);
  const brightness = brightnessPlane(source);
  for (const row of rows) {
    const raw = { width: source.width, height: source.height, channels: 3 };
    const encoded = await sharp(source.data, { raw })
      .jpeg({ quality: row.quality, mozjpeg: true, chromaSubsampling: row.chroma })
      .toBuffer();
    const candidate = await pixels(sharp(encoded));
    parentPort.postMessage({
      ...row,
      isSameFile: encoded.length === row.bytes,
      losses: reference.losses(candidate),
      meanSsim: meanSsimLoss(brightness, brightnessPlane(candidate)),
    });
  }
}
