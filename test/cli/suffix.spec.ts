/** `compress --suffix`: results beside their files, or elsewhere, under names of their own. */
import { existsSync, readdirSync } from 'node:fs';
import { photoJpeg } from '../support/images';
import { Workplace } from '../support/command-line';

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(160, 120)));

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  for (const name of ['in/a.jpg', 'in/b.min.jpg', 'in/sub/c.JPG', 'in/plain']) place.put(name, photo);
});

const compress = (...args: string[]) => place.run(['compress', ...args]);
const names = (folder: string) => readdirSync(place.path(folder), { recursive: true }).map(String).sort();

it('puts results beside their files, and does not compress them the next time', () => {
  expect(compress('in', '--suffix', '.min').status).toBe(0);
  const after = [
    'a.jpg',
    'a.min.jpg',
    'b.min.jpg',
    // b.jpg does not exist, so b.min.jpg is no result.
    'b.min.min.jpg',
    'plain',
    'plain.min',
    'sub',
    'sub/c.JPG',
    'sub/c.min.JPG',
  ];
  expect(names('in')).toEqual(after);
  const again = compress('in', '--suffix', '.min');
  expect(again.stdout).toContain('Already up to date: 4.');
  expect(names('in')).toEqual(after);
});

it('names results in another folder, and with another format', () => {
  expect(compress('in', '-o', 'out', '--suffix', '-small', '--format', 'webp').status).toBe(0);
  expect(names('out')).toEqual([
    'a-small.webp',
    'b.min-small.webp',
    'plain-small.webp',
    'sub',
    'sub/c-small.webp',
  ]);
});

it('notices that a file without an extension takes the name of another', () => {
  place.put('in/plain.jpg', photo);
  const { status, stderr } = compress('in', '-o', 'out', '--suffix', '.min', '--format', 'webp');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /in\/plain and in\/plain\.jpg would both be written to out\/plain\.min\.webp\. Rename/,
  );
});

it.each([
  [['in', '--in-place', '--suffix', '.min'], 2, /Choose one: --suffix/],
  [['in/a.jpg', '-o', 'x.jpg', '--suffix', '.min'], 2, /Choose one: -o FILE/],
  [['in', '--suffix', '/x'], 2, /without slashes/],
  [['in', '--suffix', ''], 2, /without slashes/],
  [['-', '--suffix', '.min'], 2, /--suffix cannot be used/],
  [['in/a.jpg', 'in/a.min.jpg', '--suffix', '.min'], 1, /in\/a\.min\.jpg would be overwritten/],
])('%j ends with %i', (args, status, message) => {
  if (args.includes('in/a.min.jpg')) place.put('in/a.min.jpg', photo);
  const result = compress(...args);
  expect([result.status, result.stderr]).toEqual([status, expect.stringMatching(message)]);
  expect(existsSync(place.path('in/a.min.jpg'))).toBe(args.includes('in/a.min.jpg'));
});
