/**
 * Drawings with soft edges and transparency, by a seed: our bytes ÷ those of pngquant 80-95 and oxipng, where its palette passes
 * our own guard. Needs pngquant. Change the recipe with the first half in view and read the second half last.
 *
 *   npm run bench -- drawings [drawings in each half, 100 by default]
 */
import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { compressImage, load, machine, median, nativeEngine, policy } from './support.mjs';

/** The most that a drawing may take, as a multiple of pngquant's bytes. */
const MOST = 1.15;

/** Returns numbers in 0..1 (mulberry32). */
function numbersFrom(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns an SVG of shapes, some of them blurred, shaded or translucent. */
function svgOf(seed) {
  const next = numbersFrom(seed);
  const upTo = (most) => Math.floor(next() * most);
  const oneOf = (...options) => options[upTo(options.length)];
  const [width, height] = [120 + upTo(400), 100 + upTo(300)];
  const colour = () => `rgb(${upTo(256)},${upTo(256)},${upTo(256)})`;
  const opacity = oneOf(
    () => 1,
    () => 0.3 + 0.7 * next(),
  );
  const [isShaded, blur] = [next() < 0.4, oneOf(0, 0, 0, 2, 5)];
  const stroke = oneOf('', '', ' stroke="#333" stroke-width="1.5"', ' stroke="#fff" stroke-width="4"');
  const shape = (_, i) => {
    const [x, y, r] = [upTo(width), upTo(height), 6 + upTo(70)];
    const fill = isShaded && i % 3 === 0 ? `url(#g${i % 4})` : colour();
    const look = `fill="${fill}" opacity="${opacity().toFixed(2)}"${stroke}`;
    const soft = blur && i % 4 === 1 ? ' filter="url(#blur)"' : '';
    return oneOf(
      `<circle cx="${x}" cy="${y}" r="${r}" ${look}${soft}/>`,
      `<circle cx="${x}" cy="${y}" r="${r}" ${look}/>`,
      `<rect x="${x}" y="${y}" width="${r * 2}" height="${r}" rx="${upTo(20)}" transform="rotate(${upTo(90)} ${x} ${y})" ${look}${soft}/>`,
      `<path d="M${x} ${y}L${upTo(width)} ${upTo(height)}L${x + r} ${y - r}Z" ${look}/>`,
      `<text x="${x}" y="${y}" font-size="${8 + upTo(30)}" ${look}>Word ${i}</text>`,
    );
  };
  const gradients = [0, 1, 2, 3].map((n) => {
    const kind = oneOf('linearGradient', 'radialGradient');
    const stops = `<stop stop-color="${colour()}"/><stop offset="1" stop-color="${colour()}" stop-opacity="${oneOf(1, 0)}"/>`;
    return `<${kind} id="g${n}">${stops}</${kind}>`;
  });
  const blurred = `<filter id="blur"><feGaussianBlur stdDeviation="${blur || 1}"/></filter>`;
  const ground = oneOf('', '', `<rect width="100%" height="100%" fill="${colour()}"/>`);
  const shapes = Array.from({ length: 3 + upTo(40) }, shape);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs>${gradients.join('')}${blurred}</defs>${ground}${shapes.join('')}</svg>`;
}

/** Returns pngquant's result; undefined if it refuses, or if the guard sees the difference. */
async function passingPalette(png, engine) {
  const { FidelityGuard } = load('compression/domain/fidelity-guard.js');
  const { status, stdout } = spawnSync('pngquant', ['--quality', '80-95', '-'], { input: png });
  if (status !== 0) return undefined;
  const packed = await engine.png.optimise(stdout, 'balanced');
  const guard = new FidelityGuard(await engine.png.decode(png), policy.targetScore);
  return guard.judge(await engine.png.decode(packed)).passes ? packed : undefined;
}

async function compare(seed, engine) {
  const png = await sharp(Buffer.from(svgOf(seed)))
    .png()
    .toBuffer();
  const { bytes } = await compressImage(png, engine, policy);
  const theirs = await passingPalette(png, engine);
  return theirs && { seed, ours: bytes.length, theirs: theirs.length, ratio: bytes.length / theirs.length };
}

function print(name, rows) {
  const ratios = rows.map(({ ratio }) => ratio);
  const over = rows.filter(({ ratio }) => ratio > MOST);
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  console.log(
    `${name}: ${rows.length} where pngquant passes, ours ÷ theirs: sum ${(sum('ours') / sum('theirs')).toFixed(3)}, ` +
      `median ${median(ratios).toFixed(3)}, worst ${Math.max(...ratios).toFixed(3)}, over ${MOST}: ${over.length}`,
  );
  for (const { seed, ours, theirs } of over) console.log(`  seed ${seed}: ${ours} against ${theirs}`);
}

const count = Number(process.argv[2] ?? 100);
const engine = nativeEngine();
console.log(machine());
for (const [name, first] of [
  ['tune', 0],
  ['test', 10_000],
]) {
  const rows = [];
  for (let seed = first; seed < first + count; seed++) rows.push(await compare(seed, engine));
  print(name, rows.filter(Boolean));
}
