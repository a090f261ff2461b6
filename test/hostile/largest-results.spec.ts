/** Results of 14.7 megapixels, the most with the default settings, stay within the memory that docs/limits.md states. */
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { readAcceptedHeader } from '../../src/compression/formats/image-header';
import { costOf, IDLE_MEGABYTES } from '../support/cost';
import { graphicPng, noisyImage } from '../support/images';
import { ownServiceWithKey } from '../support/service';
import { expectHead } from '../support/responses';

const SIDE = 3840;

const noisy = () => noisyImage(SIDE, SIDE, 20).jpeg({ quality: 85, chromaSubsampling: '4:4:4' }).toBuffer();

const jpg = { make: noisy, bytesPerPixel: 26, bytesPerUploadByte: 18 };
const png = { make: () => Promise.resolve(graphicPng(SIDE, SIDE)), bytesPerPixel: 78, bytesPerUploadByte: 0 };

describe.each([
  ['native', 1],
  ['squoosh', 2],
])('with the engine %s', (CODEC_ENGINE, factor) => {
  const service = ownServiceWithKey({ WORKERS: '1', DEADLINE_MS: '170000', CODEC_ENGINE });

  it('a JPG in 4:4:4 and a PNG take at most what is reserved for them, also after the other', async () => {
    const images = [];
    for (const { make, bytesPerPixel, bytesPerUploadByte } of [png, jpg]) {
      const file = await make();
      const header = readAcceptedHeader(file, 268_000_000);
      const reserved = memoryDemand(header, { maxDimensionPx: SIDE }, file.length) / 1e6;
      const stated = 64 * 1.048576 + (SIDE * SIDE * bytesPerPixel + file.length * bytesPerUploadByte) / 1e6;
      expect(reserved).toBeCloseTo(stated, 0);
      images.push({ file, reserved });
    }
    const [aPng, aJpg] = images;
    for (const { file, reserved } of [aPng, aJpg, aPng]) {
      const { response, workerMegabytes } = await costOf(service, file);
      expectHead(response, { status: 200, 'x-dimensions': `${SIDE}x${SIDE}` });
      expect(workerMegabytes).toBeLessThan(IDLE_MEGABYTES + factor * reserved);
      // The pixels alone take this much, so the measurement has seen the image.
      expect(workerMegabytes || Infinity).toBeGreaterThan(IDLE_MEGABYTES / 2 + (SIDE * SIDE * 4) / 1e6);
    }
  });
});
