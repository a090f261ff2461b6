/** A worker keeps its encoder's memory from one large photo to the next, but not while it has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { photoJpeg } from '../support/images';
import { startService, type Service } from '../support/service';

/** In megabytes; with the encoder's memory it is about 100. */
const MAX_GROWTH = 50;

let service: Service;
let apiKey: string;
beforeAll(async () => {
  service = await startService({ WORKERS: '1' });
  ({ apiKey } = await service.signUp());
});
afterAll(() => service.stop());

it('releases the memory of a large photo when it is idle', async () => {
  const { childrenOf, residentMegabytes } = await import('../support/process-memory.mjs');
  const [worker] = childrenOf(service.process.pid ?? 0);
  // 0 where memory cannot be measured.
  const held = () => residentMegabytes(worker) ?? 0;
  // The first image loads code and fills the heap, which stays.
  await service.compress(await photoJpeg(400, 300), apiKey);
  const before = held();
  const photo = await photoJpeg(3840, 2880);
  for (let i = 0; i < 2; i++) expect((await service.compress(photo, apiKey)).status).toBe(200);
  for (let i = 0; i < 50 && held() > before + MAX_GROWTH; i++) await sleep(100);
  expect(held() - before).toBeLessThan(MAX_GROWTH);
}, 60_000);
