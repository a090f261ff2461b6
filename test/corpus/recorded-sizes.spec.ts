/** Sizes of results as they were measured, so that a loss of bytes shows even if it happens in small steps. */
import { compressImage } from '../../src/compression/application/recipe';
import { createNativeEngine } from '../../src/compression/infrastructure/codecs/native/native-engine';
import { policy } from '../support/default-policy';
import { png, screenshot, textured, type Draw } from '../support/drawn-pngs';
import { photoPixels } from '../support/images';

const [width, height] = [480, 360];
const photo = photoPixels(width, height);
const sample = (x: number, y: number, c: number) => photo.data[(y * width + x) * photo.channels + c];
const veil = (x: number, y: number) =>
  Math.round(255 * Math.max(0, 1 - Math.hypot(x - width / 2, y - height / 2) / 200));
const isGlyph = (x: number, y: number) => y % 20 < 9 && (x * 7 + y * 13) % 11 < 3;
const gradients: Draw = (x, y) =>
  isGlyph(x, y) && x > 240 ? [230, 230, 230, 255] : [20 + (x >> 2), 90 - (y >> 2), 60 + ((x + y) >> 3), 255];
const LARGER = 1.02;

it.each<[string, number, Draw]>([
  ['a screenshot', 12_641, screenshot],
  ['texture', 131_523, textured],
  ['gradients and text', 12_318, gradients],
  ['a soft shadow', 7628, (x, y) => [16, 32, 48, veil(x, y) >> 1]],
  ['a photo', 91_865, (x, y) => [sample(x, y, 0), sample(x, y, 1), sample(x, y, 2), 255]],
  [
    'a grey photo with soft alpha',
    45_679,
    (x, y) => [sample(x, y, 0), sample(x, y, 0), sample(x, y, 0), veil(x, y)],
  ],
])('%s takes at most 1.02 of %i bytes', async (_, recorded, draw) => {
  const { bytes } = await compressImage(png(width, height, draw), createNativeEngine(), policy);
  expect(bytes.length).toBeLessThanOrEqual(recorded * LARGER);
});
