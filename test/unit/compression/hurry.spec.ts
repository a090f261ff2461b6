/** Short of time, a recipe spends less on bytes, never on quality. */
import sharp from 'sharp';
import { compressImage } from '../../../src/compression/application/compress-image';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../src/settings/settings';
import { photoJpeg, photoPixels } from '../../support/images';

const { policy } = readSettings({});
const engine = createNativeEngine();

it('a JPEG: encoded in a hurry, and passing all the same', async () => {
  const jpeg = await photoJpeg(1200, 900, { quality: 98 });
  const patient = { ...policy, effort: 'max' } as const;
  const encode = jest.spyOn(engine.jpeg, 'encode');
  const effortsOf = async (msLeft?: number) => {
    encode.mockClear();
    const { report } = await compressImage(jpeg, engine, patient, msLeft);
    expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
    return encode.mock.calls.flatMap(([, { purpose, effort }]) => (purpose === 'delivery' ? [effort] : []));
  };
  expect(new Set(await effortsOf(0))).toEqual(new Set(['fast']));
  expect(new Set(await effortsOf())).toEqual(new Set(['max']));
  expect(new Set(await effortsOf(600_000))).toEqual(new Set(['max']));
});

it('a PNG: packed, without looking for a palette', async () => {
  const { data, ...size } = photoPixels(300, 200);
  const png = await sharp(data, { raw: { ...size, channels: 3 } })
    .png()
    .toBuffer();
  const { report } = await compressImage(png, engine, policy, 0);
  expect(report.score).toBe(1);
  expect(report.timings.search).toBe(0);
});
