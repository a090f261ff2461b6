/** The client that Tinify publishes for Node.js, over TLS, as programs use it. */
import tinify from 'tinify';
import { Folder } from '../support/folders';
import { decodeIndependently, graphicPng, photoJpeg, difference } from '../support/images';
import { ARTIST, fullJpeg } from '../support/metadata-files';
import { hasPrograms } from '../support/services';
import { sharedClient } from '../support/shared-service';
import { changeAccount } from '../support/sqlite-file';
import { startTlsProxy, type TlsProxy } from '../support/tls-proxy';

(hasPrograms('openssl') ? describe : describe.skip)('the client for Node.js', () => {
  const service = sharedClient();
  let proxy: TlsProxy;
  let photo: Buffer;

  beforeAll(async () => {
    proxy = await startTlsProxy(service.port);
    Object.assign(tinify.Client, { API_ENDPOINT: proxy.url, CA_BUNDLE: proxy.authority });
    photo = await photoJpeg(640, 480);
  });
  afterAll(() => proxy.stop());
  beforeEach(async () => (tinify.key = (await service.signUp()).apiKey));

  it('fromFile, toFile', async () => {
    const place = new Folder();
    place.put('photo.jpg', photo);
    await tinify.fromFile(place.path('photo.jpg')).toFile(place.path('smaller.jpg'));
    const result = place.read('smaller.jpg');
    expect(result.length).toBeLessThan(photo.length * 0.8);
    expect(difference(result, photo)).toBeLessThan(6);
  });

  it('fromBuffer, toBuffer, and the properties of the result', async () => {
    const png = graphicPng(300, 200);
    const result = tinify.fromBuffer(png).result();
    const bytes = Buffer.from(await result.toBuffer());
    expect(bytes.length).toBeLessThan(png.length);
    const sizes = await Promise.all([result.size(), result.width(), result.height()]);
    expect(sizes).toEqual([bytes.length, 300, 200]);
    expect([await result.mediaType(), await result.extension()]).toEqual(['image/png', 'png']);
  });

  it.each([
    ['fit', { method: 'fit', width: 100, height: 200 }, 100, 75],
    ['scale to a width', { method: 'scale', width: 320 }, 320, 240],
    ['scale to a height', { method: 'scale', height: 120 }, 160, 120],
    ['a width alone', { width: 320 }, 320, 240],
    ['cover', { method: 'cover', width: 90, height: 120 }, 90, 120],
    ['thumb', { method: 'thumb', width: 90, height: 120 }, 90, 120],
    ['fit, never enlarged', { method: 'fit', width: 5000, height: 5000 }, 640, 480],
  ])('resize: %s', async (_, command, width, height) => {
    const result = tinify.fromBuffer(photo).resize(command).result();
    const image = decodeIndependently(Buffer.from(await result.toBuffer()));
    expect(image).toMatchObject({ width, height });
    expect([await result.width(), await result.height()]).toEqual([width, height]);
  });

  it('keeps metadata with preserve, alone and with resize', async () => {
    const file = fullJpeg(photo, 1, 640, 480);
    const source = tinify.fromBuffer(file);
    const text = async (bytes: Promise<Uint8Array>) => Buffer.from(await bytes).toString('latin1');
    expect(await text(source.toBuffer())).not.toContain(ARTIST);
    const kept = await text(source.preserve('copyright').toBuffer());
    expect(kept).toContain(ARTIST);
    expect(kept).not.toContain('Secret');
    expect(await text(source.preserve('copyright', 'creation', 'location').toBuffer())).toContain(
      'SecretGps',
    );
    const small = source.preserve(['copyright']).resize({ method: 'scale', width: 64 });
    expect(await text(small.toBuffer())).toContain(ARTIST);
    const placed = await text(source.preserve('location').toBuffer());
    expect([placed.includes(ARTIST), placed.includes('Secret')]).toEqual([false, false]);
  });

  it('validate, and compressionCount of the account', async () => {
    await tinify.validate();
    expect(tinify.compressionCount).toBe(0);
    await tinify.fromBuffer(graphicPng(16, 16)).toBuffer();
    expect(tinify.compressionCount).toBe(1);
    await tinify.fromBuffer(graphicPng(16, 16)).resize({ method: 'scale', width: 8 }).toBuffer();
    expect(tinify.compressionCount).toBe(3);
    await tinify.validate();
    expect(tinify.compressionCount).toBe(3);
  });

  it('a wrong key is an account error', async () => {
    const { apiKey } = await service.signUp();
    for (const key of ['wrong', `${apiKey.slice(0, -1)}_`]) {
      tinify.key = key;
      await expect(tinify.validate()).rejects.toThrow(tinify.AccountError);
      await expect(tinify.fromBuffer(photo).toBuffer()).rejects.toThrow(/HTTP 401\/Unauthorized/);
    }
  });

  it('a trial that is used up is an account error, and its key still validates', async () => {
    const trial = await service.openTrial();
    changeAccount(service.databaseUrl, trial, 'trial_images_left = 1');
    tinify.key = trial.apiKey;
    const small = graphicPng(16, 16);
    await tinify.fromBuffer(small).toBuffer();
    const refused = tinify.fromBuffer(small).toBuffer();
    await expect(refused).rejects.toThrow(tinify.AccountError);
    await expect(refused).rejects.toThrow(/All images of this trial.*HTTP 429\/TooManyRequests/);
    await tinify.validate();
  });
});
