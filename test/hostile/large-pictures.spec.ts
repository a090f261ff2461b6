/** Images of 59 and 120 megapixels need the memory in docs/limits.md, which depends on the result's pixels. */
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { readAcceptedHeader } from '../../src/compression/formats/image-header';
import { costOf, IDLE_MEGABYTES } from '../support/cost';
import { expectHead } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

const MAX_DIMENSION_PX = 1024;

function expectedPeak(file: Uint8Array) {
  const header = readAcceptedHeader(file, 268_000_000);
  return IDLE_MEGABYTES + memoryDemand(header, { maxDimensionPx: MAX_DIMENSION_PX }) / 1e6;
}

const bombs = () => import('../support/bombs.mjs');
const service = ownServiceWithKey({
  WORKERS: '1',
  DEADLINE_MS: '170000',
  MAX_DIMENSION_PX: String(MAX_DIMENSION_PX),
});

type Bombs = Awaited<ReturnType<typeof bombs>>;

it.each<[string, number, (from: Bombs, width: number) => Promise<Buffer>, string]>([
  ['a baseline JPEG on its side', 12_000, (from, w) => from.largePhoto({}, 6, 'srgb', w), '853x1024'],
  [
    'a progressive JPEG',
    8_400,
    (from, w) => from.largePhoto({ progressive: true }, 1, 'srgb', w),
    '1024x853',
  ],
  ['a PNG', 8_400, (from, w) => from.largeGraphic(1, false, w), '1024x853'],
  ['an interlaced PNG', 8_400, (from, w) => from.largeGraphic(1, true, w), '1024x853'],
])('%s, %i pixels wide, is scaled down within the predicted memory', async (_, width, make, dimensions) => {
  const file = await make(await bombs(), width);
  expect(file.length).toBeLessThan(20e6);
  const { response, workerMegabytes, serviceGrowth } = await costOf(service, file);
  expectHead(response, { status: 200, 'x-dimensions': dimensions });
  expect(response.headers.get('x-original-dimensions')).toContain(String(width));
  expect(workerMegabytes).toBeLessThan(expectedPeak(file));
  expect(serviceGrowth).toBeLessThan(100);
});
