/** The samples of the page: the still life as a camera saves photos, and thumbnails. */
import { join } from 'node:path';
import sharp from 'sharp';

const WIDTH_PX = 1200;
/** Cameras save at 95 to 98. */
const CAMERA = { quality: 96, chromaSubsampling: '4:2:0', optimiseCoding: false };
const THUMBNAIL = { width: 288, height: 192 };

/** @param root of the checkout */
export async function writeSamples(root) {
  const source = (name) => sharp(join(root, 'examples', name));
  const target = (name) => join(root, 'src', 'web', 'page', 'samples', name);
  await source('still-life.jpg').resize(WIDTH_PX).jpeg(CAMERA).toFile(target('still-life.jpg'));
  for (const [name, position] of [
    ['still-life.jpg', 'centre'],
    ['screenshot.png', 'top'],
  ]) {
    const small = source(name).resize({ ...THUMBNAIL, position });
    await small
      .jpeg({ quality: 70, mozjpeg: true })
      .toFile(target(`${name.replace(/\.\w+$/, '')}-small.jpg`));
  }
}
