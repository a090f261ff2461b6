/** What the command line may do to originals, and what it shows of their names. */
import { readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { graphicPng, photoJpeg } from '../support/images';
import { Workplace } from '../support/command-line';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(320, 240)));

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('a.jpg', photo);
  place.put('b/b.png', graphic);
});

it.each([
  [['--in-place', 'a.jpg', 'b']],
  [['a.jpg', 'b', '-o', 'out']],
  [['a.jpg', '-o', 'out/']],
  [['a.jpg', '-o', 'out.jpg']],
  [['b', '-o', 'b/small', '--json']],
  [['--in-place', 'a.jpg', '--json', '--max-dimension', '100']],
  [['--in-place', 'a.jpg', '--backup', '.orig']],
  [['a.jpg', '-o', '-']],
])('--dry-run never writes: %j', (args) => {
  const before = place.files();
  const { status, stdout, stderr } = place.run(['compress', '--dry-run', ...args]);
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  expect(place.files()).toEqual(before);
  expect(readFileSync(place.path('a.jpg'))).toEqual(photo);
  expect(readFileSync(place.path('b/b.png'))).toEqual(graphic);
  expect(stdout).not.toContain('"output"');
  expect(readdirSync(place.cache)).toEqual([]);
});

it('--dry-run still finds what would collide', () => {
  expect(place.run(['compress', '-n', 'a.jpg', '-o', '.']).stderr).toMatch(/would be overwritten/);
});

describe('--in-place', () => {
  it('removes private metadata from an image that cannot become smaller', () => {
    place.run(['compress', '--in-place', 'b/b.png']);
    const result = readFileSync(place.path('b/b.png'));
    const author = pngChunk('tEXt', Buffer.from('Author\0Jane Artist', 'latin1'));
    place.put('b/b.png', withChunks(result, [author]));
    const { stdout } = place.run(['compress', '--in-place', 'b/b.png']);
    expect(stdout).toMatch(/b\.png: \d+ -> \d+ bytes/);
    expect(readFileSync(place.path('b/b.png'))).toEqual(result);
    expect(place.run(['compress', '--in-place', 'b/b.png', '--force']).stdout).toMatch(/already optimised/);
  });

  it('leaves alone what would be scaled down, and says how to scale it', () => {
    const env = { MAX_DIMENSION_PX: '200' };
    const { status, stdout } = place.run(['compress', '--in-place', 'a.jpg', 'b/b.png'], { env });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /a\.jpg: left alone, because 320x240 would be scaled down to 200 px; use --max-dimension 200 to scale it, or 320 to keep its dimensions/,
    );
    expect(stdout).toMatch(/b\.png: \d+ -> \d+ bytes/);
    expect(stdout).toMatch(/Left alone, because --max-dimension was not given: 1\./);
    expect(readFileSync(place.path('a.jpg'))).toEqual(photo);
    const kept = place.run(['compress', '-n', 'a.jpg', '--max-dimension', '320'], { env });
    expect(kept.stdout).toMatch(/a\.jpg: \d+ -> \d+ bytes .*, 320x240,/);
    const json = place.run(['compress', '--in-place', 'a.jpg', '--json'], { env }).stdout;
    expect(JSON.parse(json)).toEqual({
      input: 'a.jpg',
      originalSize: photo.length,
      compressedSize: photo.length,
      bytesSaved: 0,
      skipped: true,
      skipReason: 'would-be-scaled',
      originalWidth: 320,
      originalHeight: 240,
      width: 320,
      height: 240,
    });
  });

  it('leaves alone what would lose the layers of an editor, unless they may go', () => {
    const layered = withChunks(graphic, [pngChunk('mkBS', Buffer.alloc(9))]);
    place.put('b/layers.png', layered);
    const { status, stdout } = place.run(['compress', '--in-place', 'b']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/layers\.png: left alone, because it would lose the layers .*; use --drop-layers/);
    expect(stdout).toMatch(/Left alone, because --drop-layers was not given: 1\./);
    for (const command of [['check'], ['check', '--fix'], ['compress', '--in-place']]) {
      const json = place.run([...command, 'b/layers.png', '--json']).stdout;
      expect(JSON.parse(json)).toMatchObject({
        skipped: true,
        skipReason: 'has-editor-layers',
        bytesSaved: 0,
      });
    }
    expect(readFileSync(place.path('b/layers.png'))).toEqual(Buffer.from(layered));
    expect(place.run(['compress', 'b/layers.png', '-o', 'out']).stdout).toMatch(/removed: editor-layers/);
    place.run(['check', '--fix', 'b/layers.png', '--drop-layers']);
    expect(readFileSync(place.path('b/layers.png')).includes('mkBS')).toBe(false);
    place.put('b/layers.png', layered);
    place.run(['compress', '--in-place', 'b/layers.png', '--drop-layers']);
    expect(readFileSync(place.path('b/layers.png')).includes('mkBS')).toBe(false);
  });

  it('scales when told to, and each line says what was lost', () => {
    const { stdout } = place.run(['compress', '--in-place', 'a.jpg', '--max-dimension', '200']);
    expect(stdout).toMatch(/scaled from 320x240 to 200x150, no metadata kept/);
    expect(readFileSync(place.path('a.jpg')).length).toBeLessThan(photo.length);
  });

  it('says in its help what it does to originals', () => {
    const help = place.run(['compress', '--help']).stdout.replace(/\s+/g, ' ');
    expect(help).toMatch(/loses its metadata/);
    expect(help).toMatch(/left alone unless --max-dimension is given/);
  });
});

describe('--backup', () => {
  const backUp = (...args: string[]) => place.run(['compress', '--in-place', '--backup', '.orig', ...args]);

  it('keeps the original itself beside the result, and takes it for no image later', () => {
    const before = statSync(place.path('a.jpg'));
    expect(backUp('.').status).toBe(0);
    expect(place.files()).toEqual(['a.jpg', 'a.jpg.orig', 'b', 'b/b.png', 'b/b.png.orig']);
    expect(readFileSync(place.path('a.jpg.orig'))).toEqual(photo);
    expect(readFileSync(place.path('b/b.png.orig'))).toEqual(graphic);
    const kept = statSync(place.path('a.jpg.orig'));
    expect([kept.ino, kept.mtimeMs, kept.nlink]).toEqual([before.ino, before.mtimeMs, 1]);
    const again = place.run(['compress', '--in-place', '--force', '.']);
    expect(again.stdout).toMatch(/Skipped, backups of originals: 2\./);
    expect(readFileSync(place.path('a.jpg.orig'))).toEqual(photo);
  });

  it.each([
    ['a file', () => place.put('a.jpg.orig', 'an older original')],
    ['a link to nowhere', () => symlinkSync('nowhere', place.path('a.jpg.orig'))],
  ])('never replaces what has that name: %s', (_, occupy) => {
    occupy();
    const before = place.files();
    const { status, stderr } = backUp('a.jpg');
    expect(status).toBe(1);
    expect(stderr).toMatch(/a\.jpg: a\.jpg\.orig already exists, so the file was left alone/);
    expect(readFileSync(place.path('a.jpg'))).toEqual(photo);
    expect(place.files()).toEqual(before);
  });

  it('keeps nothing of a file that stays as it is', () => {
    place.run(['compress', '--in-place', '.']);
    expect(backUp('--force', '.').status).toBe(0);
    expect(place.files()).toEqual(['a.jpg', 'b', 'b/b.png']);
  });
});

it('shows control characters in names as text, and keeps them apart in JSON', () => {
  const name = 'x\u001b]0;owned\u0007\u009b31m\u202egpj.\njpg';
  const visible = 'x\\x1b]0;owned\\x07\\x9b31m\\u202egpj.\\x0ajpg';
  place.put(name, photo);
  const outcomes = [
    place.run(['compress', name, '-n']),
    place.run(['compress', name, '-o', '-'], { maxBuffer: 1e7 }),
    place.run(['compress', name, '-o', '.']),
    place.run(['compress', `missing${name}`, '-n']),
    place.run(['compress', `missing${name}`, '-o', '-']),
  ].map(({ stdout, stderr }) => (stdout.includes('ICS1 ') ? '' : stdout) + stderr);
  for (const said of outcomes) expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  for (const said of outcomes) expect(said).toContain(visible);
  const { stdout } = place.run(['compress', name, '-n', '--json']);
  expect(stdout).not.toContain('\u009b');
  expect(JSON.parse(stdout)).toMatchObject({ input: name });
});
