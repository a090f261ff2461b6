/** Images of 59 and 120 megapixels need the memory in docs/limits.md, which depends on the result's pixels. */
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { readAcceptedHeader } from '../../src/compression/formats/image-header';
import { largeGraphic, largePhoto } from '../support/bombs.cjs';
import { costOf, IDLE_MEGABYTES } from '../support/cost';
import { expectHead } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

const MAX_DIMENSION_PX = 1024;

function expectedPeak(file: Uint8Array) {
  const header = readAcceptedHeader(file, 268_000_000);
  return IDLE_MEGABYTES + memoryDemand(header, { maxDimensionPx: MAX_DIMENSION_PX }) / 1e6;
}

const service = ownServiceWithKey({
  WORKERS: '1',
  DEADLINE_MS: '170000',
  MAX_DIMENSION_PX: String(MAX_DIMENSION_PX),
});

it.each<[string, number, (width: number) => Promise<Buffer>, string]>([
  ['a baseline JPEG on its side', 12_000, (width) => largePhoto({}, 6, 'srgb', width), '853x1024'],
  ['a progressive JPEG', 8_400, (width) => largePhoto({ progressive: true }, 1, 'srgb', width), '1024x853'],
  ['a PNG', 8_400, (width) => largeGraphic(1, false, width), '1024x853'],
  ['an interlaced PNG', 8_400, (width) => largeGraphic(1, true, width), '1024x853'],
])('%s, %i pixels wide, is scaled down within the predicted memory', async (_, width, make, dimensions) => {
  const file = await make(width);
  expect(file.length).toBeLessThan(20e6);
  const { response, workerMegabytes, serviceGrowth } = await costOf(service, file);
  expectHead(response, { status: 200, 'x-dimensions': dimensions });
  expect(response.headers.get('x-original-dimensions')).toContain(String(width));
  expect(workerMegabytes).toBeLessThan(expectedPeak(file));
  expect(serviceGrowth).toBeLessThan(100);
});
