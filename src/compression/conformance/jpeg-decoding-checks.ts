/**
 * Requirements for the decoder of a JPEG codec (rotation, conversion and scaling), for its quantization tables, and for encoding with
 * those of others.
 */
import assert from 'node:assert/strict';
import { asRgba, type Pixels } from '../domain/pixels';
import { photoPixels, decodeJpeg, difference, jpegOf, turned, type ConformanceCheck, CHROMA } from './images';
import { jpegWithBlocks } from '../formats/jpeg/jpeg-blocks';
import { shortField, writeTiff } from '../formats/tiff';
import { readLumaSteps } from '../formats/jpeg/jpeg-structure';

const photo = photoPixels(200, 120);

export const JPEG_DECODING_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'JPEG: all eight orientations come out upright, regardless of the orientation in the file',
    async run({ jpeg }) {
      const plain = jpegOf(photo);
      const stored = asRgba(await decodeJpeg(jpeg, plain));
      for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const) {
        for (const file of [plain, jpegWithBlocks(plain, { exif: writeTiff([shortField(0x0112, 6)]) })]) {
          const decoded = asRgba(await decodeJpeg(jpeg, file, { orientation }));
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
      assert.equal(difference(asRgba(await a), asRgba(await b)), 0);
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
        asRgba(pixels).data.reduce((a, b) => a + b, 0) / asRgba(pixels).data.length;
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
        assert.ok(difference(asRgba(scaled), asRgba(decoded)) < 4);
      }
    },
  },
];

export const JPEG_TABLE_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'JPEG: the quantization steps that it names are those that it writes, and never grow with quality',
    async run({ jpeg }) {
      for (const chroma of CHROMA) {
        let coarser: readonly number[] = Array<number>(64).fill(255);
        for (const quality of [10, 40, 60, 80, 95, 100]) {
          const steps = jpeg.lumaSteps(quality, chroma);
          const written = readLumaSteps(await jpeg.encode(photo, { quality, chroma, purpose: 'delivery' }));
          // The low frequencies, which contain nearly all of a photo; encoders clamp the highest ones differently.
          assert.deepEqual(steps.slice(0, 21), written?.slice(0, 21), `quality ${quality}, ${chroma}`);
          assert.ok(steps.every((step, i) => step <= coarser[i]));
          coarser = steps;
        }
      }
    },
  },
  {
    name: 'JPEG: restores a former coding with its tables at next to no loss, or returns undefined',
    async run({ jpeg }) {
      for (const family of ['standard', 'mozjpeg', 'engine'] as const) {
        const former = { family, quality: 70, chroma: '4:4:4' } as const;
        const first = await jpeg.encodeWithFormerTables(photo, former);
        if (!first) continue;
        const decoded = await decodeJpeg(jpeg, first);
        const again =
          (await jpeg.encodeWithFormerTables(decoded, former)) ?? assert.fail('offered once, not twice');
        assert.deepEqual(readLumaSteps(again), readLumaSteps(first));
        const loss = difference(asRgba(decoded), asRgba(await decodeJpeg(jpeg, again)));
        assert.ok(loss < difference(asRgba(photo), asRgba(decoded)) / 4, `${family}: ${loss}`);
      }
    },
  },
];
