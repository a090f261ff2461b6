import { writeFileSync } from 'node:fs';
import { temporaryFile } from '../../../../support/folders';
import { JpegliEncoder } from '../../../../../src/compression/infrastructure/codecs/native/jpegli-encoder';
import { asRgba } from '../../../../../src/compression/domain/pixels';
import { readJpegFrame } from '../../../../../src/compression/formats/jpeg/jpeg-structure';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import {
  decodeIndependently,
  painted,
  photoPixels,
  rawImage,
  difference,
  texturedPixels,
} from '../../../../support/images';

const photo = photoPixels(150, 90);
const settings = { quality: 85, chroma: '4:2:0', isProgressive: true } as const;

it('falls back to MozJPEG if jpegli is missing or damaged, and gives the reason', async () => {
  const damaged = temporaryFile('jpegli.wasm');
  writeFileSync(damaged, 'not a module');
  for (const path of ['/nowhere/jpegli.wasm', damaged]) {
    const { jpeg, notices } = createNativeEngine(() => new JpegliEncoder(path));
    expect(notices).toEqual([expect.stringMatching(/^jpegli cannot be loaded; MozJPEG replaces it/)]);
    const encoded = await jpeg.encode(photo, { quality: 85, chroma: '4:2:0', purpose: 'delivery' });
    expect(difference(encoded, asRgba(photo))).toBeLessThan(9);
  }
  expect(createNativeEngine().notices).toBeUndefined();
});

it('gives the same bytes again and again, also after large images, and releases their memory', () => {
  const jpegli = new JpegliEncoder();
  const first = jpegli.encode(photo, settings);
  const large = photoPixels(3000, 2000);
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 4; i++) {
    jpegli.encode(large, settings);
    jpegli.releaseMemory(32e6);
  }
  for (let i = 0; i < 200; i++) expect(jpegli.encode(photo, settings)).toEqual(first);
  globalThis.gc?.();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400e6);
});

it('does not shift an image whose sides are odd when it is scaled to less than a third', async () => {
  const jpeg = await rawImage(texturedPixels(331, 199)).jpeg({ quality: 95 }).toBuffer();
  const size = { width: 100, height: 60 };
  const whole = rawImage({ ...decodeIndependently(jpeg), channels: 4 });
  const data = await whole.resize(100, 60, { fit: 'fill', kernel: 'lanczos3' }).raw().toBuffer();
  const options = { orientation: 1, size, header: readJpegFrame(jpeg) } as const;
  const scaled = await createNativeEngine().jpeg.decode(jpeg, options);
  expect(difference(asRgba(scaled), { ...size, data })).toBeLessThan(1);
});

it('encodes the smallest images in every shape', () => {
  const jpegli = new JpegliEncoder();
  for (let width = 1; width <= 18; width++) {
    for (const height of [1, 2, 7, 8, 9, 16, 17]) {
      for (const chroma of ['4:2:0', '4:4:4'] as const) {
        const decoded = decodeIndependently(
          jpegli.encode(photoPixels(width, height), { ...settings, chroma }),
        );
        expect(decoded).toMatchObject({ width, height });
      }
    }
  }
});

it('encodes a grey image that is too long for whole blocks', () => {
  const pixels = painted(65_498, 2, 1, (x) => (x >> 8) % 256);
  const encoded = new JpegliEncoder().encode(pixels, settings);
  expect(difference(encoded, asRgba(pixels))).toBeLessThan(2);
});
