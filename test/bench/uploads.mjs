/** Bytes of JPEGs as uploaded against the lowest MozJPEG quality whose SSIMULACRA2 against the upload is 80. */
import sharp from 'sharp';
import { ssimulacra2 } from '../judges/ssimulacra2.mjs';
import { deviation } from './calibration/statistics.mjs';
import {
  compressImage,
  imagesIn,
  lowestQuality,
  median,
  nativeEngine,
  pixelsOf,
  policy,
  rowOf,
} from './support.mjs';

const WANTED = 80;
const MAX_PIXELS = 2e6;
/** Results above were not searched for: a lossless rewrite or a former coding. */
const SEARCHED_BELOW = 97;
const WIDTHS = [-34, 9, 8, 8, 13, 12];

export async function run(folder) {
  const engine = nativeEngine();
  console.log('\nupload                                 bytes     ours    exact  ours ÷ exact  SSIMULACRA2');
  const sums = { upload: 0, ours: 0, exact: 0 };
  const scores = [];
  for (const { name, bytes } of imagesIn(folder, /\.jpe?g$/i)) {
    const upload = await decoded(bytes);
    if (upload.width * upload.height > MAX_PIXELS) {
      console.log(`${name.slice(0, 34).padEnd(34)} left out: more than 2 megapixels`);
      continue;
    }
    const { bytes: result, report } = await compressImage(bytes, engine, policy);
    const score = report.score === 1 ? 100 : ssimulacra2(upload, await decoded(result));
    if (score < SEARCHED_BELOW) scores.push(score);
    const exact = Math.min(bytes.length, await exactBytes(upload));
    sums.upload += bytes.length;
    sums.ours += result.length;
    sums.exact += exact;
    const figures = [(result.length / exact).toFixed(3), score.toFixed(1)];
    console.log(rowOf(WIDTHS, [name, bytes.length, result.length, exact, ...figures]));
  }
  const share = (bytes) => `${((bytes / sums.upload) * 100).toFixed(1)} %`;
  console.log(
    `\nof the uploads' bytes: ours ${share(sums.ours)}, exact ${share(sums.exact)}, ours ÷ exact ${(sums.ours / sums.exact).toFixed(3)}`,
  );
  console.log(
    `SSIMULACRA2 of ${scores.length} results that were searched: median ${median(scores).toFixed(1)}, sd ${deviation(scores).toFixed(2)}, worst ${Math.min(...scores).toFixed(1)}`,
  );
}

const decoded = (jpeg) => pixelsOf(sharp(jpeg, { ignoreIcc: true }).removeAlpha());

async function exactBytes(upload) {
  const sizes = [];
  for (const chromaSubsampling of ['4:2:0', '4:4:4']) {
    const encode = (quality) =>
      sharp(upload.data, { raw: upload }).jpeg({ quality, mozjpeg: true, chromaSubsampling }).toBuffer();
    const isGood = async (quality) => ssimulacra2(upload, await decoded(await encode(quality))) >= WANTED;
    const quality = await lowestQuality(10, 101, isGood);
    if (quality <= 100) sizes.push((await encode(quality)).length);
  }
  return Math.min(...sizes);
}
