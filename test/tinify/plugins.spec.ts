/** tinypng-cli and gulp-tinypng-extended run as published. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from '../support/folders';
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
  const folder = temporaryFolder();
  beforeAll(async () => {
    proxy = await startTlsProxy(service.port);
    ({ apiKey } = await service.signUp());
    photo = await photoJpeg(320, 240);
    writeFileSync(join(folder, 'authority.pem'), proxy.authority);
  });
  afterAll(() => proxy.stop());

  /** Runs a program of Node.js for which the names of Tinify resolve to the proxy. */
  async function run(...args: string[]) {
    const preload = join(__dirname, '..', 'support', 'tinify-host.cjs');
    const { stdout } = await promisify(execFile)(process.execPath, ['--require', preload, ...args], {
      cwd: ROOT,
      env: {
        ...process.env,
        TINIFY_PORT: new URL(proxy.url).port,
        NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
        // tinypng-cli looks for a key there.
        HOME: folder,
        // gulp-tinypng-extended exports something else for its own tests.
        NODE_ENV: 'production',
      },
    });
    return stdout;
  }
  const sizeOf = (file: string) => {
    const { width, height } = decodeIndependently(readFileSync(file));
    return [width, height];
  };

  describe('tinypng-cli', () => {
    const command = require.resolve('tinypng-cli/tinypng-cli.js');

    it('replaces the images of a folder', async () => {
      const images = mkdtempSync(join(folder, 'images-'));
      const files = ['a.jpg', 'b.JPG', 'c.jpeg'].map((name) => join(images, name));
      files.forEach((file) => writeFileSync(file, photo));
      const output = await run(command, '--key', apiKey, images);
      expect(output.match(/Panda just saved you/g)).toHaveLength(3);
      for (const file of files) {
        const result = readFileSync(file);
        expect(result.length).toBeLessThan(photo.length * 0.9);
        expect(difference(result, photo)).toBeLessThan(6);
      }
    });

    it('resizes to a width', async () => {
      const file = join(folder, 'resized.jpg');
      writeFileSync(file, photo);
      await run(command, '--key', apiKey, '--width', '32', file);
      expect(sizeOf(file)).toEqual([32, 24]);
    });

    it('says that a key is wrong', async () => {
      const file = join(folder, 'refused.jpg');
      writeFileSync(file, photo);
      expect(await run(command, '--key', 'wrong', file)).toContain('your credentials are invalid');
      expect(readFileSync(file)).toEqual(photo);
    });
  });

  it.each([false, true])('gulp-tinypng-extended, keepMetadata: %s', async (keepMetadata) => {
    const [from, to] = [join(folder, 'from.jpg'), join(folder, `to-${keepMetadata}.jpg`)];
    writeFileSync(from, fullJpeg(photo, 1, 320, 240));
    const options = { key: apiKey, keepMetadata, retryAttempts: 1 };
    const script = `
      const [plugin, Vinyl, fs] = ['gulp-tinypng-extended', 'vinyl', 'fs'].map((name) => require(name));
      const [from, to] = ${JSON.stringify([from, to])};
      const stream = plugin(${JSON.stringify(options)});
      stream.on('data', ({ contents }) => fs.writeFileSync(to, contents));
      stream.end(new Vinyl({ path: from, contents: fs.readFileSync(from) }));`;
    await run('--eval', script);
    const result = readFileSync(to);
    expect(sizeOf(to)).toEqual([320, 240]);
    expect([result.includes(ARTIST), result.includes('Secret')]).toEqual([keepMetadata, false]);
  });
});
