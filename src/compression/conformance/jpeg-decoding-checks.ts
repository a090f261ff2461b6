/** Requirements for the decoder of a JPEG codec: rotation, conversion and scaling. */
import assert from 'node:assert/strict';
import type { Pixels } from '../domain/pixels';
import { photoPixels } from './images';
import { jpegWithBlocks } from '../formats/jpeg/jpeg-blocks';
import { shortField, writeTiff } from '../formats/tiff';
import { decodeJpeg, difference, jpegOf, rgba, turned, type ConformanceCheck } from './pictures';

const photo = photoPixels(200, 120);

export const JPEG_DECODING_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'JPEG: all eight orientations come out upright, regardless of the orientation in the file',
    async run({ jpeg }) {
      const plain = jpegOf(photo);
      const stored = rgba(await decodeJpeg(jpeg, plain));
      for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const) {
        for (const file of [plain, jpegWithBlocks(plain, { exif: writeTiff([shortField(0x0112, 6)]) })]) {
          const decoded = rgba(await decodeJpeg(jpeg, file, { orientation }));
          assert.ok(difference(turned(stored, orientation), decoded) < 0.5, `orientation ${orientation}`);
        }
      }
    },
  },
  {
    name: 'JPEG: samples stay as stored, regardless of the colour profile',
    async run({ jpeg }) {
      const plain = jpegOf(photo);
      const profile = Buffer.alloc(400, 7);
      const withProfile = jpegWithBlocks(plain, { icc: profile });
      const [a, b] = [plain, withProfile].map((file) => decodeJpeg(jpeg, file));
      assert.equal(difference(rgba(await a), rgba(await b)), 0);
    },
  },
  {
    name: 'JPEG: is scaled to exactly the size that is asked for',
    async run({ jpeg }) {
      const decoded = await decodeJpeg(jpeg, jpegOf(photo), {
        orientation: 6,
        size: { width: 37, height: 61 },
      });
      assert.deepEqual([decoded.width, decoded.height], [37, 61]);
      const mean = (pixels: Pixels) =>
        rgba(pixels).data.reduce((a, b) => a + b, 0) / rgba(pixels).data.length;
      assert.ok(Math.abs(mean(decoded) - mean(photo)) < 4);
    },
  },
  {
    name: 'JPEG: decoded pixels are scaled as the decoder scales them, and keep their channels',
    async run({ jpeg }) {
      const size = { width: 50, height: 30 };
      for (const toEncode of [true, false]) {
        const whole = await decodeJpeg(jpeg, jpegOf(photo), { toEncode });
        const scaled = await jpeg.scale(whole, size);
        const decoded = await decodeJpeg(jpeg, jpegOf(photo), { toEncode, size });
        assert.deepEqual([scaled.width, scaled.height, scaled.channels], [50, 30, whole.channels]);
        assert.equal(scaled.data.length, 50 * 30 * whole.channels);
        assert.ok(difference(rgba(scaled), rgba(decoded)) < 4);
      }
    },
  },
];
