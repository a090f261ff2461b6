import { existsSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { expectEnd, expectSuccess } from '../support/ended';
import { graphicPng, photoJpeg } from '../support/images';
import { jsonLines, Workplace } from '../support/command-line';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(160, 120)));

const place = Workplace.forCalls();
beforeEach(() => {
  place.put('a.jpg', photo);
  place.put('b/b.png', graphic);
});
const compress = (args: string, env: NodeJS.ProcessEnv = {}) => place.call(`compress ${args}`, env);

it.each(['--in-place a.jpg b --json --max-dimension 100', 'b -o b/small --json', 'a.jpg -o -'])(
  '--dry-run never writes: %s',
  async (args) => {
    const before = place.files();
    const { status, stdout } = await compress(`--dry-run ${args}`);
    expect(status).toBe(0);
    expect(place.files()).toEqual(before);
    expect([place.read('a.jpg'), place.read('b/b.png')]).toEqual([photo, graphic]);
    expect(stdout).not.toContain('"output"');
    expect(readdirSync(place.cache)).toEqual([]);
  },
);

it('--dry-run says what would be saved, and finds what would collide', async () => {
  expect((await compress('-n a.jpg b')).stdout).toMatch(/would be saved; nothing was written/);
  expect((await compress('-n a.jpg -o .')).stderr).toMatch(/would be overwritten/);
});

describe('--in-place', () => {
  it('removes private metadata from an image that cannot become smaller', async () => {
    await compress('--in-place b/b.png');
    const result = place.read('b/b.png');
    const author = pngChunk('tEXt', Buffer.from('Author\0Jane Artist', 'latin1'));
    place.put('b/b.png', withChunks(result, [author]));
    await compress('--in-place b/b.png');
    expect(place.read('b/b.png')).toEqual(result);
  });

  it('leaves alone what would be scaled down, says how to scale it, and does when told to', async () => {
    const env = { MAX_DIMENSION_PX: '100' };
    const { stdout } = expectEnd(
      await compress('--in-place a.jpg b/b.png', env),
      0,
      /a\.jpg: left alone, because 160x120 would be scaled down to 100 px; use --max-dimension 100 to scale it, or 160 to keep its dimensions/,
      'stdout',
    );
    expect(stdout).toMatch(/b\.png: \d+ -> \d+ bytes/);
    expect(stdout).toMatch(/Left alone, because --max-dimension was not given: 1\./);
    expect(place.read('a.jpg')).toEqual(photo);
    expect(jsonLines((await compress('--in-place a.jpg --json', env)).stdout)).toEqual([
      {
        ...{ input: 'a.jpg', skipped: true, skipReason: 'would-be-scaled' },
        ...{ originalSize: photo.length, compressedSize: photo.length, bytesSaved: 0 },
        ...{ originalWidth: 160, originalHeight: 120, width: 160, height: 120 },
      },
    ]);
    const kept = await compress('-n a.jpg --max-dimension 160', env);
    expect(kept.stdout).toMatch(/a\.jpg: \d+ -> \d+ bytes .*, 160x120,/);
    const scaled = await compress('--in-place a.jpg --max-dimension 80');
    expect(scaled.stdout).toMatch(/scaled from 160x120 to 80x60, no metadata kept/);
  });

  it('leaves alone what would lose temperatures, and names them where they go', async () => {
    const flir = { marker: 0xe1, payload: Buffer.from('FLIR\0\x01\0\0 temperatures', 'latin1') };
    const thermal = Buffer.from(withSegments(photo, [flir]));
    place.put('b/thermal.jpg', thermal);
    for (const command of ['check --fix', 'compress --in-place']) {
      const [line] = jsonLines((await place.call(`${command} b/thermal.jpg --json`)).stdout);
      expect(line).toMatchObject({ skipReason: 'would-lose-data', removed: ['thermal'] });
    }
    expect(place.read('b/thermal.jpg')).toEqual(thermal);
    expect((await compress('b/thermal.jpg -o out')).stdout).toMatch(/removed: thermal/);
  });

  it('leaves alone what would lose the layers of an editor, unless they may go', async () => {
    const layered = withChunks(graphic, [pngChunk('mkBS', Buffer.alloc(9))]);
    place.put('b/layers.png', layered);
    const { stdout } = expectEnd(
      await compress('--in-place b'),
      0,
      /layers\.png: left alone, because it would lose data that programs read \(editor-layers\); use --drop-layers/,
      'stdout',
    );
    expect(stdout).toMatch(/Left alone, because --drop-layers was not given: 1\./);
    for (const command of ['check', 'check --fix', 'compress --in-place']) {
      const [line] = jsonLines((await place.call(`${command} b/layers.png --json`)).stdout);
      expect(line).toMatchObject({
        skipped: true,
        skipReason: 'would-lose-data',
        removed: ['editor-layers'],
      });
    }
    expect(place.read('b/layers.png')).toEqual(layered);
    expect((await compress('b/layers.png -o out')).stdout).toMatch(/removed: editor-layers/);
    for (const command of ['check --fix', 'compress --in-place']) {
      place.put('b/layers.png', layered);
      await place.call(`${command} b/layers.png --drop-layers`);
      expect(place.read('b/layers.png').includes('mkBS')).toBe(false);
    }
  });
});

describe('--backup', () => {
  const backUp = (args: string) => compress(`--in-place --backup .orig ${args}`);

  it('keeps a copy of each original beside its result, and takes it for no image later', async () => {
    utimesSync(place.path('a.jpg'), 1_500_000_000, 1_500_000_000);
    expectSuccess(await backUp('.'));
    expect(place.files()).toEqual(['a.jpg', 'a.jpg.orig', 'b', 'b/b.png', 'b/b.png.orig']);
    expect(place.read('a.jpg.orig')).toEqual(photo);
    expect(place.read('b/b.png.orig')).toEqual(graphic);
    expect(statSync(place.path('a.jpg.orig'))).toMatchObject({ mtimeMs: 1_500_000_000_000 });
    const again = await compress('--in-place --force .');
    expect(again.stdout).toMatch(/Skipped, backups of originals: 2\./);
    expect(place.read('a.jpg.orig')).toEqual(photo);
  });

  it('accepts the copy of a command that was killed, and replaces nothing else', async () => {
    place.put('a.jpg.orig', photo);
    expectSuccess(await backUp('a.jpg'));
    expect(place.read('a.jpg.orig')).toEqual(photo);
    place.put('c.jpg', photo);
    symlinkSync('nowhere', place.path('c.jpg.orig'));
    place.put('b/b.png.orig', 'an older original');
    const { stderr } = expectEnd(
      await backUp('b/b.png c.jpg'),
      1,
      /b\/b\.png: b\.png\.orig already exists, so the file was left alone/,
    );
    expect(stderr).toMatch(/c\.jpg: c\.jpg\.orig already exists/);
    expect(place.read('b/b.png')).toEqual(graphic);
    expect(place.text('b/b.png.orig')).toBe('an older original');
  });

  it('keeps nothing of a file that stays as it is', async () => {
    await compress('--in-place .');
    expectSuccess(await backUp('--force .'));
    expect(existsSync(place.path('a.jpg.orig'))).toBe(false);
  });
});

it('shows control characters in names as text, and keeps them apart in JSON', async () => {
  const name = 'x\u001b]0;owned\u0007\u009b31m\u202egpj.\njpg';
  const visible = 'x\\x1b]0;owned\\x07\\x9b31m\\u202egpj.\\x0ajpg';
  place.put(name, photo);
  const outcomes = [
    await place.call(['compress', name, '-n']),
    await place.call(['compress', name, '-n', '-o', '-']),
    await place.call(['compress', `missing${name}`, '-n']),
  ].map(({ stdout, stderr }) => stdout + stderr);
  for (const said of outcomes) expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  for (const said of outcomes) expect(said).toContain(visible);
  const { stdout } = await place.call(['compress', name, '-n', '--json']);
  expect(stdout).not.toContain('\u009b');
  expect(JSON.parse(stdout)).toMatchObject({ input: name });
});
