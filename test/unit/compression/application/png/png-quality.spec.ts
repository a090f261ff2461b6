/** The qualities of a PNG that stays a PNG. */
import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import { compress } from '../../../../support/compressing';
import { png } from '../../../../support/drawn-pngs';
import { decodeIndependently, rawImage, texturedPixels } from '../../../../support/images';
import { ssimulacra2Of } from '../../../../support/judged';

it('a lower quality takes fewer bytes, and loses no more than a JPG may', async () => {
  const source = await rawImage(texturedPixels(240, 180)).png().toBuffer();
  const files = [];
  for (const targetScore of [QUALITY_TARGETS.low, QUALITY_TARGETS.medium, QUALITY_TARGETS.high]) {
    const { bytes } = await compress(source, { targetScore });
    files.push({ bytes: bytes.length, ssimulacra2: await ssimulacra2Of(source, decodeIndependently(bytes)) });
  }
  const [low, medium, high] = files;
  expect(low.bytes).toBeLessThan(medium.bytes);
  expect(medium.bytes).toBeLessThan(high.bytes);
  expect(low.ssimulacra2).toBeGreaterThan(70);
  expect(medium.ssimulacra2).toBeGreaterThan(75);
  expect(high.ssimulacra2).toBeGreaterThan(84.9);
});

it('a gradient without grain stays lossless where that is smaller', async () => {
  const gradient = png(400, 400, (x, y) => [255 - x / 2, 90 + y / 3, 60 + x / 4 + y / 8, 255]);
  const lossless = await compress(gradient, { targetScore: 1 });
  const { bytes } = await compress(gradient);
  expect(bytes.length).toBeLessThanOrEqual(lossless.bytes.length);
});
