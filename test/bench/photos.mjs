/**
 * The whole recipe (decode, search, encode, verify) against one plain sharp(input).jpeg({ mozjpeg: true, quality:
 * the same }) of the same file, in turn, in this process.
 */
import sharp from 'sharp';
import { compressImage, imagesIn, load, median, nativeEngine, policy, time } from './support.mjs';

const RUNS = 3;
const engine = nativeEngine();
/** Whole encodes of the last run: what they were asked for, and of which pixels. */
let encodes = [];
const encode = engine.jpeg.encode.bind(engine.jpeg);
engine.jpeg.encode = (pixels, options) => {
  if (options.purpose === 'delivery') encodes.push({ pixels, ...options });
  return encode(pixels, options);
};

export async function comparePhotos(folder, isExhaustive) {
  console.log(
    `median of ${RUNS} runs each, in turn, after one that is not counted; 4:4:4 is coded as such by`,
  );
  console.log('the plain encode, too, in the last column but one\n');
  console.log(
    'photo                              MP   plain  recipe   ratio  same chroma  encodes  quality   bytes in      out' +
      (isExhaustive ? '  on a copy: found, exhaustive' : ''),
  );
  const results = [];
  for (const { name, bytes } of imagesIn(folder, /\.(jpe?g|png)$/i)) {
    const { report, chroma, ...result } = await measure(bytes);
    const { quality, skipReason, originalSize, compressedSize } = report;
    if (report.format === 'png') continue;
    const comparison = isExhaustive ? await againstExhaustive(bytes) : undefined;
    results.push({ ...result, off: comparison && comparison.quality - comparison.exhaustive });
    const cells = [
      name.slice(0, 30).padEnd(30),
      result.megapixels.toFixed(1).padStart(6),
      result.plain.toFixed(0).padStart(7),
      result.recipe.toFixed(0).padStart(7),
      result.ratio.toFixed(2).padStart(7),
      `${result.fair.toFixed(2)} ${chroma}`.padStart(12),
      String(result.encodes).padStart(8),
      String(skipReason ? 'skipped' : quality).padStart(8),
      String(originalSize).padStart(10),
      String(compressedSize).padStart(8),
      ...(comparison ? [`${comparison.quality}, ${comparison.exhaustive}`.padStart(12)] : []),
    ];
    console.log(cells.join(' '));
  }
  console.log();
  summary('6 MP and more', results, 6, Infinity);
  summary('1 to 6 MP', results, 1, 6);
  summary('below 1 MP', results, 0, 1);
  const offs = results.map(({ off }) => off).filter((off) => off !== undefined);
  if (offs.length > 0) {
    const near = offs.filter((off) => Math.abs(off) <= 1).length;
    const worst = Math.max(...offs.map(Math.abs));
    console.log(`quality within 1 of the exhaustive search: ${near} of ${offs.length}, worst ${worst} off`);
  }
}

function summary(label, results, from, to) {
  const group = results.filter(({ megapixels }) => megapixels >= from && megapixels < to);
  if (group.length === 0) return;
  const of = (key) => group.map((result) => result[key]);
  const mean = of('encodes').reduce((a, b) => a + b, 0) / group.length;
  console.log(
    `${label.padEnd(14)} ${group.length} photos: ratio median ${median(of('ratio')).toFixed(2)}, worst ${Math.max(...of('ratio')).toFixed(2)}; ` +
      `same chroma median ${median(of('fair')).toFixed(2)}; whole encodes per photo ${mean.toFixed(2)}`,
  );
}

async function measure(bytes) {
  encodes = [];
  const { report } = await compressImage(bytes, engine, policy);
  const whole = [...encodes];
  const chroma = whole.at(-1)?.chroma ?? '4:2:0';
  const plainEncode = (chromaSubsampling) =>
    sharp(bytes)
      .jpeg({ mozjpeg: true, quality: report.quality ?? 80, chromaSubsampling })
      .toBuffer();
  const times = { plain: [], same: [], recipe: [] };
  for (let run = 0; run < RUNS; run++) {
    times.plain.push(await time(() => plainEncode('4:2:0')));
    if (chroma === '4:4:4') times.same.push(await time(() => plainEncode(chroma)));
    times.recipe.push(await time(() => compressImage(bytes, engine, policy)));
  }
  encodes = whole;
  const [plain, recipe] = [median(times.plain), median(times.recipe)];
  const { width, height } = report.originalDimensions;
  return {
    report,
    chroma,
    plain,
    recipe,
    ratio: recipe / plain,
    fair: recipe / (chroma === '4:4:4' ? median(times.same) : plain),
    encodes: whole.length,
    megapixels: (width * height) / 1e6,
  };
}

/**
 * What the recipe finds, and the lowest quality whose whole image passes. Asked of a copy that was cut off the block
 * grid of its source (and off the grid that the recipe itself cuts to) and saved without loss worth the name: on the grid a search over all qualities finds the traces
 * of the source's own coding, which is what the recipe is there to overlook.
 */
async function againstExhaustive(bytes) {
  const { width, height } = await sharp(bytes).metadata();
  const copy = await sharp(bytes, { ignoreIcc: true })
    .extract({ left: 2, top: 3, width: width - 2, height: height - 3 })
    .resize(policy.maxDimensionPx, policy.maxDimensionPx, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
  encodes = [];
  const { report } = await compressImage(copy, engine, policy);
  const { pixels, chroma } = encodes.at(-1);
  const { ScoreReference } = load('compression/domain/score/ssim-score.js');
  const reference = new ScoreReference(pixels);
  let exhaustive = report.quality;
  // Downwards until two in a row fail: neighbours may swap places.
  for (let quality = report.quality - 1, fails = 0; quality >= 20 && fails < 2; quality--) {
    const encoded = await encode(pixels, { quality, chroma, purpose: 'search' });
    const score = reference.score(await engine.jpeg.decode(encoded, { orientation: 1 }));
    if (score >= policy.targetScore) [exhaustive, fails] = [quality, 0];
    else fails++;
  }
  return { quality: report.quality, exhaustive };
}
