/** Danger: files that consist of segments, chunks, markers or fill bytes only, and the largest possible metadata. */
import { costOf } from '../support/cost';
import { decodeIndependently } from '../support/images';
import { ofNothingBut, withHugeProfile } from '../support/jpeg-bombs.cjs';
import { inCrumbs, ofManyChunks } from '../support/png-bombs.cjs';
import { expectBytes, expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

const MIB = 1024 * 1024;
const service = ownServiceWithKey({ WORKERS: '1' });

it.each([
  ['a JPEG of nothing but empty segments', () => ofNothingBut(19 * MIB, 0xe5, [])],
  ['a JPEG of nothing but tables', () => ofNothingBut(19 * MIB, 0xc4, [])],
  ['a JPEG of nothing but fill bytes', () => Buffer.alloc(19 * MIB, 0xff).fill(0xd8, 1, 2)],
  ['a PNG of 1.6 million chunks', () => ofManyChunks(1_600_000, 'tEXt')],
])('refuses %s with little memory', async (_, make) => {
  const { response, workerMegabytes, serviceGrowth } = await costOf(service, make());
  await expectProblem(response, 422, 'undecodable_image');
  // The upload itself, once in each process and once while it arrives.
  expect(serviceGrowth).toBeLessThan(120);
  expect(workerMegabytes).toBeLessThan(400);
});

it('removes 99000 empty text chunks from a PNG', async () => {
  const { response, workerMegabytes } = await costOf(service, ofManyChunks(99_000, 'tEXt'));
  expect((await expectBytes(response)).length).toBeLessThan(200);
  expect(workerMegabytes).toBeLessThan(400);
});

it('compresses a PNG with 90000 data chunks of one byte', async () => {
  const { response, workerMegabytes } = await costOf(service, inCrumbs(170));
  expect([200, 422]).toContain(response.status);
  expect(workerMegabytes).toBeLessThan(450);
});

it('compresses a JPEG with the largest possible profile (16.7 MB) in bounded memory', async () => {
  const { response, workerMegabytes } = await costOf(service, await withHugeProfile());
  const { width, height } = decodeIndependently(await expectBytes(response));
  expect([width, height]).toEqual([16, 16]);
  expect(workerMegabytes).toBeLessThan(600);
});
