/** A worker keeps its encoder's memory from one large photo to the next, but not while it has nothing to do. */
import { measured } from '../support/cost';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { startService, type Service } from '../support/service';

/** In megabytes. With the encoder's memory it is about 50. */
const MAX_GROWTH = 25;
/** The C library returns what is freed; by default it may keep another 30 to 100 MB, depending on where the pieces were. */
const EXACT_ALLOCATOR = { MALLOC_TRIM_THRESHOLD_: String(2 ** 20) };

let service: Service;
let apiKey: string;
beforeAll(async () => {
  service = await startService({ WORKERS: '1', ...EXACT_ALLOCATOR });
  ({ apiKey } = await service.signUp());
});
afterAll(() => service.stop());

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('releases the memory of a large photo when it is idle', async () => {
  const { childrenOf, forgetPeak, peakMegabytes, residentMegabytes } =
    await import('../support/process-memory.mjs');
  const [worker] = childrenOf(service.process.pid ?? 0);
  const held = () => measured(residentMegabytes(worker));
  // The first image loads code and fills the heap, which stays.
  await service.compress(await photoJpeg(400, 300), apiKey);
  const before = held();
  forgetPeak(worker);
  const photo = await photoJpeg(2800, 2100);
  for (let i = 0; i < 2; i++) expect((await service.compress(photo, apiKey)).status).toBe(200);
  expect(measured(peakMegabytes(worker)) - before).toBeGreaterThan(2 * MAX_GROWTH);
  await eventually(() => expect(held() - before).toBeLessThan(MAX_GROWTH));
});
