/** POST /api/v1/sets when something goes wrong after the first file, or the client does not read. */
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import type { SetDescription } from '../../src/compression/application/sets/run-set';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { formEnd, formWith, partHead, RawClient, requestHead, startService } from '../support/service';

const MEBIBYTE = 1024 * 1024;

function readSet(zip: Uint8Array) {
  const { 'set.json': json, ...images } = unzipSync(zip);
  return { images, description: JSON.parse(Buffer.from(json).toString()) as SetDescription };
}

it('names the files that exceed the deadline, each file having its own', async () => {
  // The second file takes about a minute.
  const service = await startService({ DEADLINE_MS: '8000' });
  const { apiKey } = await service.signUp();
  const response = await fetch(`${service.url}/api/v1/sets?widths=16,3800&format=avif,same&effort=max`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: formWith(await photoJpeg(4000, 3000)),
  });
  expect(response.status).toBe(200);
  const { images, description } = readSet(new Uint8Array(await response.arrayBuffer()));
  expect(Object.keys(images)).toEqual(['image-16.avif', 'image-16.jpg']);
  expect(description.failed.map(({ name, code }) => [name, code])).toEqual([
    ['image-3800.avif', 'deadline_exceeded'],
    ['image-3800.jpg', 'deadline_exceeded'],
  ]);
  expect(description.markup).toContain('image-16.jpg');
  expect(description.markup).not.toContain('3800');
  await service.stop();
});

it('keeps files within the memory for uploads while the client does not read, and names those without room', async () => {
  // 32 MiB for uploads and results, and 9.6 of them for one account.
  const service = await startService({ MEMORY_BUDGET_MB: '64', MAX_UPLOAD_MB: '2', WORKERS: '1' });
  const { apiKey } = await service.signUp();
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const image = await sharp({ create: { width: 1300, height: 1000, channels: 3, background: 'grey', noise } })
    .png({ palette: true, colours: 4 })
    .toBuffer();
  const widths = Array.from({ length: 20 }, (_, i) => 1000 + 10 * i).join();
  const body = Buffer.concat([Buffer.from(partHead()), image, Buffer.from(formEnd)]);
  const head = requestHead(apiKey, { 'Content-Length': body.length, Connection: 'close' });
  const client = new RawClient(service.port);
  client.socket.pause();
  client.write(head.replace(/POST \S+/, `POST /api/v1/sets?widths=${widths}&png_mode=lossless&effort=fast`));
  client.write(body);
  let most = 0;
  const metrics = async () => {
    const { ics_upload_memory_bytes: claimed, ics_workers_busy: busy } = await service.metrics();
    most = Math.max(most, claimed);
    return { claimed, busy };
  };
  await eventually(async () => expect((await metrics()).busy).toBe(1));
  await eventually(async () => expect((await metrics()).busy).toBe(0));
  expect((await metrics()).claimed).toBeGreaterThan(2 * MEBIBYTE);
  expect(most).toBeLessThanOrEqual(9.7 * MEBIBYTE);
  client.socket.resume();
  await client.closed;
  const { body: received } = await client.answer();
  const { images, description } = readSet(dechunked(Buffer.from(received, 'latin1')));
  expect(description.files.map(({ name }) => name)).toEqual(Object.keys(images));
  expect(description.failed.length).toBeGreaterThan(0);
  expect(description.files.length + description.failed.length).toBe(20);
  for (const { code } of description.failed) expect(code).toBe('overloaded');
  await eventually(async () => expect((await metrics()).claimed).toBe(0));
  await service.stop();
});

/** Joins the chunks of a body (RFC 9112, 7.1). */
function dechunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.subarray(at, end).toString(), 16);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
