/** The service with the portable engine: none of its processes loads compiled image code. */
import { existsSync, readFileSync } from 'node:fs';
import { eventually } from '../support/eventually';
import { colourAt, decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { workersOf } from '../support/process-memory.cjs';
import { bytesOf, formWith, ownServiceWithKey } from '../support/service';
import { expectHead, expectStatus } from '../support/responses';

const service = ownServiceWithKey({ CODEC_ENGINE: 'squoosh', WORKERS: '1' });

const workers = () => workersOf(service.process.pid ?? 0);

it('compresses a JPG to the target, upright, and returns the result unchanged when it is uploaded again', async () => {
  const response = await service.send(await photoJpeg(640, 480, { orientation: 6, chroma: '4:4:4' }));
  expectHead(response, { status: 200, 'x-dimensions': '480x640' });
  expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.9914);
  expect(Number(response.headers.get('x-bytes-saved'))).toBeGreaterThan(0);
  const body = await bytesOf(response);
  const [red, green, blue] = colourAt(decodeIndependently(body), 0.97, 0.03);
  // The red corner, top left in the file, is top right when the image is upright.
  expect([red > 200, green < 60, blue < 60]).toEqual([true, true, true]);
  const again = await service.send(body);
  expectHead(again, { 'x-skip-reason': 'already-optimised' });
  expect(await bytesOf(again)).toEqual(body);
});

it('frees the only worker when the client disconnects', async () => {
  const large = await photoJpeg(3000, 2000, { chroma: '4:4:4' });
  const caller = new AbortController();
  const { apiKey } = service;
  const answer = service.api('compress', { apiKey, body: formWith(large), signal: caller.signal });
  await service.untilMetric('workers_busy', 1);
  const [before] = workers();
  caller.abort();
  await expect(answer).rejects.toThrow();
  await expectStatus(service.send(graphicPng(64, 64)), 200);
  // The large photo would occupy its worker for about ten seconds, but may run for 1.5 s only.
  await eventually(() => expect(workers()).not.toContain(before));
});

const hasMaps = existsSync('/proc/self/maps');
(hasMaps ? it : it.skip)('loads no compiled image code', () => {
  const processes = workers();
  expect(processes.length).toBeGreaterThan(0);
  for (const pid of [service.process.pid, ...processes]) {
    expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).not.toMatch(/sharp|libvips|napi-rs|image\.linux/);
  }
});
