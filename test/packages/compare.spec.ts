import sharp from 'sharp';
import { expectSuccess } from '../support/ended';
import { Workplace } from '../support/command-line';
import { srgbNaming } from '../support/icc-profiles';
import { photoJpeg } from '../support/images';
import { library } from '../support/library';
import { formatOf, MODULE, put, QOI } from './package-folder';

/** The package under another name of four letters, which its files begin with, with more code and another manifest. */
const moduleOf = (name: string, more: string, changes: object = {}) => {
  const signatures = [{ hex: Buffer.from(name).toString('hex') }];
  const names = { name, label: name, mediaType: `image/${name}`, extensions: [name], signatures };
  put(`${name}.json`, formatOf({ ...names, ...changes }));
  return put(`${name}.mjs`, `${QOI.replaceAll("'qoif'", `'${name}'`)}${more}`);
};
const compressed = async (module: string, original: Uint8Array, options: object) => {
  const compressor = new library.Compressor({ formatModules: module });
  const { bytes } = await compressor.compress(original, options);
  compressor.close();
  return Buffer.from(bytes);
};
const compared = async (module: string, original: Uint8Array, image: Uint8Array) => {
  const compressor = new library.Compressor({ formatModules: module });
  try {
    return await compressor.compare(original, image);
  } finally {
    compressor.close();
  }
};
/** The file of the photo with the first bytes of another package. */
const named = (name: string) => Buffer.concat([Buffer.from(name), qoi.subarray(4)]);

let photo: Buffer;
let qoi: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(320, 240, { quality: 95 });
  qoi = await compressed(MODULE, photo, { format: 'qoi', maxDimension: 160 });
});

it('the library states that a file without loss is equal, scaled to its size', async () => {
  expect(await compared(MODULE, photo, qoi)).toMatchObject({
    ssim: 1,
    maxError: 0,
    format: 'qoi',
    imageSize: qoi.length,
    width: 160,
    height: 120,
    originalWidth: 320,
  });
});

it('two compressors of one program have only the formats of their own packages', async () => {
  const [two, other] = ['twin', 'qoif'].map((name) => moduleOf(name, '', { name: 'twin', label: name }));
  const bytes = await compressed(two, photo, { format: 'twin' });
  expect(bytes.subarray(0, 4).toString()).toBe('twin');
  // The same name in another package, which is compared and refused by its own signature.
  expect((await compressed(other, photo, { format: 'twin' })).subarray(0, 4).toString()).toBe('qoif');
  await expect(compared(other, photo, bytes)).rejects.toMatchObject({
    message: expect.stringMatching(/not a JPG, PNG, WebP, AVIF(,| or) qoif\b/) as string,
  });
  await expect(compressed(MODULE, photo, { format: 'twin' })).rejects.toMatchObject({
    option: 'format',
    message: expect.stringMatching(/one or more of jpeg, png, webp, avif, qoi(, jxl)?, separated/) as string,
  });
  await expect(library.compress(photo, { format: 'qoi' })).rejects.toMatchObject({ option: 'format' });
});

it('the command line compares two files', () => {
  const place = new Workplace();
  place.put('in/photo.jpg', photo);
  place.put('out/photo.qoi', qoi);
  const stdout = expectSuccess(
    place.run(`compare in/photo.jpg out/photo.qoi --format-module ${MODULE}`.split(' ')),
  );
  expect(stdout).toMatch(/^1\.0000 +100\.00 +0 +none +out\/photo\.qoi$/m);
});

it('the library refuses a damaged file and a larger one', async () => {
  await expect(compared(MODULE, photo, qoi.subarray(0, 999))).rejects.toMatchObject({
    code: 'undecodable_image',
  });
  const larger = await compressed(MODULE, await photoJpeg(400, 300), { format: 'qoi' });
  await expect(compared(MODULE, photo, larger)).rejects.toMatchObject({ code: 'cannot_compare' });
});

it('a format without signatures is refused, and the sentence says so', async () => {
  const module = moduleOf('bare', '', { signatures: [] });
  await expect(compared(module, photo, named('bare'))).rejects.toMatchObject({
    code: 'unsupported_media_type',
    message: expect.stringContaining(
      'Files of bare cannot be compared, because the manifest of that format has no "signatures".',
    ) as string,
  });
});

describe('the profile that a decoder returns', () => {
  const withProfile = (name: string, icc: Uint8Array) => {
    const file = put(`${name}.icc`, icc);
    const more = `import { readFileSync } from 'node:fs';
      const { decode } = format;
      format.decode = async (file) => ({ ...(await decode(file)), icc: readFileSync(${JSON.stringify(file)}) });`;
    return moduleOf(name, more, { holds: ['icc'] });
  };

  it('is compared with that of the original', async () => {
    const original = await sharp(photo).withIccProfile('p3').jpeg({ quality: 95 }).toBuffer();
    const { icc } = await sharp(original).metadata();
    const module = withProfile('dip3', icc!);
    const bytes = await compressed(module, original, { format: 'dip3' });
    expect(await compared(module, original, bytes)).toMatchObject({ ssim: 1, maxError: 0 });
    await expect(compared(module, photo, named('dip3'))).rejects.toMatchObject({ code: 'cannot_compare' });
    await expect(compared(MODULE, original, qoi)).rejects.toMatchObject({ code: 'cannot_compare' });
  });

  it('may be sRGB with a tag that names sRGB, but not with one that names another curve', async () => {
    const srgb = withProfile('srgb', srgbNaming(13));
    expect(await compared(srgb, photo, named('srgb'))).toMatchObject({ ssim: 1 });
    const pq = withProfile('pqpq', srgbNaming(16));
    await expect(compared(pq, photo, named('pqpq'))).rejects.toMatchObject({ code: 'cannot_compare' });
  });
});

it('a decoder that returns no image, or a profile that is no bytes, is at fault, not the file', async () => {
  const decode = 'const { decode } = format;';
  for (const [name, code] of [
    ['null', 'format.decode = async () => ({ width: 9, height: 9 });'],
    ['text', `${decode} format.decode = async (file) => ({ ...(await decode(file)), icc: 'sRGB' });`],
    ['list', `${decode} format.decode = async (file) => ({ ...(await decode(file)), icc: [1, 2] });`],
  ]) {
    const module = moduleOf(name, code);
    await expect(compared(module, photo, named(name))).rejects.toMatchObject({ code: 'engine_failed' });
  }
});
