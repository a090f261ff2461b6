/** `--format`: results in other formats, and the names that they get. `--png-depth`: PNGs of 16 bits. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { Workplace } from '../support/command-line';
import { graphicPng, photoJpeg } from '../support/images';
import { ninePatch, shadow } from '../support/nine-patches';
import { pngOfKind } from '../support/png-types';

let photo: Buffer;
const graphic = graphicPng(120, 90);
beforeAll(async () => (photo = await photoJpeg(160, 120, { quality: 95 })));

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('in/a.JPG', photo);
  place.put('in/sub/b.png', graphic);
});
const files = (folder: string) => (readdirSync(place.path(folder), { recursive: true }) as string[]).sort();
const formatOf = async (name: string) => (await sharp(readFileSync(place.path(name))).metadata()).format;

it('in a folder, each result gets the extension of its format', async () => {
  const { status, stdout, stderr } = place.run(['compress', 'in', '-o', 'out', '--format', 'webp', '--json']);
  expect([status, stderr]).toEqual([0, '']);
  expect(files('out')).toEqual(['a.webp', 'sub', 'sub/b.webp']);
  expect([await formatOf('out/a.webp'), await formatOf('out/sub/b.webp')]).toEqual(['webp', 'webp']);
  const outputs = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { output: string }).output);
  expect(outputs.sort()).toEqual(['out/a.webp', 'out/sub/b.webp']);
});

it('--png-depth 8 rounds PNGs of 16 bits, and a second run with another depth starts again', () => {
  const kind = { colourType: 2, bitDepth: 16, isInterlaced: false, hasTransparentColour: false } as const;
  place.put('deep.png', pngOfKind(kind, 120, 90));
  const depthAfter = (...options: string[]) => {
    const { status, stderr } = place.run(['compress', 'deep.png', '-o', 'out.png', ...options]);
    expect([status, stderr]).toEqual([0, '']);
    return readFileSync(place.path('out.png'))[24];
  };
  expect([depthAfter(), depthAfter('--png-depth', '8'), depthAfter('--png-depth', 'keep')]).toEqual([
    16, 8, 16,
  ]);
});

it('the table at the end counts results in every format', () => {
  const { stdout, stderr } = place.run(['compress', 'in', '-o', 'out', '--format', 'webp']);
  expect(`${stdout}${stderr}`).toMatch(/^WebP +2 .*\ntotal +2 /m);
});

it('a format that the file has already leaves its name alone', () => {
  place.run(['compress', 'in', '-o', 'out', '--format', 'same,jpeg']);
  expect(files('out').slice(0, 1)).toEqual(['a.JPG']);
});

it('-o NAME is the name, also of one file', async () => {
  const { status } = place.run(['compress', 'in/a.JPG', '-o', 'out.avif', '--format', 'avif']);
  expect(status).toBe(0);
  expect(await formatOf('out.avif')).toBe('heif');
});

it.each([
  ['avif', 'avif'],
  ['auto', 'avif'],
  ['webp,avif', 'webp'],
])('with %s, files that would get the same name are an error before anything is written', (format, name) => {
  place.put('in/a.png', graphic);
  const { status, stderr } = place.run(['compress', 'in', '-o', 'out', '--format', format]);
  expect(status).toBe(1);
  expect(stderr).toMatch(
    `in/a.JPG and in/a.png would both be written to out/a.${name}. Rename one of them, or run`,
  );
  expect(existsSync(place.path('out'))).toBe(false);
});

it.each([
  ['an option', ['--format', 'avif'], {}],
  ['a setting', [], { FORMAT: 'avif' }],
])('--in-place with %s is wrong usage, and changes nothing', (_, options, env) => {
  const { status, stderr } = place.run(['compress', 'in', '--in-place', ...options], { env });
  expect([status, stderr]).toEqual([2, expect.stringContaining('cannot change their format')]);
  expect(readFileSync(place.path('in/a.JPG')).equals(photo)).toBe(true);
});

it('FORMAT is the default of --format, for the names too', () => {
  expect(place.run(['compress', 'in', '-o', 'out'], { env: { FORMAT: 'webp' } }).status).toBe(0);
  expect(files('out')).toEqual(['a.webp', 'sub', 'sub/b.webp']);
});

it('a second run finds everything up to date, and another format compresses again', () => {
  const run = (format: string) =>
    place
      .run(['compress', 'in', '-o', 'out', '--format', format, '--json'])
      .stdout.trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { upToDate?: boolean }).upToDate ?? false);
  expect(run('webp')).toEqual([false, false]);
  expect(run('webp')).toEqual([true, true]);
  expect(run('avif')).toEqual([false, false]);
  expect(files('out')).toEqual(['a.avif', 'a.webp', 'sub', 'sub/b.avif', 'sub/b.webp']);
});

it('an unknown format is wrong usage and names what there is', () => {
  const { status, stderr } = place.run(['compress', 'in', '-o', 'out', '--format', 'gif']);
  expect([status, stderr]).toEqual([2, expect.stringMatching(/--format.*jpeg, png, webp, avif/)]);
});

it('`check` measures results in other formats, and still takes the form of its report', () => {
  const { stdout } = place.run(['check', 'in', '--format', 'webp', '--json']);
  expect(stdout).toMatch(/"input":"in\/a.JPG","format":"webp"/);
  expect(place.run(['check', 'in', '--format', 'json']).stdout).toMatch(
    /"input":"in\/a.JPG","format":"jpeg"/,
  );
});

it('the extension of -o chooses the format', async () => {
  expect(place.run(['compress', 'in/a.JPG', '-o', 'out.webp']).status).toBe(0);
  expect(await formatOf('out.webp')).toBe('webp');
  expect(place.run(['compress', '-', '-o', 'stream.webp'], { input: photo }).status).toBe(0);
  expect(await formatOf('stream.webp')).toBe('webp');
  expect(place.run(['compress', 'in/a.JPG', '-o', 'list.webp', '--format', 'avif,webp']).status).toBe(0);
  expect(await formatOf('list.webp')).toBe('webp');
  const { status, stderr } = place.run(['compress', 'in/a.JPG', '-o', 'out.avif', '--format', 'webp']);
  expect([status, stderr]).toEqual([2, 'Choose one: out.avif is named like AVIF, and --format is webp.\n']);
});

it('a nine-patch is neither scaled nor converted, and the other images are', () => {
  place.put('in/button.9.png', ninePatch(120, 80, shadow));
  const scaled = place.run(['compress', 'in', '-o', 'out', '--max-dimension', '60']);
  expect([scaled.status, scaled.stderr]).toEqual([
    1,
    expect.stringMatching(/button\.9\.png: The image cannot be scaled.* Raise --max-dimension/),
  ]);
  expect(files('out')).toEqual(['a.JPG', 'sub', 'sub/b.png']);
  const { stderr } = place.run(['compress', 'in/button.9.png', '-o', 'out', '--format', 'webp']);
  expect(stderr).toMatch(/The image cannot be converted: it is an Android nine-patch.* Use --format same/);
});
