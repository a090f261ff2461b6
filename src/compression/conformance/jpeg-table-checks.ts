/** Requirements for the quantization tables of a JPEG codec, and for encoding with those of others. */
import assert from 'node:assert/strict';
import { readLumaSteps } from '../formats/jpeg/jpeg-structure';
import { photoPixels } from './images';
import { CHROMA, decodeJpeg, difference, rgba, type ConformanceCheck } from './pictures';

const photo = photoPixels(200, 120);

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
        const loss = difference(rgba(decoded), rgba(await decodeJpeg(jpeg, again)));
        assert.ok(loss < difference(rgba(photo), rgba(decoded)) / 4, `${family}: ${loss}`);
      }
    },
  },
];
