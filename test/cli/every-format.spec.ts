/** Names follow what a file holds, and the search finds what packages read: here by support/xwbp. */
import { existsSync } from 'node:fs';
import sharp from 'sharp';
import type { SetDescription } from '../../src/sets/make-set';
import { expectEnd, expectSuccess } from '../support/ended';
import { PROJECT } from '../support/folders';
import { jsonLines, Workplace } from '../support/command-line';
import { graphicPng, photoJpeg, rawImage, texturedPixels, xwbp } from '../support/images';

const XWBP = PROJECT.path('test/support/xwbp');
const drawing = graphicPng(120, 90);
let photo: Buffer;
/** One that becomes a smaller JPG, and one that nothing makes smaller. */
let large: Buffer;
let small: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(160, 120, { quality: 95 });
  large = xwbp(await rawImage(texturedPixels(160, 120)).webp({ lossless: true }).toBuffer());
  small = xwbp(await rawImage(texturedPixels(160, 120)).webp({ quality: 30 }).toBuffer());
});

const place = Workplace.forCalls();
const call = (args: string) => place.call(args);
const withPackage = (args: string) => place.call(args, { FORMAT_MODULES: XWBP });
const formatOf = async (name: string) => (await sharp(place.read(name)).metadata()).format;

it.each(['gif', 'heic', 'tiff', 'bmp', 'jp2', 'JGP'])('-o out.%s is wrong usage', async (extension) => {
  place.put('a.jpg', photo);
  const name = `out.${extension}`;
  const sentence = `${name}: ${extension.toUpperCase()} cannot be written. Use .jpg, .png, .webp, .avif`;
  for (const args of [
    `a.jpg -o ${name}`,
    `a.jpg -o ${name} --format jpeg`,
    `- -o ${name}`,
    `a.jpg -n -o ${name}`,
  ])
    expectEnd(await call(`compress ${args}`), 2, sentence);
  expect(place.files()).toEqual(['a.jpg']);
});

it('names results in a folder by their content, and says so', async () => {
  place.put('in/a.jpg', drawing);
  place.put('in/b.jpg', photo);
  place.put('in/b.png', drawing);
  place.put('in/c.xwbp', large);
  place.put('in/d.xwbp', small);
  const { status, stdout } = await withPackage('compress in -o out');
  expect(status).toBe(0);
  expect(place.files('out')).toEqual(['a.png', 'b.jpg', 'b.png', 'c.jpg', 'd.xwbp']);
  for (const [name, format] of [
    ['a.png', 'png'],
    ['c.jpg', 'jpeg'],
  ])
    expect([name, await formatOf(`out/${name}`)]).toEqual([name, format]);
  expect(stdout).toMatch(/^in\/a\.jpg: .*, now a PNG: out\/a\.png, /m);
  expect(stdout).toMatch(/^in\/c\.xwbp: .*, now a JPG: out\/c\.jpg, /m);
  expect(stdout).not.toMatch(/^in\/b.*now/m);
  expect(stdout).toMatch(/^JPG +2 .*\nPNG +2 .*\nunchanged +1 .*\ntotal +5 /m);
  expect((await withPackage('compress in -o out')).stdout).toBe('Already up to date: 5.\n');
});

it('refuses results that may get the same name, before anything is written', async () => {
  place.put('in/p.jpg', photo);
  place.put('in/p.xwbp', large);
  expectEnd(
    await withPackage('compress in -o out'),
    1,
    'in/p.jpg and in/p.xwbp would both be written to out/p.jpg. Rename one of them',
  );
  expect(existsSync(place.path('out'))).toBe(false);
  expect((await call('compress in -o out')).stdout).toContain('in/p.jpg');
  place.put('other/q.jpg', drawing);
  place.put('other/q.png', drawing);
  expect((await call('compress other -o out')).stderr).toContain('would both be written to out/q.png');
});

it('--suffix names by content too, and the next run skips the results', async () => {
  place.put('in/a.JPG', drawing);
  place.put('in/c.xwbp', large);
  expectSuccess(await withPackage('compress in --suffix .min'));
  const files = ['a.JPG', 'a.min.png', 'c.min.jpg', 'c.xwbp'];
  expect(place.files('in')).toEqual(files);
  await withPackage('compress in --suffix .min --force');
  expect(place.files('in')).toEqual(files);
});

describe('--in-place', () => {
  it('takes a file whose result keeps its format, whatever its name', async () => {
    place.put('a.jpg', drawing);
    place.put('d.xwbp', small);
    expectEnd(await withPackage('compress --in-place a.jpg d.xwbp'), 0, /^d\.xwbp: unchanged/m, 'stdout');
    expect(await formatOf('a.jpg')).toBe('png');
    expect(place.read('a.jpg').length).toBeLessThan(drawing.length);
    expect(place.read('d.xwbp')).toEqual(small);
  });

  it('says why it leaves a file alone whose format would change', async () => {
    place.put('a.jpg', photo);
    place.put('c.xwbp', large);
    for (let run = 0; run < 2; run++) {
      const { stdout } = expectEnd(
        await withPackage('compress --in-place .'),
        0,
        /^c\.xwbp: left alone, because it would become a JPG; use ics compress -o to write that elsewhere$/m,
        'stdout',
      );
      expect(stdout).toContain('Left alone, because its format would change: 1.');
    }
    expect(place.read('c.xwbp')).toEqual(large);
    expect(jsonLines((await withPackage('compress --in-place c.xwbp --json')).stdout)[0]).toMatchObject({
      skipped: true,
      skipReason: 'would-change-format',
      bytesSaved: 0,
    });
  });

  it('takes no backup that the next run would compress', async () => {
    place.put('c.xwbp', small);
    expectEnd(
      await withPackage('compress --in-place --backup .xwbp c.xwbp'),
      2,
      'must not end like the name of an image',
    );
  });
});

describe('check', () => {
  it('finds what packages read, and finds nothing more after --fix', async () => {
    place.put('in/c.xwbp', large);
    place.put('in/d.xwbp', small);
    place.put('in/cut.xwbp', Buffer.from('RIFF'));
    place.put('in/photo.jpg', photo);
    expect((await call('check in')).stdout).toMatch(/^1 image checked/m);
    const { stderr, stdout } = expectEnd(
      await withPackage('check in'),
      1,
      /^3 images checked: 1 could be smaller/m,
      'stdout',
    );
    expect(stdout).toMatch(/^in\/c\.xwbp: left alone, because it would become a JPG/m);
    expect(stderr).toContain('in/cut.xwbp: ');
    await withPackage('check --fix in');
    expect(place.read('in/c.xwbp')).toEqual(large);
    expectEnd(
      await withPackage('check in/c.xwbp in/photo.jpg in/d.xwbp'),
      0,
      'none could be smaller',
      'stdout',
    );
  });

  it('--site takes them, too', async () => {
    place.put('dist/index.html', '<img src="c.xwbp" width="80"><img src="d.xwbp" width="80">');
    place.put('dist/c.xwbp', large);
    place.put('dist/d.xwbp', small);
    const { stdout } = await withPackage('check --site dist');
    expect(stdout).toMatch(/^dist\/c\.xwbp: left alone, because it would become a JPG/m);
    expect(jsonLines((await withPackage('check --site dist --json')).stdout)[1]).toMatchObject({
      ...{ input: 'dist/d.xwbp', page: 'index.html', shownDensity: 2 },
    });
  });
});

it('a set is made of what packages read, each file in the format of its name', async () => {
  place.put('c.xwbp', large);
  expectSuccess(await withPackage('set c.xwbp -o web --widths 80,160,900 --format avif,same'));
  expect(place.files('web')).toEqual(['c-160.avif', 'c-160.jpg', 'c-80.avif', 'c-80.jpg', 'set.json']);
  for (const name of ['c-160.jpg', 'c-80.jpg']) expect(await formatOf(`web/${name}`)).toBe('jpeg');
  const { c } = place.json('web/set.json') as Record<string, SetDescription>;
  expect(c.files.map(({ width, height }) => [width, height])).toContainEqual([80, 60]);
});

it('says what a file is that no package reads', async () => {
  place.put('in/page.xwbp', '%PDF-1.7');
  for (const name of ['a', 'b']) place.put(`in/${name}.jpg`, photo);
  const { stdout } = await withPackage('compress in -o out');
  expect(stdout).toMatch(/^in\/page\.xwbp: skipped\. The file is a PDF, not a JPG, PNG, WebP, AVIF or XWBP/m);
  expect((await withPackage('compress in -o out')).stdout).toContain(
    'Skipped, no JPG, PNG, WebP, AVIF or XWBP: 1.',
  );
});
