/** What is a photo among PNGs: other formats then code it with loss. */
import { openPng } from '../../../../../src/compression/application/png/open-png';
import { Stopwatch } from '../../../../../src/compression/application/context';
import { readSource, type PngSource } from '../../../../../src/compression/formats/image-header';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import { policy } from '../../../../support/default-policy';
import { png, type Draw } from '../../../../support/drawn-pngs';
import { photoPixels } from '../../../../support/images';

const engine = createNativeEngine();
const photo = photoPixels(240, 180);
const grey = (x: number, y: number) => photo.data[(y * 240 + x) * photo.channels];

it.each<[string, boolean, Draw]>([
  ['a grey photo', true, (x, y) => [grey(x, y), grey(x, y), grey(x, y), 255]],
  ['a sepia photo', true, (x, y) => [grey(x, y), (grey(x, y) * 7) >> 3, grey(x, y) >> 1, 255]],
  ['a gradient', false, (x) => [x, x, x, 255]],
  [
    'a grey chart',
    false,
    (x, y) => (((x >> 4) * 7 + (y >> 3) * 5) % 9 < 4 ? [0, 0, 0, 255] : [250, 250, 250, 255]),
  ],
  ['noise of few colours', false, (x, y) => [(x * y * 97) % 251, 0, 0, 255]],
])('%s is a photo: %s', async (_, isPhoto, draw) => {
  const source = readSource(png(240, 180, draw), policy.maxPixels) as PngSource;
  const opened = await openPng(source, { engine, policy, stopwatch: new Stopwatch() });
  const image = await opened.shown(() => Promise.resolve(opened.unchanged()));
  expect(image.isPhoto).toBe(isPhoto);
  expect(image.pixels.channels % 2).toBe(1);
});
