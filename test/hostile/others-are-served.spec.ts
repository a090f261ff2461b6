/** Danger: the bomb of one client delays all others. */
import { photoJpeg } from '../support/images';
import { ofManyScans } from '../support/jpeg-bombs.cjs';
import { ownServiceWithKey } from '../support/service';
import { expectStatus } from '../support/responses';

const service = ownServiceWithKey({ WORKERS: '2' });

it('serves other images and probes while the most expensive accepted image occupies a worker', async () => {
  const good = await photoJpeg(96, 64, { quality: 98 });
  // Scans x pixels just under the limit: some seconds of one worker.
  const bomb = ofManyScans(3_000, 3_000, 660);
  const bombed = { isOver: false };
  const answer = service.send(bomb).finally(() => (bombed.isOver = true));
  let served = 0;
  do {
    await expectStatus(service.send(good), 200);
    await expectStatus(fetch(`${service.url}/health/live`), 200);
    await expectStatus(fetch(`${service.url}/health/ready`), 200);
    if (!bombed.isOver) served++;
  } while (!bombed.isOver);
  expect(served).toBeGreaterThan(1);
  await expectStatus(answer, 200);
});
