/** Requirements for a JPEG codec, except its tables and how it turns and scales. */
import assert from 'node:assert/strict';
import { readJpegFrame } from '../formats/jpeg/jpeg-structure';
import { asRgba, type ChromaSubsampling } from '../domain/pixels';
import {
  decodeIndependently,
  photoPixels,
  CHROMA,
  decodeJpeg,
  difference,
  jpegOf,
  refuses,
  type ConformanceCheck,
} from './images';
import { noise, pixelsOf } from './tested-format';

const [WIDTH, HEIGHT] = [200, 120];
const photo = photoPixels(WIDTH, HEIGHT);

export const JPEG_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'JPEG: an encoded image looks the same after decoding, by the engine and by another decoder',
    async run({ jpeg }) {
      for (const chroma of CHROMA) {
        for (const purpose of ['trial', 'delivery'] as const) {
          const encoded = await jpeg.encode(photo, { quality: 92, chroma, purpose });
          const decoded = await decodeJpeg(jpeg, encoded, { toEncode: true });
          assert.equal(decoded.channels, 4);
          assert.ok(
            decoded.data.every((value, i) => i % 4 !== 3 || value === 255),
            'opaque',
          );
          assert.ok(difference(asRgba(photo), asRgba(decoded)) < 7, `${chroma} for ${purpose}, own decoder`);
          assert.ok(
            difference(asRgba(photo), decodeIndependently(encoded)) < 9,
            `${chroma} for ${purpose}, jpeg-js`,
          );
        }
      }
    },
  },
  {
    name: 'JPEG: 4:2:0 has half the chroma resolution, 4:4:4 all of it',
    async run({ jpeg }) {
      const colours = [20, 20, 230, 230, 20, 20];
      const stripes = pixelsOf(64, 64, 3, (i) => colours[i % 6]);
      const loss = async (chroma: ChromaSubsampling) => {
        const encoded = await jpeg.encode(stripes, { quality: 95, chroma, purpose: 'delivery' });
        return difference(asRgba(stripes), asRgba(await decodeJpeg(jpeg, encoded)));
      };
      assert.ok((await loss('4:2:0')) > 40);
      assert.ok((await loss('4:4:4')) < 15);
    },
  },
  {
    name: 'JPEG: grey stays one channel',
    async run({ jpeg }) {
      const grey = pixelsOf(48, 40, 1, (i) => (i * 3) % 256);
      const encoded = await jpeg.encode(grey, { quality: 95, chroma: '4:2:0', purpose: 'delivery' });
      const decoded = await decodeJpeg(jpeg, encoded);
      assert.deepEqual([decoded.channels, decoded.width, decoded.height], [1, 48, 40]);
    },
  },
  {
    name: 'JPEG: a trial encode shows the same image as one for delivery',
    async run({ jpeg }) {
      const shown = async (purpose: 'trial' | 'delivery') =>
        asRgba(await decodeJpeg(jpeg, await jpeg.encode(photo, { quality: 75, chroma: '4:2:0', purpose })));
      assert.ok(difference(await shown('trial'), await shown('delivery')) < 1.5);
    },
  },
  {
    name: 'JPEG: a trial is decoded to nearly the same samples as any file, in colour and in grey',
    async run({ jpeg }) {
      const grey = pixelsOf(72, 56, 1, (i) => i % 201);
      for (const chroma of CHROMA) {
        for (const pixels of [photo, grey]) {
          const encoded = await jpeg.encode(pixels, { quality: 75, chroma, purpose: 'trial' });
          const trial = await jpeg.decodeTrial(encoded, pixels);
          const decoded = await decodeJpeg(jpeg, encoded);
          assert.deepEqual([trial.width, trial.height], [pixels.width, pixels.height]);
          assert.ok(difference(asRgba(trial), asRgba(decoded)) < 1, `${chroma}, ${pixels.channels} channels`);
        }
      }
    },
  },
  {
    name: 'JPEG: RGB and RGBA give the same bytes; alpha is ignored',
    async run({ jpeg }) {
      const options = { quality: 80, chroma: '4:2:0', purpose: 'delivery' } as const;
      const data = asRgba(photo).data.map((value, i) => (i % 4 === 3 ? i % 256 : value));
      const [withAlpha, without] = [{ ...photo, channels: 4 as const, data }, photo];
      const [a, b] = [await jpeg.encode(withAlpha, options), await jpeg.encode(without, options)];
      assert.deepEqual(Buffer.from(a), Buffer.from(b));
    },
  },
  {
    name: 'JPEG: a higher quality loses less and costs more',
    async run({ jpeg }) {
      let last = { loss: Infinity, size: 0 };
      for (const quality of [30, 60, 80, 95]) {
        const encoded = await jpeg.encode(photo, { quality, chroma: '4:4:4', purpose: 'delivery' });
        const loss = difference(asRgba(photo), asRgba(await decodeJpeg(jpeg, encoded)));
        assert.ok(loss < last.loss && encoded.length > last.size, `at quality ${quality}`);
        last = { loss, size: encoded.length };
      }
    },
  },
  {
    name: 'JPEG: a lossless rewrite has equal pixels and is no larger, or is undefined',
    async run({ jpeg }) {
      const source = jpegOf(photo);
      const recoded = await jpeg.recodeLosslessly(source);
      if (!recoded) return;
      assert.ok(recoded.length <= source.length);
      assert.equal(difference(decodeIndependently(source), decodeIndependently(recoded)), 0);
    },
  },
  {
    name: 'JPEG: the smallest images work',
    async run({ jpeg }) {
      for (const [width, height] of [
        [1, 1],
        [1, 17],
        [17, 1],
        [8, 8],
      ]) {
        const tiny = photoPixels(width, height);
        const encoded = await jpeg.encode(tiny, { quality: 80, chroma: '4:2:0', purpose: 'delivery' });
        const decoded = await decodeJpeg(jpeg, encoded);
        assert.deepEqual([decoded.width, decoded.height], [width, height]);
      }
    },
  },
  {
    name: 'JPEG: garbage and truncated files are refused, and the next file is not affected',
    async run({ jpeg }) {
      const good = jpegOf(photo);
      const { data } = noise(3000, 1, 1, 3);
      const header = readJpegFrame(good);
      await refuses(() => decodeJpeg(jpeg, data, { header }), 'noise');
      await refuses(() => decodeJpeg(jpeg, good.subarray(0, good.length / 2)), 'half a file');
      const headless = Buffer.concat([good.subarray(0, 20), data]);
      await refuses(() => decodeJpeg(jpeg, headless, { header }), 'no picture');
      assert.equal((await decodeJpeg(jpeg, good)).width, WIDTH);
    },
  },
  {
    name: 'JPEG: the same input gives the same bytes, and is not changed',
    async run({ jpeg }) {
      const before = photo.data.slice();
      const encode = () => jpeg.encode(photo, { quality: 77, chroma: '4:2:0', purpose: 'delivery' });
      const [first, second] = [await encode(), await encode()];
      assert.deepEqual(Buffer.from(first), Buffer.from(second));
      assert.deepEqual(photo.data, before);
      const file = Buffer.from(first);
      await decodeJpeg(jpeg, first, { orientation: 6 });
      await jpeg.recodeLosslessly(first);
      assert.deepEqual(Buffer.from(first), file);
    },
  },
];
