/** tinypng-cli and gulp-tinypng-extended run as published. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Folder, PROJECT, ROOT } from '../support/folders';
import { decodeIndependently, photoJpeg, difference } from '../support/images';
import { ARTIST, fullJpeg } from '../support/metadata-files';
import { hasPrograms } from '../support/services';
import { sharedClient } from '../support/shared-service';
import { startTlsProxy, type TlsProxy } from '../support/tls-proxy';

(hasPrograms('openssl') ? describe : describe.skip)('plug-ins of build tools, over TLS', () => {
  const service = sharedClient();
  let proxy: TlsProxy;
  let apiKey: string;
  let photo: Buffer;
  const place = new Folder();
  beforeAll(async () => {
    proxy = await startTlsProxy(service.port);
    ({ apiKey } = await service.signUp());
    photo = await photoJpeg(320, 240);
    place.put('authority.pem', proxy.authority);
  });
  afterAll(() => proxy.stop());

  /** Runs a program of Node.js for which the names of Tinify resolve to the proxy. */
  async function run(...args: string[]) {
    const preload = PROJECT.path('test/support/tinify-host.cjs');
    const { stdout } = await promisify(execFile)(process.execPath, ['--require', preload, ...args], {
      cwd: ROOT,
      env: {
        ...process.env,
        TINIFY_PORT: new URL(proxy.url).port,
        NODE_EXTRA_CA_CERTS: place.path('authority.pem'),
        // tinypng-cli looks for a key there.
        HOME: place.folder,
        // gulp-tinypng-extended exports something else for its own tests.
        NODE_ENV: 'production',
      },
    });
    return stdout;
  }
  const sizeOf = (name: string) => {
    const { width, height } = decodeIndependently(place.read(name));
    return [width, height];
  };

  describe('tinypng-cli', () => {
    const command = require.resolve('tinypng-cli/tinypng-cli.js');

    it('replaces the images of a folder', async () => {
      const images = new Folder();
      const names = ['a.jpg', 'b.JPG', 'c.jpeg'];
      for (const name of names) images.put(name, photo);
      const output = await run(command, '--key', apiKey, images.folder);
      expect(output.match(/Panda just saved you/g)).toHaveLength(3);
      for (const name of names) {
        const result = images.read(name);
        expect(result.length).toBeLessThan(photo.length * 0.9);
        expect(difference(result, photo)).toBeLessThan(6);
      }
    });

    it('resizes to a width', async () => {
      place.put('resized.jpg', photo);
      await run(command, '--key', apiKey, '--width', '32', place.path('resized.jpg'));
      expect(sizeOf('resized.jpg')).toEqual([32, 24]);
    });

    it('says that a key is wrong', async () => {
      place.put('refused.jpg', photo);
      const output = await run(command, '--key', 'wrong', place.path('refused.jpg'));
      expect(output).toContain('your credentials are invalid');
      expect(place.read('refused.jpg')).toEqual(photo);
    });
  });

  it.each([false, true])('gulp-tinypng-extended, keepMetadata: %s', async (keepMetadata) => {
    place.put('from.jpg', fullJpeg(photo, 1, 320, 240));
    const options = { key: apiKey, keepMetadata, retryAttempts: 1 };
    const script = `
      const [plugin, Vinyl, fs] = ['gulp-tinypng-extended', 'vinyl', 'fs'].map((name) => require(name));
      const [from, to] = ${JSON.stringify(['from.jpg', 'to.jpg'].map((name) => place.path(name)))};
      const stream = plugin(${JSON.stringify(options)});
      stream.on('data', ({ contents }) => fs.writeFileSync(to, contents));
      stream.end(new Vinyl({ path: from, contents: fs.readFileSync(from) }));`;
    await run('--eval', script);
    const result = place.read('to.jpg');
    expect(sizeOf('to.jpg')).toEqual([320, 240]);
    expect([result.includes(ARTIST), result.includes('Secret')]).toEqual([keepMetadata, false]);
  });
});
