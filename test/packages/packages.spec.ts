import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { asciiField, writeTiff } from '../../src/compression/formats/tiff';
import { iccpChunk } from '../file-kinds/png-parts';
import { expectSuccess } from '../support/ended';
import { Workplace } from '../support/command-line';
import { png, screenshot } from '../support/drawn-pngs';
import { adobeRgb } from '../support/icc-profiles';
import { decodeIndependently, photoJpeg } from '../support/images';
import { library } from '../support/library';
import { expectProblem, expectHead, expectStatus } from '../support/responses';
import { bytesOf, ownServiceWithKey, startService } from '../support/service';
import { folder, formatOf, MODULE, put, QOI } from './package-folder';

const packageJson = (imageCompression: unknown, more: object = {}) => ({
  version: '1.0.0',
  imageCompression,
  ...more,
});
/** A package for `import` alone, under another name. */
put('node_modules/image-compression-esm/code/index.mjs', QOI);
put(
  'node_modules/image-compression-esm/package.json',
  packageJson(formatOf({ name: 'esm', mediaType: 'image/x-esm', extensions: ['esm'], signatures: [] }), {
    exports: { '.': { import: './code/index.mjs' } },
  }),
);
/** A CommonJS package with `main`. */
put('node_modules/@scope/cjs/main.js', QOI.replace('export const format =', 'module.exports.format ='));
put(
  'node_modules/@scope/cjs/package.json',
  packageJson(formatOf({ name: 'cjs', mediaType: 'image/x-cjs', extensions: ['cjs'], signatures: [] }), {
    main: 'main',
  }),
);
/** An engine that borrows all but one method from the native one. */
put(
  'toy.mjs',
  `import { deflateSync } from 'node:zlib';
  export async function createEngine({ nativeEngine }) {
    const engine = await nativeEngine();
    engine.png.deflate = async (bytes) => deflateSync(bytes, { level: 9 });
    return { jpeg: engine.jpeg, png: engine.png };
  }`,
);
put('toy.json', { apiVersion: 1, engine: { memoryFactor: 1.5 } });

/** Few colours, so the PNG recipe loses nothing either. */
const upload = png(120, 80, (x, y) => screenshot(x, y).map((value) => value & 0xe0));
const original = decodeIndependently(upload).data;
let decode: (qoi: Uint8Array) => Promise<{ data: Uint8Array }>;
beforeAll(async () => {
  const { format } = (await import(pathToFileURL(MODULE).href)) as { format: { decode: typeof decode } };
  decode = format.decode;
});
const isUpload = async (qoi: Uint8Array) =>
  Buffer.from((await decode(qoi)).data).equals(Buffer.from(original));

describe('the service', () => {
  const service = ownServiceWithKey({ FORMAT_MODULES: MODULE });

  it('delivers a format of a package, with its media type', async () => {
    const response = await service.send(upload, '?format=qoi');
    expectHead(response, { status: 200, 'content-type': 'image/qoi' });
    expect(await isUpload(await bytesOf(response))).toBe(true);
  });

  it('names the profile and the metadata that the format cannot hold, and auto does not drop a profile', async () => {
    const author = pngChunk('eXIf', writeTiff([asciiField(0x013b, 'Jane Artist')]));
    const profiled = withChunks(upload, [iccpChunk(adobeRgb()), author]);
    const removed = async (image: Uint8Array, query: string) => {
      const response = await service.send(image, `?${query}`, { Accept: 'image/qoi' });
      return [response.headers.get('content-type'), response.headers.get('x-removed')];
    };
    expect(await removed(upload, 'format=qoi&metadata=copyright')).toEqual(['image/qoi', null]);
    expect(await removed(profiled, 'format=qoi')).toEqual(['image/qoi', 'colour-profile']);
    expect(await removed(profiled, 'format=qoi&metadata=copyright')).toEqual([
      'image/qoi',
      'colour-profile, kept-metadata',
    ]);
    expect(await removed(profiled, 'format=webp&metadata=copyright')).toEqual(['image/webp', null]);
    expect(await removed(profiled, 'format=auto')).toEqual(['image/png', null]);
  });

  it('loads the code of a package in its workers alone', () => {
    const told = put('tells.mjs', `process.stderr.write(\`loaded by \${process.argv[1]}\\n\`);\n${QOI}`);
    put('tells.json', formatOf({}));
    const place = new Workplace();
    place.put('drawing.png', upload);
    const { stderr } = place.run(['compress', 'drawing.png', '-n', '--format-module', told]);
    expect(stderr).toMatch(/^worker: loaded by .*worker-process\.js\n$/);
  });
});

it('a package that fails ends its request, and leaves its worker', async () => {
  const fault = "format.encodeLosslessly = async () => { throw new Error('none'); };";
  const failing = put('fails.mjs', `${QOI}\n${fault}`);
  put('fails.json', formatOf({}));
  const service = await startService({ FORMAT_MODULES: failing, WORKERS: '1' });
  const { send } = await service.signUp();
  await expectProblem(send(upload, '?format=qoi'), 500, 'internal_error');
  await expectStatus(send(upload), 200);
  await service.stop();
});

it('the library delivers formats of packages, from an array', async () => {
  const compressor = new library.Compressor({
    formatModules: [MODULE, join(folder, 'node_modules/@scope/cjs')],
  });
  const results = [
    await compressor.compress(upload, { format: 'qoi' }),
    await compressor.compress(upload, { format: 'cjs' }),
  ];
  compressor.close();
  expect(results.map(({ report }) => report.format)).toEqual(['qoi', 'cjs']);
  for (const { bytes } of results) expect(await isUpload(bytes)).toBe(true);
});

describe('the command line', () => {
  const place = new Workplace();
  place.put('in/drawing.png', upload);
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    place.run(['compress', place.path('in'), '-o', place.path('out'), ...args], { cwd: folder, env });

  it.each([
    ['qoi', './qoi.mjs'],
    ['esm', 'image-compression-esm'],
    ['cjs', '@scope/cjs'],
    ['cjs', './node_modules/@scope/cjs'],
  ])('writes %s, of %s, resolved from the folder of the user', async (name, specifier) => {
    expectSuccess(run(['--format', name, '--format-module', specifier, '--force']));
    expect(await isUpload(place.read(`out/drawing.${name}`))).toBe(true);
  });

  it.each([
    [9600, 0, ''],
    [9599, 1, 'cannot be converted: QOI holds at most 0.009599 megapixels'],
  ])('with at most %i pixels for 120 × 80: status %i', (maxPixels, status, reason) => {
    put('small.mjs', QOI);
    put('small.json', formatOf({ maxPixels }));
    const outcome = run(['--format', 'qoi', '--format-module', './small.mjs', '--force']);
    expect(outcome.status).toBe(status);
    expect(outcome.stderr).toContain(reason);
  });

  it('takes several packages, from the option or the environment', () => {
    const both = ['--format-module', './qoi.mjs', '--format-module', '@scope/cjs'];
    expect(run([...both, '--format', 'qoi,cjs', '-n'])).toMatchObject({ status: 0, stderr: '' });
    const env = { FORMAT_MODULES: './qoi.mjs,@scope/cjs' };
    expect(run(['--format', 'qoi,cjs', '-n'], env)).toMatchObject({ status: 0, stderr: '' });
  });

  it('compresses with an engine that is a package', async () => {
    place.put('photos/photo.jpg', await photoJpeg(200, 150));
    place.put('photos/drawing.png', upload);
    const convert = (out: string, env: NodeJS.ProcessEnv) =>
      place.run(['compress', 'photos', '-o', out], { env });
    expect(convert('native', {})).toMatchObject({ status: 0 });
    expect(convert('toy', { CODEC_ENGINE: join(folder, 'toy.mjs') })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const result = (name: string) => place.read(name);
    expect(result('toy/photo.jpg')).toEqual(result('native/photo.jpg'));
    expect(decodeIndependently(result('toy/drawing.png')).data).toEqual(original);
  });

  it('does not have the format without its package', () => {
    expect(run(['--format', 'qoi'])).toMatchObject({ status: 2 });
  });
});

it('without the package the service has no such format', async () => {
  const plain = await startService();
  const { send } = await plain.signUp();
  await expectProblem(send(upload, '?format=qoi'), 400, 'invalid_request');
  await plain.stop();
});
