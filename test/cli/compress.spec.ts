import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { expectEnd, expectSuccess } from '../support/ended';
import { decodeIndependently, graphicPng, photoJpeg, difference } from '../support/images';
import { eventually } from '../support/eventually';
import { jsonLines, Workplace } from '../support/command-line';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(160, 120)));

const place = Workplace.forCalls();
const compress = (args: string, env: NodeJS.ProcessEnv = {}) => place.call(`compress ${args}`, env);

it('writes what the service would deliver, and says what it did', async () => {
  place.put('in.jpg', photo);
  const { status, stdout } = await compress('in.jpg -o out.jpg --json');
  const written = place.read('out.jpg');
  const [report] = jsonLines(stdout);
  expect(status).toBe(0);
  expect(report).toEqual({
    ...{ input: 'in.jpg', output: 'out.jpg', format: 'jpeg', skipped: false },
    ...{ originalWidth: 160, originalHeight: 120, width: 160, height: 120 },
    originalSize: photo.length,
    compressedSize: written.length,
    bytesSaved: photo.length - written.length,
    quality: expect.any(Number) as number,
    ssim: expect.any(Number) as number,
    ms: expect.any(Number) as number,
  });
  expect(report['ssim']).toBeGreaterThanOrEqual(0.9914);
  expect(difference(photo, written)).toBeLessThan(6);
});

it('keeps the structure of a folder, skips files that are not images, and leaves the sources alone', async () => {
  place.put('photos/a.jpg', photo);
  place.put('photos/deep/er/b.png', graphic);
  place.put('photos/picture-without-a-suffix', graphic);
  place.put('photos/notes.txt', 'these are words');
  place.put('photos/deep/form.JPG', '%PDF-1.7\n');
  place.put('photos/.hidden/c.png', graphic);
  symlinkSync(place.path('photos/a.jpg'), place.path('photos/link.jpg'));
  const { status, stdout } = await compress('photos -o web');
  expect(status).toBe(0);
  const structure = 'a.jpg deep deep/er deep/er/b.png picture-without-a-suffix';
  expect(place.files('web').join(' ')).toBe(structure);
  expect(place.read('photos/a.jpg')).toEqual(photo);
  expect(stdout).toMatch(/JPG +1 .*\nPNG +2 .*\ntotal +3 /);
  expect(stdout).toMatch(/Skipped, no JPG, PNG, WebP or AVIF: 2\./);
  const message = 'The file is a PDF, not a JPG, PNG, WebP or AVIF, judging by its first bytes.';
  expect(stdout).toContain(`photos/deep/form.JPG: skipped. ${message}\n`);
  expect(stdout).not.toContain('notes.txt');
  expect(jsonLines((await compress('photos -o web --json')).stdout)).toContainEqual({
    ...{ input: 'photos/deep/form.JPG', skipped: true, skipReason: 'not-an-image', message },
  });
});

it('takes patterns, and does not compress its own results again', async () => {
  place.put('photos/a/one.png', graphic);
  place.put('photos/two.jpg', photo);
  await compress('photos/**/*.png -o photos/small');
  expect(existsSync(place.path('photos/small/a/one.png'))).toBe(true);
  const { stdout } = await compress('photos -o photos/small --json');
  expect(jsonLines(stdout).map(({ input }) => input)).toEqual(['photos/a/one.png', 'photos/two.jpg']);
  expect(stdout).toMatch(/\n\{"totals":\{"images":2,"upToDate":1,"smaller":1,.*,"failed":0\}\}\n$/);
});

it('writes into a folder above the images', async () => {
  place.put('photos/raw/a.png', graphic);
  for (const [typed, results] of [
    ['photos/raw -o photos', 'photos/a.png'],
    ['photos/raw/*.png -o photos/deep/..', 'photos/a.png'],
    ['photos/raw -o .', 'a.png'],
  ]) {
    expectSuccess(await compress(`${typed} --force`));
    expect(existsSync(place.path(results))).toBe(true);
    rmSync(place.path(results));
  }
});

it('says so if a folder has no image', async () => {
  place.put('texts/notes.txt', 'these are words');
  const found = await compress('texts -o web');
  expectSuccess(found);
  expect(found.stdout).toMatch(/^No JPG, .* was found\.\nSkipped, no JPG, .*: 1\.\n$/);
  expect((await compress('texts -o web --json')).stdout).toMatch(
    /^\{"totals":\{"images":0,.*"failed":0\}\}\n$/,
  );
});

it('keeps times and mode in place, and does not touch what cannot gain', async () => {
  place.put('a.jpg', photo);
  chmodSync(place.path('a.jpg'), 0o640);
  utimesSync(place.path('a.jpg'), 1_500_000_000, 1_500_000_000);
  expectSuccess(await compress('--in-place a.jpg'));
  const after = statSync(place.path('a.jpg'));
  expect(after.size).toBeLessThan(photo.length);
  expect([after.mode & 0o777, after.mtimeMs]).toEqual([0o640, 1_500_000_000_000]);
  expect((await compress('--in-place --force a.jpg')).stdout).toMatch(/unchanged \(already optimised\)/);
  expect(statSync(place.path('a.jpg')).ino).toBe(after.ino);
  expect(place.files()).toEqual(['a.jpg']);
  await compress('a.jpg -o out/');
  expect(place.read('out/a.jpg')).toEqual(place.read('a.jpg'));
  expect(statSync(place.path('out/a.jpg')).mtimeMs).toBe(1_500_000_000_000);
});

it.each([
  ['of one image, where there is nothing of that name, is a folder', 'web', 'web/a.png'],
  ['may be a folder in a new folder, with a slash at the end', 'deep/er/', 'deep/er/a.png'],
  ['may be a file in a new folder, whatever its name', 'v1.2/b.png', 'v1.2/b.png'],
  ['of an existing file without an extension replaces that file', 'taken', 'taken'],
])('-o %s: %s', async (_, output, written) => {
  place.put('a.png', graphic);
  place.put('taken', 'an earlier result');
  expectSuccess(await compress(`a.png -o ${output}`));
  expect(place.read(written).subarray(1, 4).toString()).toBe('PNG');
});

it('takes the settings of the service as options, and --jobs', async () => {
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) place.put(name, photo);
  const size = async (options: string) =>
    Number(jsonLines((await compress(`a.jpg -n --json ${options}`)).stdout)[0]['compressedSize']);
  expect(await size('--quality low')).toBeLessThan(await size('--quality very-high'));
  const { stdout, stderr } = await compress('--jobs 2 a.jpg b.jpg c.jpg -n');
  expect([stdout, stderr]).toEqual([expect.stringMatching(/JPG +3 /), '']);
  expect((await compress('--min-savings 5 a.jpg -n')).stderr).toMatch(/^--min-savings was removed; set MIN_/);
});

it('--max-bytes fits each image, or fails it and says what it takes at least', async () => {
  place.put('in.jpg', photo);
  expectSuccess(await compress('in.jpg -o out.jpg --max-bytes 2kB'));
  expect(statSync(place.path('out.jpg')).size).toBeLessThanOrEqual(2000);
  expectEnd(
    await compress('in.jpg -o none.jpg --max-bytes 50'),
    1,
    /has \d+ bytes, more than the 50 that you asked for\. Raise --max-bytes/,
  );
  expect(existsSync(place.path('none.jpg'))).toBe(false);
  expectEnd(await compress('in.jpg -n --max-bytes 50 --allow any'), 0, 'larger than --max-bytes', 'stdout');
});

it('reads standard input and writes standard output', () => {
  place.put('a.jpg', photo);
  const { bytes } = expectEnd(
    place.run(['compress', '-'], { input: photo }),
    0,
    /^standard input: \d+ -> \d+ bytes/,
  );
  expect(difference(photo, bytes)).toBeLessThan(6);
  expect(place.run(['compress', 'a.jpg', '-o', '-']).bytes).toEqual(bytes);
  expect(place.run(['compress', '-', '-o', 'b.jpg', '--json'], { input: photo }).status).toBe(0);
  expect(place.read('b.jpg')).toEqual(bytes);
});

describe('--suffix', () => {
  it('puts results beside their files, and does not compress them the next time', async () => {
    for (const name of ['in/a.jpg', 'in/b.min.jpg', 'in/sub/c.JPG', 'in/plain']) place.put(name, photo);
    expectSuccess(await compress('in --suffix .min'));
    // b.jpg does not exist, so b.min.jpg is no result.
    const after = [
      ...['a.jpg', 'a.min.jpg', 'b.min.jpg', 'b.min.min.jpg', 'plain', 'plain.min'],
      ...['sub', 'sub/c.JPG', 'sub/c.min.JPG'],
    ];
    expect(place.files('in')).toEqual(after);
    expect((await compress('in --suffix .min')).stdout).toContain('Already up to date: 4.');
    expect(place.files('in')).toEqual(after);
    expectSuccess(await compress('in/sub/c.JPG -o out --suffix -small --format webp'));
    expect(place.files('out')).toEqual(['c-small.webp']);
  });

  it('notices that a file takes the name of another', async () => {
    for (const name of ['in/plain', 'in/plain.jpg', 'in/plain.min.jpg']) place.put(name, photo);
    const both = 'in/plain and in/plain.jpg would both be written to out/plain.min.webp. Rename';
    expectEnd(await compress('in -o out --suffix .min --format webp'), 1, both);
    const over = 'in/plain.min.jpg would be overwritten';
    expectEnd(await compress('in/plain.jpg in/plain.min.jpg --suffix .min'), 1, over);
  });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s leaves whole files only, no workers, and ends with %i', async (signal, status) => {
  const large = await photoJpeg(1200, 900);
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
  expect(await once(child, 'close')).toEqual([status, null]);
  expect(stderr).toMatch(/Interrupted: \d+ of 12 done\. Run the same command again for the rest\./);
  const results = place.files('photos').map((name) => place.read(`photos/${name}`));
  expect(results).toHaveLength(12);
  const changed = results.filter((bytes) => !bytes.equals(large));
  for (const bytes of changed) expect(decodeIndependently(bytes).width).toBe(1200);
  expect(changed.length).toBeLessThan(12);
  await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
});

function isAlive(pid: number) {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  // A zombie waits for init to take note; it does nothing any more.
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
