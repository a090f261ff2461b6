/** Danger: files that consist of segments, chunks, markers or fill bytes only, and the largest possible metadata. */
import { costOf } from '../support/cost';
import { decodeIndependently } from '../support/images';
import { expectBytes, expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

const MIB = 1024 * 1024;
const service = ownServiceWithKey({ WORKERS: '1' });

const cost = (image: Buffer) => costOf(service, image);
const jpegBombs = () => import('../support/jpeg-bombs.mjs');
const pngBombs = () => import('../support/png-bombs.mjs');

it.each([
  ['a JPEG of nothing but empty segments', async () => (await jpegBombs()).ofNothingBut(19 * MIB, 0xe5, [])],
  ['a JPEG of nothing but tables', async () => (await jpegBombs()).ofNothingBut(19 * MIB, 0xc4, [])],
  ['a JPEG of nothing but fill bytes', () => Promise.resolve(Buffer.alloc(19 * MIB, 0xff).fill(0xd8, 1, 2))],
  ['a PNG of 1.6 million chunks', async () => (await pngBombs()).ofManyChunks(1_600_000, 'tEXt')],
])('refuses %s with little memory', async (_, make) => {
  const { response, workerMegabytes, serviceGrowth } = await cost(await make());
  await expectProblem(response, 422, 'undecodable_image');
  // The upload itself, once in each process and once while it arrives.
  expect(serviceGrowth).toBeLessThan(120);
  expect(workerMegabytes).toBeLessThan(400);
});

it('removes 99000 empty text chunks from a PNG', async () => {
  const { response, workerMegabytes } = await cost((await pngBombs()).ofManyChunks(99_000, 'tEXt'));
  expect((await expectBytes(response)).length).toBeLessThan(200);
  expect(workerMegabytes).toBeLessThan(400);
});

it('compresses a PNG with 90000 data chunks of one byte', async () => {
  const { response, workerMegabytes } = await cost((await pngBombs()).inCrumbs(170));
  expect([200, 422]).toContain(response.status);
  expect(workerMegabytes).toBeLessThan(450);
});

it('compresses a JPEG with the largest possible profile (16.7 MB) in bounded memory', async () => {
  const { response, workerMegabytes } = await cost(await (await jpegBombs()).withHugeProfile());
  const { width, height } = decodeIndependently(await expectBytes(response));
  expect([width, height]).toEqual([16, 16]);
  expect(workerMegabytes).toBeLessThan(600);
});
