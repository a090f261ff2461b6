import { existsSync, readFileSync } from 'node:fs';
import { photoJpeg } from '../support/images';
import { Workplace } from '../support/command-line';

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(320, 240)));

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('in.jpg', photo);
});

it.each(['5000', '5kB'])('--max-bytes %s: the result fits', (size) => {
  const { status } = place.run(['compress', 'in.jpg', '-o', 'out.jpg', '--max-bytes', size]);
  expect(status).toBe(0);
  expect(readFileSync(place.path('out.jpg')).length).toBeLessThanOrEqual(5000);
});

it('fails an image that cannot fit, says what it takes at least, and writes nothing', () => {
  const { status, stderr } = place.run(['compress', 'in.jpg', '-o', 'out.jpg', '--max-bytes', '50']);
  expect(status).toBe(1);
  expect(stderr).toMatch(/has \d+ bytes, more than the 50 that you asked for\. Raise --max-bytes/);
  expect(existsSync(place.path('out.jpg'))).toBe(false);
});

it('with --allow any writes the smallest result, and says that it does not fit', () => {
  const command = ['compress', 'in.jpg', '--max-bytes', '50', '--allow', 'any'];
  const { status, stdout } = place.run([...command, '-o', 'out.jpg']);
  expect(status).toBe(0);
  expect(stdout).toContain('larger than --max-bytes');
  const written = readFileSync(place.path('out.jpg')).length;
  expect(written).toBeGreaterThan(50);
  expect(JSON.parse(place.run([...command, '--dry-run', '--json']).stdout)).toMatchObject({
    budget: 'missed',
    compressedSize: written,
  });
  expect(written).toBeLessThan(2000);
});

it.each([
  [['--allow', 'any'], 'give both, or leave it out'],
  [['--max-bytes', '5kB', '--allow', 'all'], 'Allowed choices are any'],
])('%j is wrong usage', (options, words) => {
  const { status, stderr } = place.run(['compress', 'in.jpg', '-o', 'out.jpg', ...options]);
  expect(status).toBe(2);
  expect(stderr).toContain(words);
});

it.each(['0', 'small', '200 GB'])('--max-bytes %s is wrong usage', (size) => {
  const { status, stderr } = place.run(['compress', 'in.jpg', '-o', 'out.jpg', '--max-bytes', size]);
  expect(status).toBe(2);
  expect(stderr).toContain('It must be a size');
});
