/** Danger: a few megabytes of a PNG that inflate to gigabytes, in the image data or other chunks. */
import { costOf } from '../support/cost';
import { decodeIndependently } from '../support/images';
import { chunk, overflowing, smallWith, starving, zeros } from '../support/png-bombs.cjs';
import { expectBytes, expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

describe.each(['native', 'squoosh'])('with the engine %s', (engine) => {
  const service = ownServiceWithKey({ WORKERS: '1', CODEC_ENGINE: engine, DEADLINE_MS: '120000' });

  it.each([false, true])(
    'of 64 x 64 pixels with 4 GB of data, only the pixels are inflated (interlaced: %s)',
    async (isInterlaced) => {
      const bomb = overflowing(4096, isInterlaced);
      expect(bomb.length).toBeLessThan(5_000_000);
      const { response, workerMegabytes, serviceGrowth } = await costOf(service, bomb);
      const body = await expectBytes(response);
      expect(decodeIndependently(body)).toMatchObject({ width: 64, height: 64 });
      expect(workerMegabytes).toBeLessThan(400);
      expect(serviceGrowth).toBeLessThan(90);
    },
  );

  it('removes text chunks that inflate to 4 GB without inflating them', async () => {
    const bomb = zeros(4096 * 1024 * 1024);
    const file = smallWith(
      chunk('zTXt', Buffer.concat([Buffer.from('t\0\0'), bomb])),
      chunk('iTXt', Buffer.concat([Buffer.from('i\0\x01\0\0\0'), bomb])),
    );
    const { response, workerMegabytes } = await costOf(service, file);
    expect(workerMegabytes).toBeLessThan(400);
    const body = await expectBytes(response);
    expect(body.length).toBeLessThan(200);
    expect(decodeIndependently(body)).toMatchObject({ width: 16, height: 16 });
  });

  it('a profile that inflates to 4 GB is not inflated', async () => {
    const file = smallWith(chunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), zeros(4096 * 1024 * 1024)])));
    const { response, workerMegabytes } = await costOf(service, file);
    expect([200, 422]).toContain(response.status);
    expect(workerMegabytes).toBeLessThan(400);
  });

  it('a header of 16000 x 16000 and next to no data is refused', async () => {
    const { response } = await costOf(service, starving(16_000, 16_000));
    await expectProblem(response, 422, 'undecodable_image');
  });
});
