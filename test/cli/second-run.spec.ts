/** A second run of the same command does only what is missing or changed. */
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { graphicPng, photoJpeg } from '../support/images';
import { Workplace } from '../support/command-line';

let photo: Buffer;
let otherPhoto: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => {
  photo = await photoJpeg(320, 240);
  otherPhoto = await photoJpeg(240, 320);
});

let place: Workplace;
function filled(): Workplace {
  const folder = new Workplace();
  folder.put('photos/a.jpg', photo);
  folder.put('photos/b.png', graphic);
  return folder;
}
beforeEach(() => (place = filled()));

/** Inputs that were compressed, and those that needed nothing. */
function run(...args: string[]) {
  const { status, stdout, stderr } = place.run(['compress', ...args, '--json']);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { input: string; upToDate?: boolean });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const inputs = (isUpToDate: boolean) =>
    lines.filter(({ upToDate }) => (upToDate ?? false) === isUpToDate).map(({ input }) => input);
  return { done: inputs(false).sort(), upToDate: inputs(true).sort(), lines };
}
const both = ['photos/a.jpg', 'photos/b.png'];
const toWeb = ['photos', '-o', 'web'];

it('to a folder: does nothing again, and reports the same', () => {
  const first = run(...toWeb);
  const before = statSync(place.path('web/a.jpg'));
  const second = run(...toWeb);
  expect([first.done, second.done, second.upToDate]).toEqual([both, [], both]);
  expect(statSync(place.path('web/a.jpg')).ino).toBe(before.ino);
  const comparable = (line: object) => ({ ...line, ms: 0, upToDate: false });
  const sorted = (lines: typeof first.lines) =>
    [...lines].sort((a, b) => (a.input < b.input ? -1 : 1)).map(comparable);
  expect(sorted(second.lines)).toEqual(sorted(first.lines));
});

it('in place: does nothing again, also where there was nothing to gain', () => {
  run('--in-place', 'photos');
  expect(run('--in-place', 'photos')).toMatchObject({ done: [], upToDate: both });
});

describe('after a first run', () => {
  let kept: Workplace;
  beforeAll(() => {
    kept = place = filled();
    run(...toWeb);
  });
  beforeEach(() => (place = kept));

  it.each([
    ['a source that has changed', () => writeFileSync(place.path('photos/a.jpg'), otherPhoto)],
    ['a result that is missing', () => rmSync(place.path('web/a.jpg'))],
    ['a result that was cut off', () => writeFileSync(place.path('web/a.jpg'), photo.subarray(0, 99))],
    [
      'a result that is a link now',
      () => {
        rmSync(place.path('web/a.jpg'));
        symlinkSync(place.path('photos/a.jpg'), place.path('web/a.jpg'));
      },
    ],
  ])('does %s, and nothing else', (_, change) => {
    change();
    const source = readFileSync(place.path('photos/a.jpg'));
    expect(run(...toWeb)).toMatchObject({ done: ['photos/a.jpg'], upToDate: ['photos/b.png'] });
    // A link is replaced by a file; what it leads to keeps its bytes.
    expect(lstatSync(place.path('web/a.jpg')).isFile()).toBe(true);
    expect(readFileSync(place.path('photos/a.jpg')).equals(source)).toBe(true);
    expect(readFileSync(place.path('web/a.jpg')).length).toBeLessThan(source.length);
  });

  it('says in words how many were up to date', () => {
    expect(place.run(['compress', ...toWeb]).stdout).toBe('Already up to date: 2.\n');
  });
});

it('does everything with other options, with --force, and in a dry run', () => {
  run(...toWeb);
  expect(run(...toWeb, '--quality', 'low').done).toEqual(both);
  expect(run(...toWeb, '--quality', 'low').done).toEqual([]);
  expect(run(...toWeb).done).toEqual(both);
  expect(run(...toWeb, '--force').done).toEqual(both);
  expect(run(...toWeb, '--dry-run').done).toEqual(both);
});

describe('what is remembered', () => {
  const file = () => join(place.cache, 'image-compression-service', 'results.txt');

  it('names no files, and is for its owner only', () => {
    run(...toWeb);
    expect(readFileSync(file(), 'utf8')).not.toMatch(/photos|a\.jpg|b\.png/);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('may be torn or foreign: the work is done again', () => {
    run(...toWeb);
    const whole = readFileSync(file(), 'utf8');
    for (const text of [whole.slice(0, 60), whole.replace(/"resultDigest/g, '"else'), '\u0000'.repeat(500)]) {
      writeFileSync(file(), text);
      expect(run(...toWeb).done).toEqual(both);
    }
    appendFileSync(file(), 'half a rec');
    expect(run(...toWeb).done).toEqual([]);
  });

  it('is not written through a link', () => {
    run(...toWeb);
    rmSync(file());
    place.put('other.txt', '');
    symlinkSync(place.path('other.txt'), file());
    run(...toWeb, '--force');
    expect(readFileSync(place.path('other.txt'), 'utf8')).toBe('');
  });

  it('is missing where nothing can be kept, and all goes on', () => {
    rmSync(place.cache, { recursive: true });
    writeFileSync(place.cache, 'a file where a folder is wanted');
    expect(run(...toWeb).done).toEqual(both);
    expect(readdirSync(place.path('web')).sort()).toEqual(['a.jpg', 'b.png']);
    chmodSync(place.cache, 0o600);
  });
});
