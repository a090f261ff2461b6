/**
 * Not a danger but its neighbour: legitimate pictures of more than 100 megapixels under 20 MB. They are compressed, for
 * the memory that docs/limits.md states, which is that of the picture delivered and not of the one that came.
 */
import { costOf } from '../support/cost';
import { startService, type Service } from '../support/service';

/**
 * A worker begins with 70 MB, and a delivered pixel costs up to 60 bytes. Delivered at 1024 px, the picture that came
 * would show at once if it were held: 120 megapixels are 360 MB.
 */
const MOST_MEGABYTES = 300;
/** Two bytes for each coefficient of a progressive 4:2:0 JPEG. */
const COEFFICIENT_MEGABYTES = 120 * 1.5 * 2;

const bombs = () => import('../support/bombs.mjs');
let service: Service;
let apiKey: string;
beforeEach(async () => {
  service = await startService({ WORKERS: '1', DEADLINE_MS: '170000', MAX_DIMENSION_PX: '1024' });
  ({ apiKey } = await service.signUp());
});
afterEach(() => service.stop());

it.each([
  ['a baseline JPEG on its side', async () => (await bombs()).largePhoto({}, 6), '853x1024', MOST_MEGABYTES],
  [
    'a progressive JPEG',
    async () => (await bombs()).largePhoto({ progressive: true }),
    '1024x853',
    MOST_MEGABYTES + COEFFICIENT_MEGABYTES,
  ],
  ['a PNG', async () => (await bombs()).largeGraphic(), '1024x853', MOST_MEGABYTES],
])(
  '%s of 120 megapixels is scaled down within the stated memory',
  async (_, make, dimensions, mostMegabytes) => {
    const file = await make();
    expect(file.length).toBeLessThan(20e6);
    const { response, workerMegabytes, serviceGrowth } = await costOf(service, file, apiKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-original-dimensions')).toMatch(/12000/);
    expect(response.headers.get('x-dimensions')).toBe(dimensions);
    expect(workerMegabytes).toBeLessThan(mostMegabytes);
    expect(serviceGrowth).toBeLessThan(100);
  },
  180_000,
);
