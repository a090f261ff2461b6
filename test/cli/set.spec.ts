import { rmSync, statSync, symlinkSync } from 'node:fs';
import type { SetDescription } from '../../src/sets/make-set';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { expectEnd, expectSuccess } from '../support/ended';
import { animationOf, FOUR_FRAMES } from '../support/animations';
import { jsonLines, Workplace } from '../support/command-line';
import { graphicPng, photoJpeg } from '../support/images';
import { darkPicture, ninePatch } from '../support/nine-patches';
import { directorySegment, GAIN_MAP_KINDS, multiPicture, smallPicture } from '../support/phone-files';

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(320, 240)));

const place = Workplace.forCalls();
beforeEach(() => {
  place.put('photo.jpg', photo);
});
const set = (args: string) => place.call(`set ${args} --effort fast`);
const described = () => place.json('web/set.json') as Record<string, SetDescription>;

it('makes every size in every format, and ends with that of the image in place of larger ones', async () => {
  const stdout = expectSuccess(await set('photo.jpg -o web --widths 120,240,900 --format webp,same'));
  const files = [120, 240, 320].flatMap((width) => [`photo-${width}.jpg`, `photo-${width}.webp`]);
  expect(place.files('web')).toEqual([...files, 'set.json']);
  expect(stdout).toMatch(/^web\/photo-120\.webp: \d+ bytes, 120x90, score 0\.99\d\d$/m);
  expect(stdout).toMatch(/^photo\.jpg: a width of 900 px is left out/m);
  expect(stdout).toMatch(/^6 files made, /m);
  const { photo: description } = described();
  expect(description.leftOut).toEqual([{ width: 900, density: 1 }]);
  expect(description.markup).toContain(
    'photo-320.jpg 320w" sizes="(min-width: 320px) 320px, 100vw" width="320"',
  );
  for (const { name, bytes } of description.files)
    expect(statSync(place.path(`web/${name}`)).size).toBe(bytes);
});

it('makes many files without a warning of Node.js', async () => {
  const widths = Array.from({ length: 12 }, (_, i) => 40 + i);
  expectSuccess(await set(`photo.jpg -o web --widths ${widths.join(',')}`));
});

it('a second run makes only what is missing, and keeps the sets of other images', async () => {
  const command = 'photo.jpg -o web --width 120 --densities 1,2 --format webp,same --json';
  const made = async (args: string) =>
    jsonLines((await set(args)).stdout).flatMap(({ output }) => (output === undefined ? [] : [output]));
  expect(await made(command)).toHaveLength(4);
  const first = described();
  expect(await made(command)).toEqual([]);
  expect((await set(command)).stdout).toContain('{"totals":{"files":0,"upToDate":4,"bytes":0,"failed":0}}');
  rmSync(place.path('web/photo-120@2x.webp'));
  expect(await made(command)).toEqual(['web/photo-120@2x.webp']);
  expect(described()).toEqual(first);
  place.put('other.png', graphicPng(200, 150));
  expect(await made(command.replace('photo.jpg', 'other.png'))).toHaveLength(2);
  expect(Object.keys(described())).toEqual(['photo', 'other']);
  expect(await made(`${command} --force`)).toHaveLength(4);
});

it('--html says on standard error which widths it left out', async () => {
  const { stdout, stderr } = await set('photo.jpg -o web --widths 120,900 --html');
  expect(stdout).toMatch(/^<img/);
  expect(stderr).toMatch(/^photo\.jpg: a width of 900 px is left out: .*\n$/);
});

it('--html prints the markup, with a placeholder that a second run keeps', async () => {
  const options = ['--html', '--placeholder', 'colour', '--effort', 'fast', '--alt', 'A "lake"'];
  const run = () => place.call(['set', 'photo.jpg', '-o', 'web', '--widths', '120', ...options]);
  const { stdout } = expectEnd(
    await run(),
    0,
    /^<img src="photo-120\.jpg" srcset="photo-120\.jpg 120w" sizes="[^"]+" width="120" height="90" alt="A &quot;lake&quot;" style="background:#[0-9a-f]{6}">\n$/,
    'stdout',
  );
  expect((await run()).stdout).toBe(stdout);
});

it('keeps the folders of a folder, and goes on after an image that fails', async () => {
  place.put('in/a/b.jpg', photo);
  place.put('in/broken.png', graphicPng(40, 30).subarray(0, 60));
  expectEnd(await set('in -o web --widths 100'), 1, /^in\/broken\.png: /m);
  expect(place.files('web')).toEqual(['a', 'a/b-100.jpg', 'set.json']);
  expect(Object.keys(described())).toEqual(['a/b']);
});

it.each([
  ['without sizes', '', /--widths must be given/],
  ['with both', '--widths 100 --width 100', /--width cannot be combined/],
  ['with a wrong width', '--widths 100,x', /--widths is a list of numbers/],
  ['with --html and --json', '--widths 100 --html --json', /Choose one/],
])('%s it is wrong usage', async (_, options, words) => {
  expectEnd(await set(`photo.jpg -o web ${options}`.trim()), 2, words);
});

it('--format auto keeps the format of images that a conversion would harm, with a note', async () => {
  const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
  const hdr = withSegments(photo, [directorySegment('GainMap', map.length)]);
  place.put('in/hdr.jpg', multiPicture(hdr, [{ picture: map, type: 0 }]));
  place.put('in/moving.png', animationOf({ frames: FOUR_FRAMES }));
  place.put('in/patch.png', ninePatch(60, 40, darkPicture));
  const stdout = expectSuccess(await set('in -o web --widths 40 --format auto'));
  expect(place.files('web')).toEqual(['hdr-40.jpg', 'moving-120.png', 'patch-60.png', 'set.json']);
  expect(stdout).toContain('moving was not made as AVIF: it is animated.\n');
  expect(described()['hdr'].notes).toEqual([
    'hdr was not made as AVIF: it would lose data such as a gain map, or its colours.',
    'hdr was not made as WebP: it would lose data such as a gain map, or its colours.',
  ]);
});

it('takes a backslash as part of a name, and any name as a key', async () => {
  place.put('in/a\\..\\..\\up.png', graphicPng(40, 30));
  place.put('in/__proto__.png', graphicPng(40, 30));
  expectSuccess(await set('in -o web --widths 20'));
  expect(place.files('web')).toEqual(['__proto__-20.png', 'a\\..\\..\\up-20.png', 'set.json']);
  expect(Object.keys(described()).sort()).toEqual(['__proto__', 'a\\..\\..\\up']);
});

it('writes no two files of one name, and replaces none of the images that were named', async () => {
  place.put('photo.png', graphicPng(40, 30));
  expectEnd(await set('photo.jpg photo.png -o web --widths 20'), 1, /would have the same files/);
  place.put('photo-120.jpg', photo);
  const { stdout } = expectEnd(
    await set('photo.jpg photo-120.jpg -o . --widths 120'),
    1,
    /^photo-120\.jpg: This is one of the files that are read/,
  );
  expect(stdout).toContain('photo-120-120.jpg: ');
  expect(place.read('photo-120.jpg')).toEqual(photo);
});

it('says that set.json cannot be written, and reads none behind a link', async () => {
  place.put('web/set.json/file', 'in the way');
  const { status, stderr } = await set('photo.jpg -o web --widths 120');
  expect([status, stderr]).toEqual([
    1,
    'web/set.json: There is a folder with this name. Choose another output with -o.\n1 could not be made.\n',
  ]);
  rmSync(place.path('web/set.json'), { recursive: true });
  place.put('elsewhere/set.json', '{"other": {}}');
  symlinkSync('../elsewhere/set.json', place.path('web/set.json'));
  expectEnd(await set('photo.jpg -o web --widths 120'), 1, /^web\/set\.json: This is a symbolic link/);
  expect(place.text('elsewhere/set.json')).toBe('{"other": {}}');
});
