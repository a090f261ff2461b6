/**
 * Draws what others show of the page: preview.jpg, the picture beside a shared link (Open Graph, 1200x630), and favicon.ico.
 * Run it after "npm run build": node scripts/make-preview.mjs
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { compress } from '../dist/library/index.mjs';
import { root } from './prepare.mjs';

const [WIDTH, HEIGHT] = [1200, 630];
const HEAD = 150;
const MIDDLE = WIDTH / 2;

const page = join(root, 'src', 'web', 'page');
const mark = await readFile(join(page, 'icon.svg'));
const original = await readFile(join(root, 'examples', 'still-life.jpg'));
const { bytes: smaller } = await compress(original);
const megabytes = ({ length }) => `${(length / 1e6).toFixed(2)} MB`;

/** Half of the image at half its size, where both halves meet in the middle. */
const half = (image, left) =>
  sharp(image)
    .resize(WIDTH, HEIGHT - HEAD, { fit: 'cover', position: 'centre' })
    .extract({ left, top: 0, width: MIDDLE, height: HEIGHT - HEAD })
    .toBuffer();
const text = (x, y, size, words, anchor = 'start', weight = 'normal') =>
  `<text x="${x}" y="${y}" font-family="DejaVu Sans, sans-serif" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="#0f1715">${words}</text>`;
const label = (x, words) =>
  `<rect x="${x - 130}" y="${HEIGHT - 84}" width="260" height="56" rx="28" fill="#fff" />${text(x, HEIGHT - 46, 28, words, 'middle')}`;
const words = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
  ${text(168, 72, 48, 'Image compression', 'start', 'bold')}
  ${text(168, 120, 28, 'JPG and PNG files become smaller and look the same.')}
  <rect x="${MIDDLE - 2}" y="${HEAD}" width="4" height="${HEIGHT - HEAD}" fill="#fff" />
  ${label(MIDDLE / 2, megabytes(original))}
  ${label(MIDDLE * 1.5, megabytes(smaller))}
</svg>`;
const preview = await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#ffffff' } })
  .composite([
    { input: await half(original, 0), left: 0, top: HEAD },
    { input: await half(smaller, MIDDLE), left: MIDDLE, top: HEAD },
    { input: await sharp(mark, { density: 216 }).resize(96, 96).toBuffer(), left: 48, top: 27 },
    { input: Buffer.from(words), left: 0, top: 0 },
  ])
  .png()
  .toBuffer();
await writeFile(join(page, 'preview.jpg'), (await compress(preview, { format: 'jpeg' })).bytes);

/** An ICO file holds PNG files behind a directory of 16 bytes each. */
const SIZES = [16, 32, 48];
const icons = await Promise.all(
  SIZES.map((size) => sharp(mark, { density: 216 }).resize(size, size).png().toBuffer()),
);
const directory = Buffer.alloc(6 + 16 * SIZES.length);
directory.writeUInt16LE(1, 2);
directory.writeUInt16LE(SIZES.length, 4);
let offset = directory.length;
icons.forEach((icon, i) => {
  const at = 6 + 16 * i;
  directory.writeUInt8(SIZES[i], at);
  directory.writeUInt8(SIZES[i], at + 1);
  directory.writeUInt16LE(1, at + 4);
  directory.writeUInt16LE(32, at + 6);
  directory.writeUInt32LE(icon.length, at + 8);
  directory.writeUInt32LE(offset, at + 12);
  offset += icon.length;
});
await writeFile(join(page, 'public', 'favicon.ico'), Buffer.concat([directory, ...icons]));
console.log(`${megabytes(original)} -> ${megabytes(smaller)}; preview.jpg, favicon.ico: ${offset} bytes`);
