/** The recipe against a plain MozJPEG encode of the same SSIMULACRA2, in turn, with a worker's flags. */
import sharp from 'sharp';
import { ssimulacra2 } from '../judges/ssimulacra2.mjs';
import {
  compressImage,
  cost,
  imagesIn,
  lowestQuality,
  median,
  medianCost,
  nativeEngine,
  pixelsOf,
  policy,
  rowOf,
  sum,
} from './support.mjs';

const MIN_RUNS = 3;
const MAX_RUNS = 9;
const MAX_MS = 3_000;
const CROP = 512;
const WIDTHS = [-30, 6, -6, 8, 7, 6, 7, 7, 8, 8, 8, 12, 9, 8];
const SUMMARY_WIDTHS = [-28, 6, 7, 6, 14, 16];
const CLASSES = [
  ['6 MP and more', 6, Infinity],
  ['1 to 6 MP', 1, 6],
  ['below 1 MP', 0, 1],
];
const engine = nativeEngine();
let chroma;
const encode = engine.jpeg.encode.bind(engine.jpeg);
engine.jpeg.encode = (pixels, options) => {
  if (options.purpose === 'delivery') chroma = options.chroma;
  return encode(pixels, options);
};

export async function run(folder) {
  console.log(
    `medians of ${MIN_RUNS} to ${MAX_RUNS} runs each, in turn, after one that is not counted; times in ms\n`,
  );
  console.log(
    'photo                              MP           plain  recipe  ratio  of CPU  chroma  encodes  quality  MozJPEG  SSIMULACRA2  bytes in      out',
  );
  const results = [];
  for (const { name, bytes } of imagesIn(folder, /\.jpe?g$/i)) {
    const result = await measure(bytes);
    if (!result) {
      console.log(
        `${name.slice(0, 30).padEnd(30)} left out: not searched, but rewritten losslessly or skipped`,
      );
      continue;
    }
    results.push(result);
    const { report } = result;
    const cells = [
      name,
      result.megapixels.toFixed(1),
      result.isScaled ? 'scaled' : '',
      result.plain.ms.toFixed(0),
      result.recipe.ms.toFixed(0),
      result.ratio.toFixed(2),
      result.cpuRatio.toFixed(2),
      result.chroma,
      report.encodes,
      report.quality,
      result.quality,
      result.score.toFixed(1),
      report.originalSize,
      report.compressedSize,
    ];
    console.log(rowOf(WIDTHS, cells));
  }
  console.log('\nrecipe ÷ plain encode        photos  median  worst  median of CPU  encodes a photo');
  for (const [label, from, to] of CLASSES) {
    const group = results.filter(({ megapixels }) => megapixels >= from && megapixels < to);
    summary(label, group);
    for (const kind of ['4:2:0', '4:4:4']) {
      for (const isScaled of [false, true]) {
        const isOfKind = (result) => result.chroma === kind && result.isScaled === isScaled;
        summary(`  ${kind} ${isScaled ? 'scaled' : 'not scaled'}`, group.filter(isOfKind));
      }
    }
  }
}

function summary(label, group) {
  if (group.length === 0) return;
  const ratios = group.map(({ ratio }) => ratio);
  const figures = [
    median(ratios),
    Math.max(...ratios),
    median(group.map(({ cpuRatio }) => cpuRatio)),
    sum(group, ({ report }) => report.encodes) / group.length,
  ];
  const cells = [label, group.length, ...figures.map((figure) => figure.toFixed(2))];
  console.log(rowOf(SUMMARY_WIDTHS, cells));
}

/** As the product scales: both sides exactly, though rounding changes the aspect ratio by a fraction of a pixel. */
const FILL = { fit: 'fill' };

async function measure(bytes) {
  chroma = undefined;
  const compressed = await compressImage(bytes, engine, policy);
  const { report } = compressed;
  if (report.skipReason || report.score === 1 || !chroma) return undefined;
  const { width, height } = report.dimensions;
  const isScaled = width !== report.originalDimensions.width;
  const { score, quality } = await mozjpegOfSameScore(bytes, compressed);
  const plainEncode = () => {
    const image = sharp(bytes).autoOrient();
    return (isScaled ? image.resize(width, height, FILL) : image).jpeg({ mozjpeg: true, quality }).toBuffer();
  };
  const plain = [];
  const recipe = [];
  await plainEncode();
  const start = performance.now();
  while (plain.length < MIN_RUNS || (plain.length < MAX_RUNS && performance.now() - start < MAX_MS)) {
    plain.push(await cost(plainEncode));
    recipe.push(await cost(() => compressImage(bytes, engine, policy)));
  }
  const [plainCost, recipeCost] = [medianCost(plain), medianCost(recipe)];
  return {
    report,
    isScaled,
    score,
    quality,
    chroma,
    plain: plainCost,
    recipe: recipeCost,
    ratio: recipeCost.ms / plainCost.ms,
    cpuRatio: recipeCost.cpuMs / plainCost.cpuMs,
    megapixels: (width * height) / 1e6,
  };
}

function crop(bytes, width, height) {
  const size = { width: Math.min(CROP, width), height: Math.min(CROP, height) };
  const image = sharp(bytes, { ignoreIcc: true })
    .autoOrient()
    .resize(width, height, FILL)
    .extract({ left: (width - size.width) >> 1, top: (height - size.height) >> 1, ...size });
  return pixelsOf(image.removeAlpha());
}

/** SSIMULACRA2 of a result, and the MozJPEG quality that reaches it, both from the middle of the image. */
export async function mozjpegOfSameScore(bytes, { bytes: result, report }) {
  const { width, height } = report.dimensions;
  const upload = await crop(bytes, width, height);
  const score = ssimulacra2(upload, await crop(result, width, height));
  return { score, quality: await sameQuality(upload, score) };
}

function sameQuality(pixels, wanted) {
  return lowestQuality(10, 100, async (quality) => {
    const jpeg = await sharp(pixels.data, { raw: pixels }).jpeg({ quality, mozjpeg: true }).toBuffer();
    return ssimulacra2(pixels, await crop(jpeg, pixels.width, pixels.height)) >= wanted;
  });
}
