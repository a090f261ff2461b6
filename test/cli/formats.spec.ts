import { existsSync } from 'node:fs';
import sharp from 'sharp';
import { expectEnd, expectSuccess } from '../support/ended';
import { jsonLines, Workplace } from '../support/command-line';
import { graphicPng, photoJpeg, rawImage, texturedPixels } from '../support/images';
import { ninePatch, shadow } from '../support/nine-patches';

let photo: Buffer;
const graphic = graphicPng(120, 90);
beforeAll(async () => (photo = await photoJpeg(160, 120, { quality: 95 })));

const place = Workplace.forCalls();
beforeEach(() => {
  place.put('in/a.JPG', photo);
  place.put('in/sub/b.png', graphic);
});
const compress = (args: string, env: NodeJS.ProcessEnv = {}) => place.call(`compress ${args}`, env);
const formatOf = async (name: string) => (await sharp(place.read(name)).metadata()).format;

it('in a folder, each result gets the extension of its format, also in a second run', async () => {
  const stdout = expectSuccess(await compress('in -o out --format webp --json'));
  expect(place.files('out')).toEqual(['a.webp', 'sub', 'sub/b.webp']);
  expect([await formatOf('out/a.webp'), await formatOf('out/sub/b.webp')]).toEqual(['webp', 'webp']);
  expect(jsonLines(stdout).map(({ output }) => output)).toEqual(['out/a.webp', 'out/sub/b.webp']);
  expect((await compress('in -o out --format webp')).stdout).toBe('Already up to date: 2.\n');
  expect((await compress('in -o out --format avif')).stdout).toMatch(/^AVIF +2 .*\ntotal +2 /m);
  expect(place.files('out')).toEqual(['a.avif', 'a.webp', 'sub', 'sub/b.avif', 'sub/b.webp']);
});

it('FORMAT is the default, and a format that the file has already leaves its name alone', async () => {
  expectSuccess(await compress('in -o out', { FORMAT: 'same,jpeg' }));
  expect(place.files('out')[0]).toBe('a.JPG');
});

it('the extension of -o chooses the format', async () => {
  expectSuccess(await compress('in/a.JPG -o out.webp', { FORMAT: 'avif' }));
  expect(await formatOf('out.webp')).toBe('webp');
  expectSuccess(await compress('in/a.JPG -o list.webp --format avif,webp'));
  expect(await formatOf('list.webp')).toBe('webp');
  expect(place.run(['compress', '-', '-o', 'stream.webp'], { input: photo }).status).toBe(0);
  expect(await formatOf('stream.webp')).toBe('webp');
  const { status, stderr } = await compress('in/a.JPG -o out.avif --format webp');
  expect([status, stderr]).toEqual([2, 'Choose one: out.avif is named like AVIF, and --format is webp.\n']);
});

it.each([
  ['auto', 'avif'],
  ['webp,avif', 'webp'],
])('with %s, two files of one name are an error before anything is written', async (format, name) => {
  place.put('in/a.png', graphic);
  const { status, stderr } = await compress(`in -o out --format ${format}`);
  const both = `in/a.JPG and in/a.png would both be written to out/a.${name}. Rename one of them, or run`;
  expect([status, stderr]).toEqual([1, expect.stringContaining(both)]);
  expect(existsSync(place.path('out'))).toBe(false);
});

it.each([
  ['--in-place with an option', 'in --in-place --format avif', {}, /cannot change their format/],
  ['--in-place with a setting', 'in --in-place', { FORMAT: 'avif' }, /cannot change their format/],
])('%s is wrong usage, and changes nothing', async (_, args, env, message) => {
  expectEnd(await compress(args, env), 2, message);
  expect(place.read('in/a.JPG')).toEqual(photo);
});

it('`check` measures results in other formats, and still takes the form of its report', async () => {
  const format = async (args: string) =>
    jsonLines((await place.call(`check in/a.JPG ${args}`)).stdout)[0]['format'];
  expect(await format('--format webp --json')).toBe('webp');
  expect(await format('--format json')).toBe('jpeg');
});

it('a nine-patch is neither scaled nor converted, and the other images are', async () => {
  place.put('in/button.9.png', ninePatch(120, 80, shadow));
  expectEnd(
    await compress('in -o out --max-dimension 60'),
    1,
    /button\.9\.png: The image cannot be converted: it is an Android nine-patch/,
  );
  expect(place.files('out')).toEqual(['a.JPG', 'sub', 'sub/b.png']);
  const { stderr } = await compress('in/button.9.png -o out --format webp');
  expect(stderr).toMatch(/The image cannot be converted: it is an Android nine-patch.* Use --format same/);
});

it('says what a photo in a PNG would take as a JPG, and leaves it a PNG', async () => {
  place.put('photo.png', await rawImage(texturedPixels(320, 240)).png().toBuffer());
  const { stdout } = await compress('photo.png -o out.png');
  expect(stdout).toMatch(/^photo\.png: .*, as a JPG this would be about \d+\.\d kB, \d+ ms$/m);
  expect(await formatOf('out.png')).toBe('png');
  const [{ jpegEstimate, compressedSize }] = jsonLines((await compress('out.png -n --json')).stdout);
  expect(Number(jpegEstimate)).toBeLessThan(Number(compressedSize));
});
