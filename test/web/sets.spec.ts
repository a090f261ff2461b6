/** "Make a responsive set": the choice, its cost, the table, the markup and the archive. */
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, expectFocus, jpegFile, visit, type Visit } from '../support/browser';
import { photoJpeg } from '../support/images';
import { ownService } from '../support/service';

const [PHONE, DESKTOP]: BrowserContextOptions[] = [
  { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  { viewport: { width: 1280, height: 800 } },
];

describeInBrowser('a responsive set', () => {
  const service = ownService({ TRIAL_IMAGES: '5', EFFORT: 'fast', SET_VARIANTS: '8' });
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(640, 480)));

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Responsive set of lake.jpg' });
  /** Opens the dialog of a finished image. */
  async function opened(options: BrowserContextOptions, signsUp = true): Promise<Visit> {
    const visitor = await visit(service.url, options);
    if (signsUp) await visitor.signUp();
    await visitor.choose(jpegFile('lake.jpg', photo));
    const isNarrow = options.isMobile === true;
    if (isNarrow) await visitor.page.getByRole('button', { name: 'Details of lake.jpg' }).click();
    await visitor.page.getByRole('button', { name: 'Make a responsive set of lake.jpg' }).click();
    await dialogOf(visitor.page).waitFor();
    return visitor;
  }

  it('says what it takes, makes every size in every format, and hands out the markup and the archive', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, complaints, violations } = await opened({ ...DESKTOP, permissions });
    const dialog = dialogOf(page);
    // 960 and 1440 px are wider than the image.
    await dialog.getByText('Takes 2 images of your account.').waitFor();
    await dialog.getByText('The largest width is 640 px. Left out: 960 px, 1440 px.').waitFor();
    await dialog.getByLabel('Widths of the files').fill('160, 320');
    await dialog.getByLabel('WebP').check();
    await dialog.getByText('Takes 6 images of your account.').waitFor();
    await dialog.getByLabel('Text instead of the image').fill('A "lake"');
    await dialog.getByRole('button', { name: 'Make the set' }).click();
    await dialog.getByText('6 files done', { exact: true }).waitFor();
    expect(await dialog.getByRole('columnheader').allInnerTexts()).toEqual(['Width', 'AVIF', 'WebP', 'JPG']);
    expect(await dialog.getByRole('rowheader').allInnerTexts()).toEqual(['160 px', '320 px']);
    for (const text of await dialog.getByRole('cell').allInnerTexts()) expect(text).toMatch(/^[\d.]+ kB/);
    expect(await violations()).toEqual([]);

    await dialog.getByRole('button', { name: 'Copy markup' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain('srcset="lake-160.jpg 160w, lake-320.jpg 320w"');
    expect(copied).toContain('alt="A &quot;lake&quot;"');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download ZIP' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('lake-set.zip');
    const files = unzipSync(readFileSync(await download.path()));
    expect(Object.keys(files).sort()).toEqual([
      'lake-160.avif',
      'lake-160.jpg',
      'lake-160.webp',
      'lake-320.avif',
      'lake-320.jpg',
      'lake-320.webp',
      'set.json',
    ]);
    expect(Buffer.from(files['set.json']).toString()).toContain(JSON.stringify(copied));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show the responsive set' }).click();
    await dialog.getByRole('button', { name: 'Download ZIP' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('says where a format is larger than another one', async () => {
    const { page } = await opened(DESKTOP);
    const file = (format: string, bytes: number, more = {}) => {
      const name = `lake-160.${format === 'jpeg' ? 'jpg' : format}`;
      return { name, format, width: 160, height: 120, density: 1, bytes, ssim: 0.9915, ...more };
    };
    await page.route('**/api/v1/sets?*', (route) => {
      const files = [file('avif', 5000, { largerThan: 'lake-160.jpg' }), file('jpeg', 4000)];
      const failed = [{ name: 'lake-160.webp', format: 'webp', width: 160, density: 1, message: 'No room.' }];
      const json = JSON.stringify({ files, failed, markup: '<img>', notes: [] });
      const part = [
        '--x',
        `Content-Length: ${json.length}`,
        "Content-Disposition: a; filename*=UTF-8''set.json",
      ];
      const contentType = 'multipart/mixed; boundary=x';
      return route.fulfill({ contentType, body: `${part.join('\r\n')}\r\n\r\n${json}\r\n--x--\r\n` });
    });
    await dialogOf(page).getByRole('button', { name: 'Make the set' }).click();
    await dialogOf(page).getByText('AVIF larger than JPG here').waitFor();
    await dialogOf(page).getByText('lake-160.webp: No room.').waitFor();
    expect(await dialogOf(page).getByRole('cell').last().innerText()).toBe('failed');
  });

  it.each([
    ['light', PHONE],
    ['dark', DESKTOP],
    ['dark', PHONE],
  ] as const)('works by touch or mouse, %s, for several displays', async (colorScheme, device) => {
    const { page, violations } = await opened({ ...device, colorScheme });
    const dialog = dialogOf(page);
    const press = (name: string) => {
      const button = dialog.getByRole('button', { name, exact: true });
      return device === PHONE ? button.tap() : button.click();
    };
    await press('One width, several displays');
    await dialog.getByLabel('Width in the page').fill('300');
    await dialog.getByLabel('1.5×').check();
    await dialog.getByText('The largest width is 640 px. Left out: 900 px · 3×.').waitFor();
    await dialog.getByLabel('AVIF').uncheck();
    await dialog.getByText('Takes 3 images').waitFor();
    await dialog.getByLabel('Until it has loaded').selectOption('Its mean colour');
    await press('Make the set');
    await dialog.getByText('3 files done', { exact: true }).waitFor();
    expect(await dialog.getByRole('rowheader').allInnerTexts()).toEqual([
      '300 px · 1×',
      '450 px · 1.5×',
      '600 px · 2×',
    ]);
    await dialog.getByText('srcset="lake-300.jpg 1x, lake-300@1.5x.jpg 1.5x, lake-300@2x.jpg 2x"').waitFor();
    await dialog.getByText(/style="background:#[0-9a-f]{6}"/).waitFor();
    expect(await violations()).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download ZIP')]);
    expect(download.suggestedFilename()).toBe('lake-set.zip');
    const fits = '(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)';
    expect(await page.evaluate(`${fits}(document.querySelector('dialog[open]'))`)).toBe(true);
  });

  it('works with the keyboard alone, and gives the focus back', async () => {
    const { page } = await opened(DESKTOP);
    const dialog = dialogOf(page);
    const focused =
      '(() => document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent)()';
    const tabTo = async (name: string) => {
      for (let i = 0; i < 30; i++) {
        if ((await page.evaluate<string>(focused)).startsWith(name)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not lead to ${name}`);
    };
    await tabTo('Widths of the files');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('100');
    await tabTo('AVIF');
    await page.keyboard.press('Space');
    await tabTo('Make the set');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 file done', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page.getByRole('button', { name: 'Show the responsive set' }));
  });

  it('takes images of a trial, and asks for no more than are left', async () => {
    const { page } = await opened(DESKTOP, false);
    const dialog = dialogOf(page);
    await dialog.getByLabel('Widths of the files').fill('100, 200, 300');
    await dialog.getByText('Takes 6 images; your trial has 4 left.').waitFor();
    const start = dialog.getByRole('button', { name: 'Make the set' });
    expect(await start.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByLabel('Widths of the files').fill('100');
    await dialog.getByLabel('WebP').check();
    await start.click();
    await dialog.getByText('3 files done', { exact: true }).waitFor();
    await dialog.getByText('Takes 3 images; your trial has 1 left.').waitFor();
    // The set is there; only another one would be wrong.
    const wrong = dialog.locator('#set-cost.wrong');
    expect(await wrong.count()).toBe(0);
    await dialog.getByLabel('Widths of the files').fill('100, 200');
    await wrong.getByText('Takes 6 images; your trial has 1 left.').waitFor();
  });

  it.each([
    ['100, x', 'Enter widths'],
    ['3000', 'Choose widths of at most 640 px'],
    ['50, 60, 70, 80, 90', '10 files are too many: at most 8'],
  ])('does not ask for widths of %j', async (widths, words) => {
    const { page } = await opened(DESKTOP);
    await dialogOf(page).getByLabel('Widths of the files').fill(widths);
    await dialogOf(page).getByText(words).waitFor();
    const start = dialogOf(page).getByRole('button', { name: 'Make the set' });
    expect(await start.getAttribute('aria-disabled')).toBe('true');
  });
});
