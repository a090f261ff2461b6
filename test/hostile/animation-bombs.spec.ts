/** Danger: animations that cost far more than they weigh: frames that inflate without end, too many frames, large ones. */
import { deflateSync } from 'node:zlib';
import { animationMemory } from '../../src/compression/domain/memory-demand';
import { uint32s } from '../../src/compression/formats/bytes';
import { readAcceptedHeader } from '../../src/compression/formats/image-header';
import { animationChunks, chunkOf, decodedFrames, fileOf } from '../support/animations';
import { costOf, IDLE_MEGABYTES } from '../support/cost';
import { deepAnimation, zeros } from '../support/png-bombs.cjs';
import { bytesOf, ownServiceWithKey } from '../support/service';
import { expectHead } from '../support/responses';

const SMALL = { width: 64, height: 64 };

const withData = (data: Uint8Array) =>
  fileOf(
    animationChunks({ frames: [SMALL, SMALL] }).map((chunk) =>
      chunk.toString('latin1', 4, 8) === 'fdAT' ? chunkOf('fdAT', Buffer.concat([uint32s(2), data])) : chunk,
    ),
  );

/** One frame, as large as those that are compressed, in rows that an encoder has not filtered. */
function largeAnimation(): Buffer {
  const [width, height] = [4_000, 4_000];
  const rows = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 0, at = 0; y < height; y++) {
    at++;
    for (let x = 0; x < width; x++, at += 4) {
      const grain = x % 16 === 0 ? Math.imul(x * width + y, 0x9e3779b1) >>> 20 : 0;
      rows.writeUInt32LE(((x >> 2) * 65_537 + (y >> 1) * 257 + grain) >>> 0, at);
    }
  }
  const [, ...rest] = animationChunks({ frames: [SMALL] });
  const header = Buffer.concat([uint32s(width, height), Buffer.of(8, 6, 0, 0, 0)]);
  const control = Buffer.from(rest[1].subarray(8, -4));
  control.set(uint32s(width, height), 4);
  const data = deflateSync(rows, { level: 1 });
  return fileOf([
    chunkOf('IHDR', header),
    rest[0],
    chunkOf('fcTL', control),
    chunkOf('IDAT', data),
    chunkOf('IEND'),
  ]);
}

let large: Buffer;
beforeAll(() => {
  large = largeAnimation();
});

describe.each(['native', 'squoosh'])('with the engine %s', (engine) => {
  const service = ownServiceWithKey({ WORKERS: '1', CODEC_ENGINE: engine, DEADLINE_MS: '170000' });

  it('a frame of 64 x 64 with 4 GB of data is returned as it is, and not inflated', async () => {
    const bomb = withData(zeros(4096 * 1024 * 1024));
    const { response, workerMegabytes, serviceGrowth } = await costOf(service, bomb);
    expectHead(response, { 'x-skip-reason': 'animated' });
    expect(await bytesOf(response)).toEqual(bomb);
    expect(workerMegabytes).toBeLessThan(400);
    expect(serviceGrowth).toBeLessThan(90);
  });

  it('300 frames of 4000 x 4000 are returned as they are, and not inflated', async () => {
    const bomb = deepAnimation(300, 4_000, 4_000);
    const { response, workerMegabytes } = await costOf(service, bomb);
    expectHead(response, { 'x-skip-reason': 'animated' });
    expect(await bytesOf(response)).toEqual(bomb);
    expect(workerMegabytes).toBeLessThan(400);
  });

  it('the largest frame that is compressed stays within the predicted memory', async () => {
    expect(large.length).toBeLessThan(20e6);
    const { frames } = readAcceptedHeader(large, 268_000_000);
    expect(frames?.largestBytes).toBeGreaterThan(60e6);
    const { response, workerMegabytes } = await costOf(service, large);
    expectHead(response, { status: 200, 'x-skip-reason': null });
    const body = await bytesOf(response);
    expect(body.length).toBeLessThan(large.length);
    expect(decodedFrames(body)[0].pixels).toEqual(decodedFrames(large)[0].pixels);
    expect(workerMegabytes).toBeLessThan(IDLE_MEGABYTES + animationMemory(frames!, large.length) / 1e6);
  });
});
