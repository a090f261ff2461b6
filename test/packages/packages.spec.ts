/** Packages add formats and engines to the service, the library and the command line; faults of a package stop the start. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { asciiField, writeTiff } from '../../src/compression/formats/tiff';
import { iccpChunk } from '../file-kinds/png-parts';
import { Workplace } from '../support/command-line';
import { png, screenshot } from '../support/drawn-pngs';
import { adobeRgb } from '../support/icc-profiles';
import { decodeIndependently, photoJpeg } from '../support/images';
import { expectProblem } from '../support/problem';
import { formWith, startService, type Service } from '../support/service';
import { exampleFile, qoiManifest } from './tutorial';

// eslint-disable-next-line @typescript-eslint/no-require-imports
const library = require('../../dist/library/index.js') as typeof import('../../src/library/index');

const QOI = exampleFile('index.js');
const folder = mkdtempSync(join(tmpdir(), 'ics-packages-'));
function put(name: string, content: string | object): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const packageJson = (imageCompression: unknown, more: object = {}) => ({
  version: '1.0.0',
  imageCompression,
  ...more,
});
const formatOf = (changes: object) => ({ ...qoiManifest, format: { ...qoiManifest.format, ...changes } });

const MODULE = put('qoi.mjs', QOI);
put('qoi.json', qoiManifest);
/** A package for `import` alone, under another name. */
put('node_modules/image-compression-esm/code/index.mjs', QOI);
put(
  'node_modules/image-compression-esm/package.json',
  packageJson(formatOf({ name: 'esm', mediaType: 'image/x-esm', extensions: ['esm'] }), {
    exports: { '.': { import: './code/index.mjs' } },
  }),
);
/** A CommonJS package with `main`. */
put('node_modules/@scope/cjs/main.js', QOI.replace('export const format =', 'module.exports.format ='));
put(
  'node_modules/@scope/cjs/package.json',
  packageJson(formatOf({ name: 'cjs', mediaType: 'image/x-cjs', extensions: ['cjs'] }), { main: 'main' }),
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
  let service: Service;
  beforeAll(async () => (service = await startService({ FORMAT_MODULES: MODULE })));
  afterAll(() => service.stop());

  it('delivers a format of a package, with its media type', async () => {
    const { apiKey } = await service.signUp();
    const response = await fetch(`${service.url}/api/v1/compress?format=qoi`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey },
      body: formWith(upload),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/qoi']);
    expect(await isUpload(new Uint8Array(await response.arrayBuffer()))).toBe(true);
  });

  it('names the profile and the metadata that the format cannot hold, and auto does not drop a profile', async () => {
    const author = pngChunk('eXIf', writeTiff([asciiField(0x013b, 'Jane Artist')]));
    const profiled = withChunks(upload, [iccpChunk(adobeRgb()), author]);
    const { apiKey } = await service.signUp();
    const removed = async (image: Uint8Array, query: string) => {
      const response = await fetch(`${service.url}/api/v1/compress?${query}`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, Accept: 'image/qoi' },
        body: formWith(image),
      });
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

  it('loads the code of a package in its workers alone', async () => {
    const told = put('tells.mjs', `process.stderr.write(\`loaded by \${process.argv[1]}\\n\`);\n${QOI}`);
    put('tells.json', formatOf({}));
    const place = new Workplace();
    place.put('drawing.png', upload);
    const { stderr } = place.run(['compress', 'drawing.png', '-n', '--format-module', told]);
    expect(stderr).toMatch(/^loaded by .*worker-process\.js\n$/);
  });
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
    const { status, stderr } = run(['--format', name, '--format-module', specifier, '--force']);
    expect([status, stderr]).toEqual([0, '']);
    expect(await isUpload(readFileSync(place.path(`out/drawing.${name}`)))).toBe(true);
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
    const result = (name: string) => readFileSync(place.path(name));
    expect(result('toy/photo.jpg')).toEqual(result('native/photo.jpg'));
    expect(Buffer.from(decodeIndependently(result('toy/drawing.png')).data)).toEqual(Buffer.from(original));
  });

  it('does not have the format without its package', () => {
    expect(run(['--format', 'qoi'])).toMatchObject({ status: 2 });
  });
});

it('without the package the service has no such format', async () => {
  const plain = await startService();
  const { apiKey } = await plain.signUp();
  const response = await fetch(`${plain.url}/api/v1/compress?format=qoi`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: formWith(upload),
  });
  await expectProblem(response, 400, 'invalid_request');
  await plain.stop();
});

const file = (name: string, code: string, manifest?: string | object) => {
  put(`wrong/${name}.mjs`, code);
  if (manifest !== undefined) put(`wrong/${name}.json`, manifest);
  return `./wrong/${name}.mjs`;
};
const AFTER_VERSION = '; this service has version 1 of the codec interface';

/** Wrong packages, and the sentence about each. `/` stands for the folder. */
const FORMAT_FAULTS: readonly (readonly [specifier: string, sentence: string])[] = [
  ['./nothing.mjs', './nothing.mjs does not exist'],
  ['image-compression-absent', 'the package image-compression-absent is not installed in / or above it'],
  [file('lone', QOI), './wrong/lone.mjs has no manifest: there is no ./wrong/lone.json beside it'],
  [file('text', QOI, 'no JSON'), './wrong/text.json is not a JSON object'],
  [file('old', QOI, { ...qoiManifest, apiVersion: 0 }), `./wrong/old.json: apiVersion: is 0${AFTER_VERSION}`],
  [file('ageless', QOI, {}), `./wrong/ageless.json: apiVersion: is missing${AFTER_VERSION}`],
  [file('new', QOI, { apiVersion: 2, codec: {} }), `./wrong/new.json: apiVersion: is 2${AFTER_VERSION}`],
  [file('engine', QOI, { apiVersion: 1, engine: {} }), './wrong/engine.mjs declares no format'],
  [
    file('name', QOI, formatOf({ name: 'Q O I' })),
    './wrong/name.json: format.name: must be 1 to 16 lower-case letters and digits',
  ],
  [
    file(
      'curve',
      QOI,
      formatOf({
        curve: [
          [20, 0.01],
          [90, 0.02],
        ],
      }),
    ),
    './wrong/curve.json: format.curve: must list rising qualities with falling losses',
  ],
  [
    file('webp', QOI, formatOf({ name: 'webp' })),
    './wrong/webp.mjs: the format name "webp" is taken by this service',
  ],
  [
    file('auto', QOI, formatOf({ name: 'auto' })),
    './wrong/auto.mjs: the format name "auto" is taken by this service',
  ],
  [
    `./qoi.mjs,${file('twice', QOI, qoiManifest)}`,
    './wrong/twice.mjs: the format name "qoi" is taken by /qoi.mjs',
  ],
  [
    file('type', QOI, formatOf({ mediaType: 'image/png' })),
    './wrong/type.mjs: the media type "image/png" is taken by this service',
  ],
  [
    file('jpg', QOI, formatOf({ extensions: ['jpg'] })),
    './wrong/jpg.mjs: the file name extension "jpg" is taken by this service',
  ],
  [file('mute', '', qoiManifest), '/wrong/mute.mjs exports no "format"'],
  [
    file('blind', 'export const format = { encode() {} };', qoiManifest),
    'the format of /wrong/blind.mjs has no function "decode"',
  ],
  [
    file('idle', 'export const format = { decode() {} };', qoiManifest),
    'the format of /wrong/idle.mjs has neither "encode" nor "encodeLosslessly"',
  ],
  [
    file('throws', "throw new Error('no licence');", qoiManifest),
    '/wrong/throws.mjs cannot be loaded: no licence',
  ],
];

const ENGINE_FAULTS: readonly (readonly [specifier: string, sentence: string])[] = [
  ['turbo', 'must be native, squoosh or a package: the package turbo is not installed in / or above it'],
  ['./qoi.mjs', 'must be native, squoosh or a package: ./qoi.mjs declares no engine'],
  [
    file('mute-engine', '', { apiVersion: 1, engine: {} }),
    '/wrong/mute-engine.mjs exports no function "createEngine"',
  ],
  [
    file('empty-engine', 'export const createEngine = () => ({});', { apiVersion: 1, engine: {} }),
    'the engine of /wrong/empty-engine.mjs has no codecs "jpeg" and "png"',
  ],
];

describe('a package that cannot be used stops the start with one sentence', () => {
  const place = new Workplace();
  place.put('drawing.png', upload);
  const errorWith = (env: NodeJS.ProcessEnv) => {
    const { status, stderr } = place.run(['compress', place.path('drawing.png'), '-n'], { cwd: folder, env });
    expect(status).toBeGreaterThan(0);
    return stderr.trim();
  };
  const inFolder = (sentence: string) =>
    sentence.replaceAll(/(^|by |in |of )\//g, `$1${folder}/`).replace('/ or', ' or');

  it.each(FORMAT_FAULTS)('FORMAT_MODULES=%s: %s', (specifier, sentence) => {
    const error = errorWith({ FORMAT_MODULES: specifier });
    const about = error.startsWith('The environment')
      ? `The environment has an error:\n  - FORMAT_MODULES=${specifier}: `
      : 'The codec engine cannot start: ';
    expect(error.replace(/\.$/, '')).toBe(about + inFolder(sentence));
  });

  it.each(ENGINE_FAULTS)('CODEC_ENGINE=%s: %s', (specifier, sentence) => {
    const error = errorWith({ CODEC_ENGINE: specifier });
    expect(error).toContain(inFolder(sentence));
  });
});
