/**
 * PNG graphics: bytes, time and SSIMULACRA2 (over white and over black) beside pngquant 80-95 followed by oxipng,
 * where pngquant is installed. SSIMULACRA2 is only given where no scaling comes in between.
 */
import { spawnSync } from 'node:child_process';
import { losslessCompressPng } from '@napi-rs/image';
import sharp from 'sharp';
import { ssimulacra2 } from '../judges/ssimulacra2.mjs';
import { compressImage, imagesIn, load, nativeEngine, policy, time } from './support.mjs';

/** SSIMULACRA2 from which a result of pngquant counts as good. */
const GOOD = 85;

async function pixelsOf(png) {
  const image = sharp(png, { ignoreIcc: true }).toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: 4, data };
}

async function judged(before, after) {
  const { isOpaque, over } = load('compression/domain/pixels.js');
  const [a, b] = [await pixelsOf(before), await pixelsOf(after)];
  if (a.width !== b.width || Math.min(a.width, a.height) < 8) return undefined;
  const backgrounds = isOpaque(a) && isOpaque(b) ? [255] : [255, 0];
  return Math.min(...backgrounds.map((background) => ssimulacra2(over(background, a), over(background, b))));
}

export async function comparePng(folder) {
  const engine = nativeEngine();
  console.log(
    '\ngraphic                        bytes in       ours  SSIMULACRA2      ms   pngquant  SSIMULACRA2      ms',
  );
  const sums = { ours: 0, pngquant: 0 };
  for (const { name, bytes } of imagesIn(folder, /\.png$/i)) {
    let result;
    const ms = await time(async () => (result = await compressImage(bytes, engine, policy)));
    const ours = result.report.score < 1 ? await judged(bytes, result.bytes) : 100;
    let theirs;
    const theirMs = await time(async () => {
      const options = { input: bytes, maxBuffer: 2 ** 30 };
      const { status, stdout } = spawnSync('pngquant', ['--quality', '80-95', '-'], options);
      if (status === 0) theirs = await losslessCompressPng(stdout, { strip: true });
    });
    const score = theirs && (await judged(bytes, theirs));
    const isDeep = bytes[24] === 16;
    if (
      score >= GOOD &&
      !isDeep &&
      result.report.dimensions.width === result.report.originalDimensions.width
    ) {
      sums.ours += result.bytes.length;
      sums.pngquant += theirs.length;
    }
    const cells = [
      name.slice(0, 28).padEnd(28),
      String(bytes.length).padStart(10),
      String(result.bytes.length).padStart(10),
      (ours?.toFixed(1) ?? 'scaled').padStart(12),
      ms.toFixed(0).padStart(7),
      String(theirs?.length ?? '-').padStart(10),
      (score?.toFixed(1) ?? '-').padStart(12),
      theirMs.toFixed(0).padStart(7),
    ];
    console.log(cells.join(' '));
  }
  console.log(
    `\nwhere pngquant is good (${GOOD} and more, 8 bits, not scaled): ours ${sums.ours}, pngquant ${sums.pngquant} bytes`,
  );
}
