/** JPEG XL, by the package of this repository, through the door that operators use. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { deepPngOf } from '../../src/compression/conformance/images';
import { Workplace } from '../support/command-line';
import { photoPixels, photoJpeg } from '../support/images';
import { formWith, ownService } from '../support/service';

const ROOT = join(__dirname, '..', '..');
const service = ownService({
  FORMAT_MODULES: join(ROOT, 'node_modules', 'image-compression-jxl'),
  WORKERS: '1',
});

async function compress(image: Uint8Array, query: string, accept = '*/*') {
  const { apiKey } = await service.signUp();
  const response = await fetch(`${service.url}/api/v1/compress?${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, Accept: accept },
    body: formWith(image),
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** A PNG of any size with one colour and alpha. */
function flatPng(width: number, height: number, rgba: readonly number[]): Buffer {
  const png = new PNG({ width, height });
  for (let i = 0; i < width * height; i++) png.data.set(rgba, i * 4);
  return PNG.sync.write(png);
}

it('delivers a photo that reaches the target and is smaller than the JPEG', async () => {
  const upload = await photoJpeg(640, 480);
  const own = await compress(upload, 'format=same');
  const { response, bytes } = await compress(upload, 'format=jxl');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jxl']);
  expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.9914);
  expect(bytes.length).toBeLessThan(own.bytes.length);
});

it('takes part in auto if the client accepts it', async () => {
  const upload = await photoJpeg(640, 480);
  const typeFor = async (accept: string) =>
    (await compress(upload, 'format=auto', accept)).response.headers.get('content-type');
  expect(await typeFor('image/jxl')).toBe('image/jxl');
  expect(await typeFor('image/jxl;q=0')).toBe('image/jpeg');
});

it('loses no worker to hostile sizes', async () => {
  const { data } = photoPixels(90, 70);
  const grey = new PNG({ width: 90, height: 70 });
  for (let i = 0; i < 90 * 70; i++) grey.data.set([data[i * 3], data[i * 3], data[i * 3], 255], i * 4);
  const images = [
    flatPng(1, 1, [9, 9, 9, 255]),
    flatPng(1, 16_383, [200, 100, 50, 255]),
    flatPng(60, 40, [255, 255, 255, 0]),
    PNG.sync.write(grey, { colorType: 0 }),
  ];
  for (const image of images) {
    const { response } = await compress(image, 'format=jxl');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jxl']);
  }
  const lost = service.logs().filter(({ msg }) => String(msg).includes('worker exited'));
  expect(lost).toEqual([]);
});

it('gives PNGs of 16 bits 8 by name, and `auto` keeps them', async () => {
  const upload = deepPngOf(90, 3, (i, c) => 20_000 + (i % 90) * 401 + c * 2_003);
  const named = await compress(upload, 'format=jxl');
  expect(named.response.headers.get('content-type')).toBe('image/jxl');
  expect(named.response.headers.get('x-removed')).toBe('bit-depth');
  const { response } = await compress(upload, 'format=same,jxl');
  expect(response.headers.get('content-type')).toBe('image/png');
});

it('passes the conformance kit, and its own tests', () => {
  const { status, stdout } = new Workplace().run(['codec', 'test', join(ROOT, 'formats', 'jxl')]);
  expect(stdout).not.toContain('FAIL');
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, 'All 10 checks passed.']);
  const own = spawnSync(process.execPath, ['--test'], {
    cwd: join(ROOT, 'formats', 'jxl'),
    encoding: 'utf8',
  });
  expect([own.status, own.stdout]).toEqual([0, own.stdout]);
});
