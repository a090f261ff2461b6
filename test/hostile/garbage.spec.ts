/** Danger: valid headers with noise instead of image data, and many such files in a row. */
import sharp from 'sharp';
import { costOf } from '../support/cost';
import { photoJpeg } from '../support/images';
import * as bombs from '../support/jpeg-bombs.cjs';
import { expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

describe.each(['native', 'squoosh'])('with the engine %s', (engine) => {
  const service = ownServiceWithKey({ WORKERS: '1', CODEC_ENGINE: engine });

  it.each(['ofRestartMarkers', 'ofNoise'] as const)('responds to a JPEG %s', async (make) => {
    const file = await bombs[make](2000, 2000, 1024 * 1024);
    const { response, workerMegabytes } = await costOf(service, file);
    expect([200, 422]).toContain(response.status);
    expect(workerMegabytes).toBeLessThan(500);
  });

  it('refuses a CMYK image with sixty frame headers in bounded memory', async () => {
    const [width, height] = [1000, 1000];
    const jpeg = await sharp({ create: { width, height, channels: 3, background: '#468' } })
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer();
    const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
    const header = jpeg.subarray(frame, frame + 2 + jpeg.readUInt16BE(frame + 2));
    const repeated = Array.from({ length: 60 }, () => header);
    const file = Buffer.concat([jpeg.subarray(0, frame), ...repeated, jpeg.subarray(frame)]);
    const { response, workerMegabytes } = await costOf(service, file);
    await expectProblem(response, 422, 'undecodable_image');
    expect(workerMegabytes).toBeLessThan(500);
  });

  it('compresses a valid file after a hundred damaged ones', async () => {
    const photo = await photoJpeg(160, 120, { quality: 98 });
    const progressive = await bombs.flatJpeg(1000, 1000, { progressive: true });
    // The tables before the last scan are truncated, a fatal error for MozJPEG.
    const damaged = progressive.subarray(0, progressive.length - 40);
    for (let i = 0; i < 100; i++) await expectProblem(service.send(damaged), 422, 'undecodable_image');
    const response = await service.send(photo);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-quality')).not.toBeNull();
    expect(await service.metric('workers_lost_total')).toBe(0);
  });
});
