/**
 * Legitimate images of more than 100 megapixels under 20 MB. They are compressed within the memory that docs/limits.md
 * states, which depends on the pixels of the result, not of the upload.
 */
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { readAcceptedHeader } from '../../src/compression/formats/image-header';
import { costOf } from '../support/cost';
import { startService, type Service } from '../support/service';

/** A worker without an image, in megabytes. */
const IDLE_MEGABYTES = 80;
const MAX_DIMENSION_PX = 1024;

/** What the service expects the worker to take at most, in megabytes. */
function expectedPeak(file: Uint8Array): number {
  const { format, dimensions, heldBytes } = readAcceptedHeader(file, 268_000_000);
  return (
    IDLE_MEGABYTES + memoryDemand(format, dimensions, { maxDimensionPx: MAX_DIMENSION_PX }, heldBytes) / 1e6
  );
}

const bombs = () => import('../support/bombs.mjs');
let service: Service;
let apiKey: string;
beforeEach(async () => {
  service = await startService({
    WORKERS: '1',
    DEADLINE_MS: '170000',
    MAX_DIMENSION_PX: String(MAX_DIMENSION_PX),
  });
  ({ apiKey } = await service.signUp());
});
afterEach(() => service.stop());

it.each([
  ['a baseline JPEG on its side', async () => (await bombs()).largePhoto({}, 6), '853x1024'],
  ['a progressive JPEG', async () => (await bombs()).largePhoto({ progressive: true }), '1024x853'],
  ['a PNG', async () => (await bombs()).largeGraphic(), '1024x853'],
  ['an interlaced PNG', async () => (await bombs()).largeGraphic(1, true), '1024x853'],
])(
  '%s of 120 megapixels is scaled down within the predicted memory',
  async (_, make, dimensions) => {
    const file = await make();
    expect(file.length).toBeLessThan(20e6);
    const { response, workerMegabytes, serviceGrowth } = await costOf(service, file, apiKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-original-dimensions')).toMatch(/12000/);
    expect(response.headers.get('x-dimensions')).toBe(dimensions);
    expect(workerMegabytes).toBeLessThan(expectedPeak(file));
    expect(serviceGrowth).toBeLessThan(100);
  },
  180_000,
);
