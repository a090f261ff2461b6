/** Bytes of JPEGs as uploaded against the lowest MozJPEG quality whose SSIMULACRA2 against the upload is 80. */
import sharp from 'sharp';
import { ssimulacra2 } from '../judges/ssimulacra2.mjs';
import { compressImage, imagesIn, median, nativeEngine, policy } from './support.mjs';

const WANTED = 80;
const MAX_PIXELS = 2e6;
/** Results above were not searched for: a lossless rewrite or a former coding. */
const SEARCHED_BELOW = 97;

export async function run(folder) {
  const engine = nativeEngine();
  console.log('\nupload                                 bytes     ours    exact  ours ÷ exact  SSIMULACRA2');
  const sums = { upload: 0, ours: 0, exact: 0 };
  const scores = [];
  for (const { name, bytes } of imagesIn(folder, /\.jpe?g$/i)) {
    const upload = await pixelsOf(bytes);
    if (upload.width * upload.height > MAX_PIXELS) {
      console.log(`${name.slice(0, 34).padEnd(34)} left out: more than 2 megapixels`);
      continue;
    }
    const { bytes: result, report } = await compressImage(bytes, engine, policy);
    const score = report.score === 1 ? 100 : ssimulacra2(upload, await pixelsOf(result));
    if (score < SEARCHED_BELOW) scores.push(score);
    const exact = Math.min(bytes.length, await exactBytes(upload));
    sums.upload += bytes.length;
    sums.ours += result.length;
    sums.exact += exact;
    const cells = [
      name.slice(0, 34).padEnd(34),
      String(bytes.length).padStart(9),
      String(result.length).padStart(8),
      String(exact).padStart(8),
      (result.length / exact).toFixed(3).padStart(13),
      score.toFixed(1).padStart(12),
    ];
    console.log(cells.join(' '));
  }
  const share = (bytes) => `${((bytes / sums.upload) * 100).toFixed(1)} %`;
  console.log(
    `\nof the uploads' bytes: ours ${share(sums.ours)}, exact ${share(sums.exact)}, ours ÷ exact ${(sums.ours / sums.exact).toFixed(3)}`,
  );
  const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
  const sd = Math.sqrt(scores.reduce((sum, s) => sum + (s - mean) ** 2, 0) / scores.length);
  console.log(
    `SSIMULACRA2 of ${scores.length} results that were searched: median ${median(scores).toFixed(1)}, sd ${sd.toFixed(2)}, worst ${Math.min(...scores).toFixed(1)}`,
  );
}

async function pixelsOf(bytes) {
  const { data, info } = await sharp(bytes, { ignoreIcc: true })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: 3, data };
}

async function exactBytes(upload) {
  const sizes = [];
  for (const chromaSubsampling of ['4:2:0', '4:4:4']) {
    const encode = (quality) =>
      sharp(upload.data, { raw: upload }).jpeg({ quality, mozjpeg: true, chromaSubsampling }).toBuffer();
    let [low, high] = [10, 101];
    while (high - low > 1) {
      const quality = (low + high) >> 1;
      if (ssimulacra2(upload, await pixelsOf(await encode(quality))) >= WANTED) high = quality;
      else low = quality;
    }
    if (high <= 100) sizes.push((await encode(high)).length);
  }
  return Math.min(...sizes);
}
