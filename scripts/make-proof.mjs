/**
 * Draws docs/screenshots/proof.png: a part of the still life at 200%, before and after, with the sizes of both files. Run it
 * after "npm run build": node scripts/make-proof.mjs
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { compress } from '../dist/library/index.mjs';
import { root } from './prepare.mjs';

/** As wide as pages show pictures, so that 200% stays 200%. */
const PART = { left: 2064, top: 1600, width: 218, height: 160 };
const GAP = 8;
const CAPTION = 44;

const original = await readFile(join(root, 'examples', 'still-life.jpg'));
const result = await compress(original);
const after = result.bytes;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const saved = Math.round((1 - after.length / original.length) * 100);

const [width, height] = [PART.width * 2, PART.height * 2];
const enlarged = (image) =>
  sharp(image).extract(PART).resize(width, height, { kernel: 'nearest' }).png().toBuffer();
const text = (x, words) =>
  `<text x="${x}" y="29" font-family="DejaVu Sans, sans-serif" font-size="20" fill="#0f1715">${words}</text>`;
const captions = `<svg xmlns="http://www.w3.org/2000/svg" width="${width * 2 + GAP}" height="${CAPTION}">
  ${text(4, `Before: ${megabytes(original.length)} (shown at 200%)`)}
  ${text(width + GAP + 4, `After: ${megabytes(after.length)}, ${saved}% smaller`)}
</svg>`;
await sharp({
  create: { width: width * 2 + GAP, height: height + CAPTION, channels: 3, background: '#ffffff' },
})
  .composite([
    { input: Buffer.from(captions), left: 0, top: 0 },
    { input: await enlarged(original), left: 0, top: CAPTION },
    { input: await enlarged(after), left: width + GAP, top: CAPTION },
  ])
  .png({ compressionLevel: 9 })
  .toFile(join(root, 'docs', 'screenshots', 'proof.png'));
console.log(`${megabytes(original.length)} -> ${megabytes(after.length)}, ${saved}% smaller`);
