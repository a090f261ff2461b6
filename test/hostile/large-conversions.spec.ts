import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { readAcceptedHeader } from '../../src/compression/formats/image-header';
import { costOf, IDLE_MEGABYTES } from '../support/cost';
import { noisyImage } from '../support/images';
import { startService, withKey } from '../support/service';
import { expectHead } from '../support/responses';

const MAX_MEGABYTES = 900;
const RESULT = '3840x2880';
const maxDimensionPx = 3840;

const photo = () => noisyImage(4000, 3000, 6).blur(2).jpeg({ quality: 90 }).toBuffer();

it.each(['avif', 'webp'])(
  'to %s',
  async (format) => {
    const env = { WORKERS: '1', DEADLINE_MS: '170000', FORMAT: format };
    const service = await startService(env).then(withKey);
    try {
      const file = await photo();
      const header = readAcceptedHeader(file, 268_000_000);
      const limits = { maxDimensionPx, formats: [format] };
      const reserved = memoryDemand(header, limits, file.length) / 1e6;
      const { response, workerMegabytes } = await costOf(service, file);
      expectHead(response, { status: 200, 'content-type': `image/${format}`, 'x-dimensions': RESULT });
      expect(workerMegabytes).toBeLessThan(Math.min(MAX_MEGABYTES, IDLE_MEGABYTES + reserved));
      // The pixels alone take this much, so the measurement has seen the image.
      expect(workerMegabytes || Infinity).toBeGreaterThan(IDLE_MEGABYTES / 2 + (3840 * 2880 * 4) / 1e6);
    } finally {
      await service.stop();
    }
  },
  180_000,
);
