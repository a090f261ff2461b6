/** Uploads in formats of packages: one that is decoded, and a package that lies, over HTTP. */
import sharp from 'sharp';
import { Formats } from '../../src/contract/formats';
import { findFormatPackage } from '../../src/compression/packages/codec-package';
import { decodeIndependently, difference, photoPixels, xwbp } from '../support/images';
import { eventually } from '../support/eventually';
import { PROJECT } from '../support/folders';
import { bytesOf, ownServiceWithKey } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';
import { expectError, locationOf, TinifyCaller } from '../support/tinify';
import { put } from './package-folder';
import { expectHead, expectStatus } from '../support/responses';

const XWBP = PROJECT.path('test/support/xwbp');
const manifest = (changes: object) => ({
  apiVersion: 1,
  format: { name: 'liar', label: 'Liar', mediaType: 'image/x-liar', extensions: ['liar'], ...changes },
});
const SIGNATURE = 'LIAR';
const signatures = [{ hex: Buffer.from(SIGNATURE).toString('hex') }];
put('liar.json', manifest({ signatures, uploads: true }));
// The rest of the file is the code that reads it.
const LIAR = put(
  'liar.mjs',
  `const run = (file) => new Function(Buffer.from(file).toString('latin1', ${SIGNATURE.length}))();
   export const format = { dimensions: (file) => run(file).size, decode: (file) => run(file).decoded() };`,
);
const lie = (size: string, decoded = 'process.exit()') =>
  Buffer.from(`${SIGNATURE}return { size: ${size}, decoded: () => (${decoded}) };`);

const service = ownServiceWithKey({
  ...{ FORMAT_MODULES: `${XWBP},${LIAR}`, WORKERS: '1', MAX_PIXELS_MP: '40', TINIFY_API: 'on' },
});
const shared = sharedClientWithKey();

async function upload(image: Uint8Array, query = '') {
  const response = await service.send(image, query && `?${query}`);
  return { response, bytes: await bytesOf(response) };
}
async function refusal(image: Uint8Array) {
  const { response, bytes } = await upload(image);
  return [response.status, (JSON.parse(bytes.toString()) as { readonly code: string }).code];
}

const photo = photoPixels(300, 200);
const opened = () => sharp(photo.data, { raw: { width: 300, height: 200, channels: photo.channels } });
const wrapped = async (webp: sharp.Sharp) => xwbp(await webp.toBuffer());
const file = () => wrapped(opened().webp({ lossless: true }));

const flat = (side: number) =>
  wrapped(
    sharp({ create: { width: side, height: side, channels: 3, background: '#123' } }).webp({ effort: 0 }),
  );

describe('a file that only a package reads', () => {
  it('becomes a JPG that looks the same, and is counted by the size of the upload', async () => {
    const image = await file();
    const { response, bytes } = await upload(image);
    expectHead(response, {
      status: 200,
      'content-type': 'image/jpeg',
      'x-original-size': String(image.length),
      'x-original-dimensions': '300x200',
    });
    expect(Number(response.headers.get('x-ssim'))).toBeGreaterThanOrEqual(0.9914);
    expect(difference(bytes, photo)).toBeLessThan(4);
  });

  it('becomes a PNG if it is transparent', async () => {
    const image = await wrapped(opened().ensureAlpha(0.5).webp({ lossless: true }));
    const { response, bytes } = await upload(image);
    expectHead(response, { status: 200, 'content-type': 'image/png' });
    expect(bytes.length).toBeLessThan(image.length);
  });

  it('comes back as it is if nothing is smaller, unless a format, its size or its metadata has to change', async () => {
    const image = await wrapped(opened().webp({ quality: 50 }));
    for (const query of ['', 'format=xwbp', 'format=auto', 'quality=lossless', `max_bytes=${image.length}`]) {
      const { response, bytes } = await upload(image, query);
      const headers = ['content-type', 'x-skipped', 'x-bytes-saved'].map((name) =>
        response.headers.get(name),
      );
      expect([query, ...headers]).toEqual([query, 'image/x-xwbp', '1', '0']);
      expectHead(response, { 'x-budget': query.startsWith('max_bytes') ? 'met' : null });
      expect(bytes).toEqual(image);
    }
    const dated = await wrapped(
      opened()
        .withExif({ IFD0: { Artist: 'Ann' } })
        .webp({ quality: 50 }),
    );
    expect((await upload(dated, 'metadata=all')).bytes).toEqual(dated);
    for (const [sent, query] of [
      [image, 'format=jpeg'],
      [image, 'max_dimension=299'],
      [dated, ''],
    ] as const)
      expect((await upload(sent, query)).response.headers.get('content-type')).toBe('image/jpeg');
  });

  it('becomes what `format` says', async () => {
    const image = await file();
    for (const [query, type] of [
      ['format=webp', 'image/webp'],
      ['format=png', 'image/png'],
      ['format=same', 'image/jpeg'],
      ['format=png&quality=lossless', 'image/png'],
    ]) {
      const { response, bytes } = await upload(image, query);
      expect([query, response.status, response.headers.get('content-type')]).toEqual([query, 200, type]);
      if (query.endsWith('lossless')) expect(difference(bytes, photo)).toBe(0);
    }
  });

  it('is rotated by its orientation, and keeps its author if asked', async () => {
    const exif = { IFD0: { Orientation: '6', Artist: 'Ann' } };
    const image = await wrapped(opened().withMetadata({ orientation: 6 }).withExif(exif).webp());
    const { response, bytes } = await upload(image, 'metadata=copyright');
    expectHead(response, { 'x-original-dimensions': '200x300' });
    expect(decodeIndependently(bytes)).toMatchObject({ width: 200, height: 300 });
    expect(bytes.includes('Ann')).toBe(true);
  });

  it('is refused if it is truncated, or too large by its header', async () => {
    const image = await file();
    expect(await refusal(image.subarray(0, image.length / 2))).toEqual([422, 'undecodable_image']);
    expect(await refusal(await flat(6500))).toEqual([422, 'too_many_pixels']);
  });

  it('is decoded in memory if it is large: libvips would use a file above 100 MB', async () => {
    const { response } = await upload(await flat(6000));
    expectHead(response, { status: 200, 'x-original-dimensions': '6000x6000' });
  });

  it('is no upload without the package, nor is another file with it', async () => {
    await expectStatus(shared.send(await file()), 415);
    expect(await refusal(Buffer.from('%PDF-1.7 and more bytes'))).toEqual([415, 'unsupported_media_type']);
  });
});

it("Tinify's clients send it, too, and ask for other formats", async () => {
  const caller = new TinifyCaller(service, service.apiKey);
  const response = await caller.shrink(await file());
  const { input, output } = (await response.json()) as Record<string, { readonly type: string }>;
  expect([response.status, input.type, output.type]).toEqual([201, 'image/x-xwbp', 'image/jpeg']);
  const converted = await caller.command(locationOf(response), { convert: { type: 'image/png' } });
  expectHead(converted, { status: 200, 'content-type': 'image/png' });
  await converted.arrayBuffer();
  const words = 'a PDF, not a JPG, PNG, XWBP or Liar';
  await expectError(caller.shrink('%PDF-1.7 and more bytes'), 415, 'UnsupportedMediaType', words);
});

describe('a package that lies', () => {
  it.each([
    ['more pixels than any image', '{ width: 1e9, height: 1e9 }', 422, 'too_many_pixels'],
    ['a side that no decoder takes', '{ width: 2e6, height: 1 }', 422, 'too_many_pixels'],
    ['no size', 'undefined', 500, 'internal_error'],
    ['half a pixel', '{ width: 0.5, height: 1 }', 500, 'internal_error'],
    ['an exception', '(() => { throw new Error("damaged"); })()', 422, 'undecodable_image'],
  ])('%s: nothing is decoded', async (_, size, status, code) => {
    expect(await refusal(lie(size))).toEqual([status, code]);
  });

  it('the log says why an upload was refused', async () => {
    await refusal(lie('(() => { throw new Error("cut off"); })()'));
    const cause = 'The package of the format liar fails: "dimensions" throws: cut off';
    await eventually(() => expect(service.logs().map((line) => line['cause'])).toContain(cause));
  });

  it('an image of another size than its header says is refused', async () => {
    const image = '{ width: 2, height: 1, channels: 1, data: new Uint8Array(2) }';
    expect(await refusal(lie('{ width: 1, height: 1 }', image))).toEqual([422, 'undecodable_image']);
    expect((await upload(lie('{ width: 2, height: 1 }', image), 'format=png')).response.status).toBe(200);
  });

  it('a decoder that ends the process fails only its image', async () => {
    expect((await refusal(lie('{ width: 1, height: 1 }')))[0]).toBe(503);
    expect((await upload(await file())).response.status).toBe(200);
  });
});

it('a package reads no format that this service reads', () => {
  const known = { label: 'X', mediaType: 'image/webp', extensions: ['webp'], signatures, uploads: true };
  for (const name of ['webp', 'x']) {
    const path = put(`second-${name}.mjs`, 'export const format = {};');
    put(`second-${name}.json`, manifest({ ...known, name }));
    expect(() => findFormatPackage(path, path, Formats.builtIn)).toThrow('is taken by this service');
  }
});
