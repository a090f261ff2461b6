/**
 * Against the straightforward pipeline on the packages that the product was asked to be made of: jpeg-js decodes,
 * MozJPEG (WebAssembly) encodes, ssim.js with its defaults compares, and a bisection over all qualities looks for a
 * mean SSIM of 0.98, every step on the whole image. What it finds is another thing; here only its time counts.
 */
import jpegJs from 'jpeg-js';
import { ssim } from 'ssim.js';
import { compressImage, imagesIn, load, median, nativeEngine, policy, time } from './support.mjs';

const MEAN_SSIM = 0.98;
const RUNS = 3;

export async function comparePipeline(folder) {
  const { loadSquooshModules } = load('compression/infrastructure/codecs/squoosh/squoosh-modules.js');
  const { encodeJpeg } = await loadSquooshModules();
  const decode = (jpeg) =>
    jpegJs.decode(jpeg, { useTArray: true, maxMemoryUsageInMB: 8192, maxResolutionInMP: 400 });
  const straightforward = async (bytes) => {
    const source = decode(bytes);
    let [low, high] = [20, 95];
    while (low < high) {
      const quality = Math.floor((low + high) / 2);
      const encoded = Buffer.from(
        await encodeJpeg({ ...source, data: new Uint8ClampedArray(source.data) }, { quality }),
      );
      if (ssim(source, decode(encoded)).mssim >= MEAN_SSIM) high = quality;
      else low = quality + 1;
    }
    return encodeJpeg({ ...source, data: new Uint8ClampedArray(source.data) }, { quality: high });
  };
  const engine = nativeEngine();
  console.log(`one run of the pipeline, median of ${RUNS} of the recipe\n`);
  console.log('photo                              MP   pipeline   recipe   times as fast');
  for (const { name, bytes } of imagesIn(folder, /\.jpe?g$/i)) {
    const recipe = [];
    let megapixels = 0;
    for (let run = 0; run < RUNS; run++) {
      recipe.push(
        await time(async () => {
          const { width, height } = (await compressImage(bytes, engine, policy)).report.originalDimensions;
          megapixels = (width * height) / 1e6;
        }),
      );
    }
    const pipeline = await time(() => straightforward(bytes));
    const cells = [
      name.slice(0, 30).padEnd(30),
      megapixels.toFixed(1).padStart(6),
      pipeline.toFixed(0).padStart(10),
      median(recipe).toFixed(0).padStart(8),
      (pipeline / median(recipe)).toFixed(1).padStart(15),
    ];
    console.log(cells.join(' '));
  }
}
