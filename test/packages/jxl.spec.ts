import { photoJpeg } from '../support/images';
import { pngOfKind } from '../support/png-types';
import { bytesOf } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';
import { Folder, PROJECT } from '../support/folders';
import { expectHead } from '../support/responses';

// It is registered without FORMAT_MODULES.
const service = sharedClientWithKey();

async function compress(image: Uint8Array, query: string, accept = '*/*') {
  const response = await service.send(image, `?${query}`, { Accept: accept });
  return { response, bytes: await bytesOf(response) };
}

it('delivers a photo that reaches the target and is smaller than the JPEG', async () => {
  const upload = await photoJpeg(640, 480);
  const own = await compress(upload, 'format=same');
  const { response, bytes } = await compress(upload, 'format=jxl');
  expectHead(response, { status: 200, 'content-type': 'image/jxl' });
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

it('gives PNGs of 16 bits 8 by name, and `auto` keeps them', async () => {
  const kind = { colourType: 2, bitDepth: 16, isInterlaced: false, hasTransparentColour: false } as const;
  const upload = pngOfKind(kind, 90, 90, (x, _, channel) => 20_000 + x * 401 + channel * 2_003);
  const named = await compress(upload, 'format=jxl');
  expectHead(named.response, { 'content-type': 'image/jxl', 'x-removed': 'bit-depth' });
  const { response } = await compress(upload, 'format=same,jxl');
  expectHead(response, { 'content-type': 'image/png' });
});

it('passes the conformance kit, and its own tests', () => {
  const jxl = new Folder(PROJECT.path('codec-packages/jxl'));
  const kit = [PROJECT.path('test/conformance/run.mjs'), jxl.folder, '1800'];
  for (const args of [kit, ['--test']]) {
    const { status, stdout } = jxl.program(process.execPath, args, { timeout: 0 });
    expect([status, stdout]).toEqual([0, stdout]);
  }
});
