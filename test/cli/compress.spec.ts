import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { decodeIndependently, graphicPng, photoJpeg, rmse } from '../support/images';
import { eventually } from '../support/eventually';
import { jsonLines, Workplace } from '../support/command-line';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(320, 240)));

let place: Workplace;
beforeEach(() => (place = new Workplace()));

it('writes what the service would deliver, and says what it did', () => {
  place.put('in.jpg', photo);
  const { status, stdout } = place.run(['compress', 'in.jpg', '-o', 'out.jpg', '--json']);
  const written = readFileSync(place.path('out.jpg'));
  const [report] = jsonLines(stdout);
  expect(status).toBe(0);
  expect(Object.keys(report).sort()).toEqual(
    (
      'bytesSaved compressedSize format height input ms originalHeight originalSize originalWidth output ' +
      'quality skipped ssim width'
    ).split(' '),
  );
  expect(report).toMatchObject({
    input: 'in.jpg',
    output: 'out.jpg',
    originalSize: photo.length,
    compressedSize: written.length,
    bytesSaved: photo.length - written.length,
    skipped: false,
    originalWidth: 320,
    originalHeight: 240,
    width: 320,
    height: 240,
  });
  expect(Number(report['ssim'])).toBeGreaterThanOrEqual(0.9914);
  expect(rmse(decodeIndependently(photo), decodeIndependently(written))).toBeLessThan(6);
});

it('keeps the structure of a folder, passes over what is no image, and leaves the sources alone', () => {
  place.put('photos/a.jpg', photo);
  place.put('photos/deep/er/b.png', graphic);
  place.put('photos/picture-without-a-suffix', graphic);
  place.put('photos/notes.jpg', 'these are words');
  place.put('photos/.hidden/c.png', graphic);
  symlinkSync(place.path('photos/a.jpg'), place.path('photos/link.jpg'));
  const { status, stdout } = place.run(['compress', 'photos', '-o', 'web']);
  expect(status).toBe(0);
  expect(place.files().filter((name) => /^web.*[a-z]\.\w+$|^web.*suffix$/.test(name))).toEqual([
    'web/a.jpg',
    'web/deep/er/b.png',
    'web/picture-without-a-suffix',
  ]);
  expect(readFileSync(place.path('photos/a.jpg'))).toEqual(photo);
  expect(stdout).toMatch(/JPG +1 .*\nPNG +2 .*\ntotal +3 /);
  expect(stdout).toMatch(/Skipped, no JPG or PNG: 1\./);
});

it('names files in a folder that are called like images and are none', () => {
  place.put('photos/a.png', graphic);
  place.put('photos/deep/form.JPG', '%PDF-1.7\n');
  place.put('photos/notes.txt', 'these are words');
  const sentence = 'The file is neither a JPG nor a PNG but a PDF, judging by its first bytes.';
  const { status, stdout } = place.run(['compress', 'photos', '-o', 'web']);
  expect(status).toBe(0);
  expect(stdout).toContain(`photos/deep/form.JPG: skipped. ${sentence}\n`);
  expect(stdout).not.toContain('notes.txt');
  const json = place.run(['compress', 'photos', '-o', 'web', '--json']);
  expect([json.status, json.stderr]).toEqual([0, '']);
  expect(jsonLines(json.stdout).find(({ input }) => input === 'photos/deep/form.JPG')).toEqual({
    input: 'photos/deep/form.JPG',
    skipped: true,
    skipReason: 'not-an-image',
    message: sentence,
  });
});

it('takes patterns, and does not compress its own results again', () => {
  place.put('photos/a/one.png', graphic);
  place.put('photos/two.jpg', photo);
  place.run(['compress', 'photos/**/*.png', '-o', 'photos/small']);
  expect(existsSync(place.path('photos/small/a/one.png'))).toBe(true);
  const { stdout } = place.run(['compress', 'photos', '-o', 'photos/small', '--json']);
  const inputs = jsonLines(stdout).map(({ input }) => input);
  expect(inputs.sort()).toEqual(['photos/a/one.png', 'photos/two.jpg']);
});

it('in place: keeps times and mode, and does not touch what cannot gain', () => {
  place.put('a.jpg', photo);
  chmodSync(place.path('a.jpg'), 0o640);
  utimesSync(place.path('a.jpg'), 1_500_000_000, 1_500_000_000);
  const before = statSync(place.path('a.jpg'));
  expect(place.run(['compress', '--in-place', 'a.jpg']).status).toBe(0);
  const after = statSync(place.path('a.jpg'));
  expect(after.size).toBeLessThan(photo.length);
  expect([after.mode, after.mtimeMs]).toEqual([before.mode, before.mtimeMs]);
  expect(place.run(['compress', '--in-place', '--force', 'a.jpg']).stdout).toMatch(
    /unchanged \(already optimised\)/,
  );
  expect(statSync(place.path('a.jpg')).ino).toBe(after.ino);
  expect(place.files()).toEqual(['a.jpg']);
});

describe('-o', () => {
  it.each([
    ['of one image, where there is nothing of that name, is a folder', 'web', 'web/a.png'],
    ['with a slash at the end is a folder', 'web/', 'web/a.png'],
    ['may be a folder in a new folder', 'deep/er', 'deep/er/a.png'],
    ['with the extension of an image is a file', 'b.png', 'b.png'],
    ['may be a file in a new folder, whatever its name', 'v1.2/b.png', 'v1.2/b.png'],
  ])('%s: %s', (_, output, written) => {
    place.put('a.png', graphic);
    expect(place.run(['compress', 'a.png', '-o', output]).status).toBe(0);
    expect(statSync(place.path(written)).isFile()).toBe(true);
  });

  it('of an existing file without an extension replaces that file', () => {
    place.put('a.png', graphic);
    place.put('web', 'an earlier result');
    expect(place.run(['compress', 'a.png', '-o', 'web']).status).toBe(0);
    expect(statSync(place.path('web')).isFile()).toBe(true);
  });
});

it('copies what cannot gain to another folder, with its time', () => {
  place.put('a.png', graphic);
  place.run(['compress', '--in-place', 'a.png']);
  utimesSync(place.path('a.png'), 1_500_000_000, 1_500_000_000);
  place.run(['compress', 'a.png', '-o', 'out/']);
  expect(readFileSync(place.path('out/a.png'))).toEqual(readFileSync(place.path('a.png')));
  expect(statSync(place.path('out/a.png')).mtimeMs).toBe(1_500_000_000_000);
});

it('--dry-run does all the work and writes nothing', () => {
  place.put('a.jpg', photo);
  place.put('b.png', graphic);
  const { status, stdout } = place.run(['compress', '--dry-run', 'a.jpg', 'b.png']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/would be saved; nothing was written/);
  expect(readFileSync(place.path('a.jpg'))).toEqual(photo);
  expect(place.files()).toEqual(['a.jpg', 'b.png']);
});

it('takes the settings of the service as options', () => {
  place.put('a.jpg', photo);
  const size = (...options: string[]) =>
    Number(
      jsonLines(place.run(['compress', 'a.jpg', '-n', '--json', ...options]).stdout)[0]['compressedSize'],
    );
  expect(size('--quality', 'low')).toBeLessThan(size('--quality', 'very-high'));
});

it('reads standard input and writes standard output', () => {
  place.put('a.jpg', photo);
  const { status, bytes, stderr } = place.run(['compress', '-'], { input: photo });
  expect(status).toBe(0);
  expect(stderr).toMatch(/^standard input: \d+ -> \d+ bytes/);
  expect(rmse(decodeIndependently(photo), decodeIndependently(bytes))).toBeLessThan(6);
  expect(place.run(['compress', 'a.jpg', '-o', '-']).bytes).toEqual(bytes);
  expect(place.run(['compress', '-', '-o', 'b.jpg', '--json'], { input: photo }).status).toBe(0);
  expect(readFileSync(place.path('b.jpg'))).toEqual(bytes);
});

it('--jobs compresses as many images at a time', () => {
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) place.put(name, photo);
  const { status, stdout, stderr } = place.run(['compress', '--jobs', '2', 'a.jpg', 'b.jpg', 'c.jpg', '-n']);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/JPG +3 /);
  expect(place.run(['compress', '--jobs', 'two', 'a.jpg', '-n']).status).toBe(2);
});

describe('interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s it leaves whole files only, no workers, and ends with %i', async (signal, status) => {
    const large = await photoJpeg(1600, 1200);
    for (let i = 0; i < 12; i++) place.put(`photos/${i}.jpg`, large);
    const child = place.start(['compress', '--in-place', 'photos', '--jobs', '2']);
    let stderr = '';
    child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()));
    await once(child.stdout!, 'data');
    const workers = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
    const pids = workers.stdout.trim().split(/\s+/).map(Number);
    expect(pids).toHaveLength(2);
    child.kill(signal);
    // Not `exit`: words may still be on their way then.
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(status);
    expect(stderr).toMatch(/Interrupted: \d+ of 12 done\. Run the same command again for the rest\./);
    expect(readdirSync(place.path('photos'))).toHaveLength(12);
    const sizes = readdirSync(place.path('photos')).map((name) => {
      const bytes = readFileSync(place.path(`photos/${name}`));
      // Those that were not reached are as before.
      if (!bytes.equals(large)) expect(decodeIndependently(bytes).width).toBe(1600);
      return bytes.length;
    });
    expect(sizes.filter((size) => size < large.length).length).toBeLessThan(12);
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });
});

function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  // A zombie waits for init to take note; it does nothing any more.
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
