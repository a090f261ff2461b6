/**
 * Draws examples/sample.jpg: an artificial landscape with a smooth sky, textured hills and some fine detail, saved at a
 * camera's quality. Run it with: node scripts/make-sample.mjs
 */
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from './prepare.mjs';

const width = 1600;
const height = 1067;

/** A small linear congruential generator, so that the image is the same every time. */
let state = 20_260_117;
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

/** Value noise on a grid, smoothed; the texture of hills and clouds. */
function noise(cells) {
  const grid = Float32Array.from({ length: (cells + 2) * (cells + 2) }, random);
  return (u, v) => {
    const x = u * cells;
    const y = v * cells;
    const i = Math.floor(x);
    const j = Math.floor(y);
    const smooth = (t) => t * t * (3 - 2 * t);
    const at = (a, b) => grid[Math.min(b, cells + 1) * (cells + 2) + Math.min(a, cells + 1)];
    const sx = smooth(x - i);
    const sy = smooth(y - j);
    const top = at(i, j) * (1 - sx) + at(i + 1, j) * sx;
    return top * (1 - sy) + (at(i, j + 1) * (1 - sx) + at(i + 1, j + 1) * sx) * sy;
  };
}

const octaves = [4, 9, 19, 41, 90, 200, 430].map(noise);
const fractal = (u, v, from = 0) =>
  octaves.slice(from).reduce((sum, layer, k) => sum + layer(u, v) * 0.5 ** k, 0) / 2;

const ridges = [0.5, 0.62, 0.76, 0.9].map((base, k) => {
  const line = noise(5 + k * 4);
  const detail = noise(40 + k * 30);
  return (u) => base - line(u, 0.3) * 0.16 + detail(u, 0.6) * 0.015;
});
const hillColours = [
  [126, 142, 170],
  [96, 118, 128],
  [66, 98, 78],
  [44, 70, 40],
];

const data = Buffer.alloc(width * height * 3);
for (let y = 0; y < height; y++) {
  for (let x = 0; x < width; x++) {
    const u = x / width;
    const v = y / height;
    const hill = ridges.findLastIndex((ridge) => v > ridge(u));
    let colour;
    if (hill < 0) {
      const cloud = Math.max(0, fractal(u, v * 1.6) - 0.48) * 1.9;
      const glow = Math.exp(-((u - 0.72) ** 2 + (v - 0.42) ** 2) * 14) * 70;
      const sky = [70 + 150 * v + glow, 120 + 100 * v + glow * 0.8, 190 + 30 * v + glow * 0.3];
      colour = sky.map((c) => c + (240 - c) * Math.min(1, cloud));
    } else {
      const texture = (fractal(u, v, 2) - 0.25) * (60 + hill * 40);
      const haze = (3 - hill) * 12 * (v - ridges[hill](u));
      colour = hillColours[hill].map((c, k) => c + texture * [0.8, 1, 0.6][k] + haze);
    }
    for (let k = 0; k < 3; k++) {
      const grain = (random() + random() - 1) * 5;
      data[(y * width + x) * 3 + k] = Math.max(0, Math.min(255, Math.round(colour[k] + grain)));
    }
  }
}

const file = join(root, 'examples', 'sample.jpg');
const { size } = await sharp(data, { raw: { width, height, channels: 3 } })
  .jpeg({ quality: 94, chromaSubsampling: '4:2:0' })
  .toFile(file);
console.log(`${file}: ${size} bytes`);
