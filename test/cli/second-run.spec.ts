import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphicPng, photoJpeg } from '../support/images';
import { jsonLines, Workplace } from '../support/command-line';

let photo: Buffer;
let otherPhoto: Buffer;
const place = Workplace.forCalls();
beforeAll(async () => {
  photo = await photoJpeg(160, 120);
  otherPhoto = await photoJpeg(120, 160);
});
beforeEach(() => {
  place.put('photos/a.jpg', photo);
  place.put('photos/b.png', graphicPng(64, 64));
});

const both = ['photos/a.jpg', 'photos/b.png'];
async function done(args: string) {
  const { status, stdout, stderr } = await place.call(`compress ${args} --json`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return jsonLines(stdout)
    .filter(({ upToDate }) => upToDate !== true)
    .map(({ input }) => input);
}
it('does nothing again and reports the same, but for other options, --force and --dry-run', async () => {
  const lines = async () =>
    jsonLines((await place.call('compress photos -o web --json')).stdout).map(({ upToDate, ...line }) => [
      upToDate,
      { ...line, ms: 0 },
    ]);
  const first = await lines();
  const { ino } = statSync(place.path('web/a.jpg'));
  expect(await lines()).toEqual(first.map(([, line]) => [true, line]));
  expect(statSync(place.path('web/a.jpg')).ino).toBe(ino);
  expect((await place.call('compress photos -o web')).stdout).toBe('Already up to date: 2.\n');
  expect(await done('photos -o web --quality low')).toEqual(both);
  expect(await done('photos -o web --quality low')).toEqual([]);
  expect(await done('photos -o web --force')).toEqual(both);
  expect(await done('photos -o web --dry-run')).toEqual(both);
});

it('keeps its memory in no folder of the images, also where XDG_CACHE_HOME is relative', () => {
  const env = { XDG_CACHE_HOME: 'photos', HOME: place.path('home') };
  expect(place.run(['compress', 'photos', '-o', 'web'], { env }).status).toBe(0);
  expect(place.files('photos')).toEqual(['a.jpg', 'b.png']);
});

it('does nothing again in place, also where there was nothing to gain', async () => {
  expect(await done('--in-place photos')).toEqual(both);
  expect(await done('--in-place photos')).toEqual([]);
});

it('does what is missing or has changed, and nothing else', async () => {
  await done('photos -o web');
  const changes = [
    () => place.put('photos/a.jpg', otherPhoto),
    () => rmSync(place.path('web/a.jpg')),
    () => place.put('web/a.jpg', photo.subarray(0, 99)),
  ];
  for (const change of changes) {
    change();
    const source = place.read('photos/a.jpg');
    expect(await done('photos -o web')).toEqual(['photos/a.jpg']);
    expect(place.read('photos/a.jpg')).toEqual(source);
  }
});

it('remembers no names, and does the work again after anything else is in the file', async () => {
  const file = join(place.cache, 'image-compression-service', 'results.txt');
  await done('photos -o web');
  const whole = readFileSync(file, 'utf8');
  expect(whole).not.toMatch(/photos|a\.jpg|b\.png/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const text of [whole.slice(0, 60), whole.replace(/"resultDigest/g, '"else'), '\u0000'.repeat(500)]) {
    writeFileSync(file, text);
    expect(await done('photos -o web')).toEqual(both);
  }
  writeFileSync(file, `${readFileSync(file, 'utf8')}half a rec`);
  expect(await done('photos -o web')).toEqual([]);
  rmSync(file);
  place.put('other.txt', '');
  symlinkSync(place.path('other.txt'), file);
  await done('photos -o web --force');
  expect(place.text('other.txt')).toBe('');
  rmSync(place.cache, { recursive: true });
  writeFileSync(place.cache, 'a file where a folder is wanted');
  expect(await done('photos -o web')).toEqual(both);
});
