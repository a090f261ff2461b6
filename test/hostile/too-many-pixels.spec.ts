/** Danger: a file of 100 bytes whose header declares gigapixels. */
import { openUpright } from '../../src/compression/infrastructure/codecs/native/sharp-pipeline';
import { costOf, measured } from '../support/cost';
import { processorSeconds } from '../support/processor-time';
import { photoJpeg } from '../support/images';
import { declaring } from '../support/jpeg-bombs.cjs';
import { onLinux } from '../support/on-linux';
import { flatPng, starving } from '../support/png-bombs.cjs';
import { peakMegabytes, workersOf } from '../support/process-memory.cjs';
import { expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

const service = ownServiceWithKey({ WORKERS: '1' });
beforeAll(async () => {
  await service.send(Buffer.from('no image'));
});

it.each([
  ['JPEG of 65500 x 65500', () => declaring(65_500, 65_500)],
  ['PNG of 2147483647 x 2147483647', () => starving(2 ** 31 - 1, 2 ** 31 - 1)],
  ['PNG of 20000 x 20000, its data complete', () => flatPng(20_000, 20_000)],
])('a %s is refused by its header, for less than 50 ms of processor time and 10 MB', async (_, make) => {
  const file = await make();
  const { response, serviceGrowth } = await costOf(service, file);
  const problem = await expectProblem(response, 422, 'too_many_pixels');
  expect(problem['limit']).toBe(268e6);
  expect(serviceGrowth).toBeLessThan(10);
  const before = cpuSeconds();
  for (let i = 0; i < REFUSALS; i++) await (await service.send(file)).arrayBuffer();
  expect(cpuSeconds() - before).toBeLessThan(REFUSALS * 0.05);
});

const REFUSALS = 21;

/** Processor time of the service, which does not grow with the load of the machine; 0 elsewhere than on Linux. */
function cpuSeconds() {
  return process.platform === 'linux' ? processorSeconds(service.process.pid ?? 0) : 0;
}

it('sharp may decode no more pixels than the header declares', async () => {
  const photo = await photoJpeg(40, 30);
  const storedSize = { width: 40, height: 30 };
  const { options } = openUpright(photo, { storedSize, orientation: 1 }) as unknown as {
    options: { input: { limitInputPixels: number } };
  };
  expect(options.input.limitInputPixels).toBe(40 * 30);
});

onLinux('no worker receives them', async () => {
  const [worker] = workersOf(service.process.pid ?? 0);
  const { response, workerMegabytes } = await costOf(service, await declaring(65_500, 65_500));
  expect(response.status).toBe(422);
  // A worker that had started to decode would hold 4 gigapixels; an idle one holds its codecs only.
  expect(workerMegabytes).toBeLessThan(250);
  expect(measured(peakMegabytes(worker))).toBeLessThan(150);
});

describe('images that decoders must hold whole have a separate limit', () => {
  it('an interlaced PNG of 16000 x 16000 with 8 bytes a pixel', async () => {
    const bomb = flatPng(16_000, 16_000, { depth: 16, colourType: 6, interlaced: true });
    const { response, workerMegabytes } = await costOf(service, bomb);
    const { limit } = await expectProblem(response, 422, 'too_many_pixels', 'without interlacing');
    expect(limit).toBe(Math.floor(1024 ** 3 / 8));
    expect(workerMegabytes).toBeLessThan(300);
  });

  it('a progressive JPEG of 16000 x 16000 in 4:4:4', async () => {
    const bomb = await declaring(16_000, 16_000);
    const frame = bomb.indexOf(Buffer.of(0xff, 0xc0));
    // A decoder holds all coefficients of a progressive image, even with one scan. 4:4:4: as many of chroma as of luma.
    bomb[frame + 1] = 0xc2;
    bomb[frame + 11] = 0x11;
    const refused = service.send(bomb);
    const { limit } = await expectProblem(refused, 422, 'too_many_pixels', 'baseline');
    expect(limit).toBe(Math.floor(1024 ** 3 / 6));
  });
});
