import sharp from 'sharp';
import { expectEnd, expectSuccess } from '../support/ended';
import { Workplace } from '../support/command-line';
import { decodeIndependently, graphicPng, photoJpeg } from '../support/images';

let photo: Buffer;
let good: Buffer;
let bad: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(160, 120, { quality: 95 });
  good = await sharp(photo).webp({ quality: 95 }).toBuffer();
  bad = await sharp(photo).jpeg({ quality: 2 }).toBuffer();
});

const place = Workplace.forCalls();
beforeEach(() => {
  place.put('in/photo.jpg', photo);
  place.put('out/photo.webp', good);
});
const run = (args: string) => place.call(args);

it('prints the numbers of two files as a table', async () => {
  const stdout = expectSuccess(await run('compare in/photo.jpg out/photo.webp'));
  const [header, line, ...rest] = stdout.split('\n');
  expect(header).toMatch(/SSIM +SSIMULACRA2 +MAX ERROR +WORST SPOT +IMAGE/);
  expect(line).toMatch(/^0\.9\d{3} +\d\d\.\d\d +\d+ +\d+x\d+\+\d+\+\d+ +out\/photo\.webp$/);
  expect(rest).toEqual(['']);
});

it('--min exits with 1 if the image is below, or cannot be compared, and with 0 otherwise', async () => {
  const compared = () => run('compare in/photo.jpg out/photo.jpg --min 0.9');
  place.put('out/photo.jpg', photo);
  expectSuccess(await compared());
  place.put('out/photo.jpg', bad);
  expectEnd(await compared(), 1, /is below 0\.9\./);
  place.put('out/photo.jpg', photo.subarray(0, 2000));
  expectEnd(await compared(), 1, /^out\/photo\.jpg: /m);
});

it('--map writes the differences of two files as a PNG of their size', async () => {
  place.put('bad.jpg', bad);
  expectSuccess(await run('compare in/photo.jpg bad.jpg --map map.png'));
  const { width, height, data } = decodeIndependently(place.read('map.png'));
  expect([width, height]).toEqual([160, 120]);
  expect(new Set(data).size).toBeGreaterThan(10);
});

it('--density compares as such a display shows them, and --json prints an object a line', async () => {
  place.put('bad.jpg', bad);
  const compared = async (option: string) => {
    const { stdout } = await run(`compare in/photo.jpg bad.jpg --json${option}`);
    return JSON.parse(stdout) as { image: string; ssim: number; density?: number };
  };
  const [plain, dense] = [await compared(''), await compared(' --density 2')];
  expect(plain).toMatchObject({ image: 'bad.jpg', format: 'jpeg', width: 160, originalWidth: 160 });
  expect(dense.density).toBe(2);
  expect(dense.ssim).toBeGreaterThan(plain.ssim);
});

it.each([
  ['folders', 'compare in out', 2, /Folders are no longer compared; run "ics compare" once for each image/],
  [
    'with a map named like a JPG',
    'compare in/photo.jpg in/photo.jpg --map a.JPG',
    2,
    /^--map writes a PNG, so the name can end only with \.png\./m,
  ],
  ['a missing original', 'compare nothing.jpg square.png', 1, /^nothing\.jpg: There is no such file/m],
  [
    'what cannot be written',
    'compare in/photo.jpg in/photo.jpg --map out',
    1,
    /^out: There is a folder with this name/m,
  ],
  ['a crop', 'compare in/photo.jpg square.png', 1, /^square\.png: /m],
  [
    'a damaged original',
    'compare cut.jpg out/photo.webp',
    1,
    /: Of the original: The JPEG cannot be decoded/m,
  ],
  ['a damaged image', 'compare in/photo.jpg cut.jpg', 1, /^cut\.jpg: The JPEG cannot be decoded/m],
  ['an original that is none', 'compare notes.pdf out/photo.webp', 1, /: Of the original: The file is a PDF/],
  [
    'a file of another kind',
    'compare in/photo.jpg notes.pdf',
    1,
    /^notes\.pdf: The image to compare is a PDF, not a JPG, PNG, WebP, AVIF or /m,
  ],
])('%s cannot be compared', async (_, args, code, words) => {
  place.put('square.png', graphicPng(90, 90));
  place.put('notes.pdf', '%PDF-1.7\n');
  place.put('cut.jpg', photo.subarray(0, 2000));
  expectEnd(await run(args), code, words);
});
