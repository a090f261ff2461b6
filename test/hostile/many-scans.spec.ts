/** Danger: progressive JPEGs with hundreds of scans, each of a few bytes, but a pass over all blocks. */
import { costOf } from '../support/cost';
import { decodeIndependently } from '../support/images';
import { ofManyScans } from '../support/jpeg-bombs.cjs';
import { expectBytes, expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

const service = ownServiceWithKey({ WORKERS: '1' });

it('refuses 883 scans of 6000 x 6000 without decoding, and explains why', async () => {
  const bomb = ofManyScans(6000, 6000, 883);
  expect(bomb.length).toBeLessThan(700_000);
  const { response, workerMegabytes } = await costOf(service, bomb);
  const words = /has 883 scans.*Save it with fewer/;
  const problem = await expectProblem(response, 422, 'undecodable_image', words);
  expect(problem).toMatchObject({ limit: 166, actual: 883 });
  expect(workerMegabytes).toBeLessThan(250);
});

it('decodes as many scans of a small image', async () => {
  const file = ofManyScans(400, 300, 883);
  const { width, height, data } = decodeIndependently(await expectBytes(service.send(file)));
  expect([width, height]).toEqual([400, 300]);
  expect([...data.subarray(0, 4)]).toEqual([128, 128, 128, 255]);
});
