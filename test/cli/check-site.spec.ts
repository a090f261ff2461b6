import { statSync } from 'node:fs';
import sharp from 'sharp';
import { expectEnd } from '../support/ended';
import { jsonLines, Workplace } from '../support/command-line';
import { graphicPng, photoJpeg } from '../support/images';

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(800, 600)));

const site = Workplace.forCalls();
beforeEach(() => {
  // A built site is usually ignored by git.
  site.put('.gitignore', 'dist');
  site.put('dist/index.html', '<img src="/img/large.jpg" width="100"><img src="img/photo.jpg" width="800">');
  site.put('dist/main.css', 'body { background: url(img/back.png) }');
  for (const name of ['large', 'photo']) site.put(`dist/img/${name}.jpg`, photo);
  site.put('dist/img/back.png', graphicPng(64, 64));
});
const check = (args = '') => site.call(`check --site dist ${args}`.trim());

it('says what is shipped, what is needed and where it is shown, the worst first', async () => {
  const { stdout } = expectEnd(await check(), 1, /could be saved\. Run the same command with --fix\.\n$/);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatch(
    /^dist\/img\/large\.jpg: [\d.]+ kB shipped, [\d.]+ kB needed \(-9\d\.\d%\), 800x600 shown as 100x75 in index\.html; 300x225 is enough$/,
  );
  expect(lines[1]).toMatch(/^dist\/img\/photo\.jpg: .*, 800x600 shown as 800x600 in index\.html$/);
  expect(lines[2]).toMatch(/^dist\/img\/back\.png: .*, 64x64, no page tells its size$/);
  expect(lines[3]).toMatch(/^[\d.]+ kB shipped, [\d.]+ kB needed; the difference cannot be seen\.$/);
  expect(lines[4]).toMatch(
    /^Of unknown size, judged as they are: 1 \([\d.]+ (k?B) shipped, \d+ B needed\)\.$/,
  );
});

it('names the images in which a lower quality could be seen', async () => {
  expect((await check('--quality low')).stdout).toMatch(
    /needed; it could be seen in dist\/img\/.*photo\.jpg/,
  );
});

it('judges each image at its density, also without loss, and names both in JSON', async () => {
  const found = jsonLines((await check('--json')).stdout);
  expect(
    found.map(({ input, page, shownDensity, density, width }) => [input, page, shownDensity, density, width]),
  ).toEqual([
    ['dist/img/large.jpg', 'index.html', 8, 3, 300],
    ['dist/img/photo.jpg', 'index.html', 1, undefined, 800],
    ['dist/img/back.png', undefined, undefined, undefined, 64],
  ]);
  expect((await check('--quality lossless')).status).toBe(1);
});

it('--fix keeps enough pixels, and then finds nothing', async () => {
  await check('--fix');
  expect(await sharp(site.read('dist/img/large.jpg')).metadata()).toMatchObject({ width: 300 });
  expect(await sharp(site.read('dist/img/photo.jpg')).metadata()).toMatchObject({ width: 800 });
  expectEnd(await check('--force'), 0, /^([\d.]+ k?B) shipped, \1 needed; the difference cannot/, 'stdout');
});

it('--html writes one page that loads nothing, with both images of each saving', async () => {
  site.put('dist/img/<b>.jpg', photo);
  await check('--html report.html');
  const page = site.text('report.html');
  expect(page.match(/src="data:image\/jpeg;base64,/g)).toHaveLength(6);
  expect(page.match(/src="data:image\/png;base64,/g)).toHaveLength(2);
  expect(page).toContain(photo.toString('base64'));
  expect(page).not.toMatch(/<b>|(src|href)="(?!data:)|url\(/);
  expect(page).toMatch(/style="width: 100px"/);
});

it.each(['--site dist --fix', 'dist'])('refuses --html with check %s', async (args) => {
  expectEnd(await site.call(`check ${args} --html a.html`), 2, /--html needs --site/);
  expect(() => statSync(site.path('a.html'))).toThrow(/ENOENT/);
});
