/**
 * npm run bench [-- FOLDER]
 *
 * What the promise costs: the whole recipe (decode, search, encode, verify) against one plain
 * sharp(input).jpeg({ mozjpeg: true, quality: the same }) of the same file, in turn, in this process. Prints ratios;
 * judges nothing. FOLDER holds JPEG photos; without one, the sample of the repository is taken.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { prepare, root } from '../../scripts/prepare.mjs';

const RUNS = 5;
const userFolder = process.env.INIT_CWD ?? process.cwd();
const folder = process.argv[2] ? resolve(userFolder, process.argv[2]) : join(root, 'examples');
if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}.`);
  process.exit(2);
}
prepare();
const load = (path) => createRequire(import.meta.url)(join(root, 'dist', path));
const { compressImage } = load('compression/application/compress-image.js');
const { createNativeEngine } = load('compression/infrastructure/codecs/native/native-engine.js');
const { policy } = load('settings/settings.js').readSettings({});

const engine = createNativeEngine();
let wholeEncodes = 0;
const encode = engine.jpeg.encode.bind(engine.jpeg);
engine.jpeg.encode = (pixels, options) => {
  if (options.purpose === 'delivery') wholeEncodes++;
  return encode(pixels, options);
};

console.log(
  `machine ${cpus().length} x ${cpus()[0].model}, Node ${process.version}, sharp ${sharp.versions.sharp}`,
);
console.log(`median of ${RUNS} runs each, in turn, after one that is not counted\n`);
console.log(
  'photo                                   MP    plain   recipe   ratio  encodes  quality    bytes in      out',
);
const results = [];
for (const name of readdirSync(folder).filter((file) => /\.jpe?g$/i.test(file))) {
  results.push(await measure(name, readFileSync(join(folder, name))));
}
console.log();
for (const [label, from, to] of [
  ['6 MP and more', 6, Infinity],
  ['1 to 6 MP', 1, 6],
  ['below 1 MP', 0, 1],
]) {
  const group = results.filter(({ megapixels }) => megapixels >= from && megapixels < to);
  if (group.length === 0) continue;
  const ratios = group.map(({ ratio }) => ratio);
  const encodes = group.reduce((sum, { encodes }) => sum + encodes, 0) / group.length;
  console.log(
    `${label.padEnd(14)} ${group.length} photos: ratio median ${median(ratios).toFixed(2)}, worst ${Math.max(...ratios).toFixed(2)}; whole encodes per photo ${encodes.toFixed(2)}`,
  );
}

async function measure(name, bytes) {
  wholeEncodes = 0;
  const { report } = await compressImage(bytes, engine, policy);
  const encodes = wholeEncodes;
  const plain = [];
  const recipe = [];
  for (let run = 0; run < RUNS; run++) {
    plain.push(
      await time(() =>
        sharp(bytes)
          .jpeg({ mozjpeg: true, quality: report.quality ?? 80 })
          .toBuffer(),
      ),
    );
    recipe.push(await time(() => compressImage(bytes, engine, policy)));
  }
  const megapixels = (report.originalDimensions.width * report.originalDimensions.height) / 1e6;
  const ratio = median(recipe) / median(plain);
  const cells = [
    name.slice(0, 36).padEnd(36),
    megapixels.toFixed(1).padStart(6),
    median(plain).toFixed(0).padStart(8),
    median(recipe).toFixed(0).padStart(8),
    ratio.toFixed(2).padStart(7),
    String(encodes).padStart(8),
    String(report.skipReason ?? report.quality).padStart(8),
    String(report.originalSize).padStart(11),
    String(report.compressedSize).padStart(8),
  ];
  console.log(cells.join(' '));
  return { megapixels, ratio, encodes };
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
