/** A worker keeps its encoder's memory from one large photo to the next, but little while it has nothing to do. */
import sharp from 'sharp';
import { measured } from '../support/cost';
import { png, screenshot } from '../support/drawn-pngs';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { onLinux } from '../support/on-linux';
import { startService, withKey, type Service, type WithKey } from '../support/service';
import { forgetPeak, peakMegabytes, residentMegabytes, workersOf } from '../support/process-memory.cjs';
import { expectStatus } from '../support/responses';

/** In megabytes. With the encoder's memory it is about 50. */
const MAX_GROWTH = 25;
/** The C library returns what is freed; by default it may keep another 30 to 270 MB, depending on where the pieces were. */
const EXACT_ALLOCATOR = { MALLOC_TRIM_THRESHOLD_: String(2 ** 20) };

/** Keeps whatever was allocated in pieces of up to 32 MB, the most that glibc allows. */
const KEEPING_ALLOCATOR = {
  MALLOC_TRIM_THRESHOLD_: String(2 ** 32),
  MALLOC_MMAP_THRESHOLD_: String(2 ** 25),
};

let service: Service & WithKey;
async function start(env: Record<string, string>) {
  service = await startService({ WORKERS: '1', ...env }).then(withKey);
}
afterEach(() => service.stop());

onLinux('releases the memory of a large photo when it is idle', async () => {
  await start(EXACT_ALLOCATOR);
  const [worker] = workersOf(service.process.pid ?? 0);
  const held = () => measured(residentMegabytes(worker));
  // The first image loads code and fills the heap, which stays.
  await service.send(await photoJpeg(400, 300));
  const before = held();
  forgetPeak(worker);
  const photo = await photoJpeg(2800, 2100);
  for (let i = 0; i < 2; i++) await expectStatus(service.send(photo), 200);
  expect(measured(peakMegabytes(worker)) - before).toBeGreaterThan(2 * MAX_GROWTH);
  await eventually(() => expect(held() - before).toBeLessThan(MAX_GROWTH));
});

onLinux('replaces an idle worker whose C library keeps much of what was freed', async () => {
  await start(KEEPING_ALLOCATOR);
  const workers = () => workersOf(service.process.pid ?? 0);
  const before = workers();
  const large = await sharp(png(600, 400, screenshot))
    .resize(3600, 2400, { fit: 'fill' })
    .png()
    .toBuffer();
  await expectStatus(service.send(large), 200);
  expect(workers()).toEqual(before);
  const held = measured(residentMegabytes(before[0]));
  expect(held).toBeGreaterThan(180);
  await eventually(() => expect(measured(residentMegabytes(workers()[0]))).toBeLessThan(held - 67));
  expect(workers()).not.toEqual(before);
  await expectStatus(service.send(large), 200);
  expect(await service.metric('workers_lost_total')).toBe(0);
});
