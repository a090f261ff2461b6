/** Another format of uploads takes a file and one row in each of three tables, here in a copy of the built product. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { ROOT, temporaryFolder } from '../../support/folders';
import { graphicPng } from '../../support/images';
import { bytesOf, startService, type Service } from '../../support/service';
import { expectHead } from '../../support/responses';

let service: Service | undefined;
const folder = temporaryFolder();
const dist = join(folder, 'dist');
afterAll(() => service?.stop());

/** The tables: file, the start of one, and the row. */
const ROWS = [
  ['contract/formats.js', 'exports.FORMATS = {', 'toy: require("../toy-upload").facts,'],
  ['compression/formats/image-header.js', 'const READERS = {', 'toy: require("../../toy-upload").reader,'],
  ['compression/application/formats.js', 'const CODE = {', 'toy: require("../../toy-upload").code,'],
] as const;

const drawing = graphicPng(300, 200);
const toy = Buffer.concat([Buffer.from('TOY!'), drawing]);

function expectToy(bytes: Uint8Array) {
  expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe('TOY!');
  expect(bytes.length).toBeLessThan(toy.length);
  expect(PNG.sync.read(Buffer.from(bytes.subarray(4)))).toMatchObject({ width: 300, height: 200 });
}

beforeAll(() => {
  cpSync(join(ROOT, 'dist'), dist, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  cpSync(join(__dirname, 'toy-upload.cjs'), join(dist, 'toy-upload.js'));
  for (const [file, start, row] of ROWS) {
    const path = join(dist, file);
    const parts = readFileSync(path, 'utf8').split(start);
    expect([file, parts.length]).toEqual([file, 2]);
    writeFileSync(path, [parts[0], start, row, parts[1]].join(''));
  }
  writeFileSync(join(folder, 'drawing.toy'), toy);
});

it('CONTRIBUTING names the tables', () => {
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const items = /- \*\*A result format\*\*[^]*?(?=- \*\*A setting)/.exec(contributing)?.[0] ?? '';
  for (const [file] of ROWS) expect(items).toContain(file.split('/').at(-1)?.replace('.js', '.ts'));
});

it('the command line takes it', () => {
  const args = [join(dist, 'cli', 'main.js'), 'compress', 'drawing.toy', '-o', 'smaller.toy', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toContain('"compressedSize"');
  expectToy(readFileSync(join(folder, 'smaller.toy')));
});

it('the library takes it, also as another format', async () => {
  const { Compressor } = createRequire(join(folder, 'x.js'))('./dist/library/index.js') as {
    Compressor: typeof import('../../../src/library').Compressor;
  };
  const compressor = new Compressor({ workers: 1 });
  const own = await compressor.compress(toy);
  expectToy(own.bytes);
  const webp = await compressor.compress(toy, { format: 'webp' });
  expect(Buffer.from(webp.bytes.subarray(8, 12)).toString()).toBe('WEBP');
  compressor.close();
});

it('the service takes it, within a byte limit too', async () => {
  service = await startService({}, join(dist, 'main.js'));
  const { apiKey } = await service.signUp();
  const send = (query: string, image = toy) => service!.compress(image, apiKey, {}, query);
  const usual = await send('');
  expectHead(usual, { status: 200, 'content-type': 'image/x-toy' });
  expectToy(await bytesOf(usual));
  const limited = await send('?max_bytes=100000');
  expectHead(limited, { status: 200, 'x-budget': 'met' });
  const none = await send('', Buffer.from('GIF89a'));
  const { detail } = (await none.json()) as { readonly detail: string };
  expect(detail).toBe('The file is a GIF, not a TOY, JPG or PNG, judging by its first bytes.');
});
