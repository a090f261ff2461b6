import sharp from 'sharp';
import { logStep, OUR_DIVISORS, scaledDivisor } from '../../../src/compression/domain/search/quantiser-table';
import { readJpegStructure } from '../../../src/compression/formats/jpeg/jpeg-structure';
import { photoPixels } from '../../support/images';

it.each([5, 40, 50, 63, 80, 97, 100])(
  'has the divisors that MozJPEG writes at quality %i',
  async (quality) => {
    const { data, ...size } = photoPixels(16, 16);
    const file = await sharp(data, { raw: { ...size, channels: 3 } })
      .jpeg({ mozjpeg: true, quality })
      .toBuffer();
    const { lumaDivisors } = readJpegStructure(file);
    expect(OUR_DIVISORS.map((divisor) => scaledDivisor(divisor, quality))).toEqual(lumaDivisors);
  },
);

it('falls with quality, in stairs where the divisors that count most stay the same', () => {
  for (let quality = 2; quality <= 100; quality++) {
    expect(logStep(quality)).toBeLessThanOrEqual(logStep(quality - 1));
  }
  // 16 becomes 7 at 79 and 6 at 80, and stays 6 at 81.
  expect(logStep(79) - logStep(80)).toBeGreaterThan(1.5 * (logStep(80) - logStep(81)));
  expect(logStep(100)).toBe(0);
});
