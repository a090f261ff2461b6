/** A format that a module adds is delivered by the service, the library and the command line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { png, screenshot } from '../support/drawn-pngs';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { asciiField, writeTiff } from '../../src/compression/formats/tiff';
import { iccpChunk } from '../file-kinds/png-parts';
import { Workplace } from '../support/command-line';
import { adobeRgb } from '../support/icc-profiles';
import { decodeIndependently } from '../support/images';
import { expectProblem } from '../support/problem';
import { formWith, startService, type Service } from '../support/service';

const MODULE = join(__dirname, 'qoi.cjs');
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { decode } = require(MODULE) as { decode: (file: Uint8Array) => { data: Uint8Array } };
// eslint-disable-next-line @typescript-eslint/no-require-imports
const library = require('../../dist/library/index.js') as typeof import('../../src/library/index');

/** Few colours, so the PNG recipe loses nothing either. */
const upload = png(120, 80, (x, y) => screenshot(x, y).map((value) => value & 0xe0));
const original = decodeIndependently(upload).data;
const sameAsUpload = (qoi: Uint8Array) => Buffer.from(decode(qoi).data).equals(Buffer.from(original));

it('is the module of the documentation, word by word', () => {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'adding-a-codec.md'), 'utf8');
  const [, module] = /^```js example=qoi\.cjs\n([\s\S]*?)^```$/m.exec(page) ?? [];
  expect(module).toBe(readFileSync(MODULE, 'utf8'));
});

let service: Service;
beforeAll(async () => (service = await startService({ FORMAT_MODULES: MODULE })));
afterAll(() => service.stop());

it('the service delivers it, with its media type', async () => {
  const { apiKey } = await service.signUp();
  const response = await fetch(`${service.url}/api/v1/compress?format=qoi`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: formWith(upload),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/qoi']);
  expect(sameAsUpload(new Uint8Array(await response.arrayBuffer()))).toBe(true);
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

it('the library delivers it', async () => {
  const compressor = new library.Compressor({ formatModules: MODULE });
  const { bytes, report } = await compressor.compress(upload, { format: 'qoi' });
  compressor.close();
  expect(report.format).toBe('qoi');
  expect(sameAsUpload(bytes)).toBe(true);
});

it('the command line delivers it, with its extension', () => {
  const place = new Workplace();
  place.put('in/drawing.png', upload);
  const { status, stderr } = place.run(['compress', 'in', '-o', 'out', '--format', 'qoi'], {
    env: { FORMAT_MODULES: MODULE },
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(sameAsUpload(readFileSync(place.path('out/drawing.qoi')))).toBe(true);
});

it('without the module there is no such format', async () => {
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

it.each([
  [join(__dirname, 'nothing.cjs'), /FORMAT_MODULES.*cannot be loaded/],
  [__filename.replace('added-format.spec.ts', '../support/no-engine.cjs'), /exports no "format"/],
])('a module that cannot be used stops the start: %s', async (module, sentence) => {
  await expect(startService({ FORMAT_MODULES: module })).rejects.toThrow(sentence);
});
