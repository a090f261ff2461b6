/**
 * Renders the page's samples and saves them in examples/, with the thumbnails that the page shows: a still life of 8 megapixels
 * and a landscape. Run it with: node scripts/make-samples.mjs [still-life|landscape]. It takes about half an hour of two cores.
 * The screenshot comes from the tests: UPDATE_SCREENSHOTS=1 npm test -- test/web/first-visit.spec.ts
 */
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from './prepare.mjs';
import { render } from './samples/render.mjs';

/** Width, height, and rays for each pixel. */
const PICTURES = { 'still-life': [3456, 2304, 4], landscape: [1800, 1200, 3] };

const [wanted] = process.argv.slice(2);
for (const [name, [width, height, samples]] of Object.entries(PICTURES)) {
  if (wanted !== undefined && wanted !== name) continue;
  const { data, raw } = await render(name, width, height, samples);
  const file = join(root, 'examples', `${name}.jpg`);
  const { size } = await sharp(data, { raw }).jpeg({ quality: 93, chromaSubsampling: '4:2:0' }).toFile(file);
  console.log(`${file}: ${size} bytes`);
}
for (const name of ['still-life.jpg', 'landscape.jpg', 'screenshot.png']) await makeThumbnail(name);

/** Twice the size of its place on the page, for dense screens. */
async function makeThumbnail(name) {
  const file = join(root, 'src', 'web', 'page', 'samples', name.replace(/\.\w+$/, '.jpg'));
  await sharp(join(root, 'examples', name))
    .resize(288, 192, { position: 'top' })
    .jpeg({ quality: 78, mozjpeg: true })
    .toFile(file);
}
