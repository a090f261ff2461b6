/** HEIC by codec-packages/heic, which is installed apart: its own tests, and uploads in a sandbox over HTTP. */
import { existsSync } from 'node:fs';
import { difference } from '../support/images';
import { Folder, PROJECT } from '../support/folders';
import { bytesOf, ownServiceWithKey } from '../support/service';
import { hasPrograms, isAvailable } from '../support/services';

const heic = new Folder(PROJECT.path('codec-packages/heic'));
const isInstalled =
  existsSync(heic.path('node_modules/libheif-js')) ||
  heic.program('npm', ['ci', '--no-audit', '--no-fund']).status === 0;
const isReady =
  isAvailable(isInstalled, 'libheif-js of the npm registry') && hasPrograms('heif-enc', 'heif-convert');

it('is no part of the installation of this repository', () => {
  for (const name of ['package-lock.json', 'NOTICE.md', 'server/package.json'])
    expect(PROJECT.text(name)).not.toContain('libheif-js');
  expect(PROJECT.text('config/container/Containerfile.dockerignore').split('\n')).toContain(
    'codec-packages/heic',
  );
});

(isReady ? describe : describe.skip)('HEIC', () => {
  const service = ownServiceWithKey({ FORMAT_MODULES: heic.folder, WORKERS: '1' });
  const place = new Folder();
  heic.node('sample-files.mjs', place.folder);
  place.program('heif-convert', ['phone.heic', 'phone.png']);

  async function upload(image: Uint8Array) {
    const response = await service.send(image);
    return { response, type: response.headers.get('content-type'), bytes: await bytesOf(response) };
  }

  it('the photo of a phone becomes an upright JPG that looks the same', async () => {
    const { response, type, bytes } = await upload(place.read('phone.heic'));
    expect([response.status, type]).toEqual([200, 'image/jpeg']);
    expect(response.headers.get('x-original-dimensions')).toBe('1700x2400');
    expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.9914);
    expect(difference(bytes, place.read('phone.png'))).toBeLessThan(4);
    expect(bytes.includes('ICC_PROFILE')).toBe(true);
    expect(bytes.includes('Exif')).toBe(false);
  });

  it('a transparent one becomes a PNG; sequences, and what nothing makes smaller, come back', async () => {
    expect((await upload(place.read('transparent.heic'))).type).toBe('image/png');
    for (const [name, reason] of [
      ['small', 'already-optimised'],
      ['sequence', 'animated'],
    ]) {
      const { response, bytes } = await upload(place.read(`${name}.heic`));
      expect(response.headers.get('x-skip-reason')).toBe(reason);
      expect(bytes).toEqual(place.read(`${name}.heic`));
    }
  });

  it('passes its own tests, and the conformance kit', () => {
    const kit = [PROJECT.path('test/conformance/run.mjs'), heic.folder, '600', '--files', place.folder];
    for (const args of [['--test'], kit]) {
      const { status, stdout } = heic.program(process.execPath, args, { timeout: 0 });
      expect([status, stdout]).toEqual([0, stdout]);
    }
  });
});
