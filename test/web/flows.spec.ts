/** The main ways through the page: the quick tier of its tests. */
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { PNG } from 'pngjs';
import type { Page } from 'playwright-core';
import {
  boxOf,
  button,
  click,
  shows,
  describeInBrowser,
  enter,
  expectFocus,
  numbered,
  visit,
  visitWithKey,
} from '../support/browser';
import { eventually } from '../support/eventually';
import { PROJECT } from '../support/folders';
import { decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { compareImage, listed, queriesOf, refuseImages, returnImage } from './page-parts';

const sample = PROJECT.read('examples/sample.jpg');

describeInBrowser('a visitor', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  it.each([
    [1280, 800],
    [390, 844],
  ])('sees at %d × %d what the service does, before anything is uploaded', async (width, height) => {
    const { page } = await visit(service.url, { viewport: { width, height } });
    const proof = page.getByRole('region', { name: 'Before and after' });
    const words = 'Every result is measured, not guessed. This picture is 6\\d% smaller and looks the same.';
    const text = proof.getByText(new RegExp(`^${words} Drag`));
    await text.waitFor();
    await shows(proof, 'Before · 303 kB');
    await shows(proof, /^After · 1\d\d kB$/);
    for (const shown of [text, page.getByText('Choose JPG or PNG images')]) {
      const box = await boxOf(shown);
      expect(box.bottom).toBeLessThanOrEqual(height);
    }
    const divider = proof.getByRole('slider');
    await divider.press('ArrowLeft');
    expect(Number(await divider.inputValue())).toBeLessThan(50);
    await click(proof, 'Full screen');
    await page.getByRole('dialog', { name: 'still-life.jpg' }).waitFor();
  });

  it('tries a sample without a key, by keyboard, and sees it before and after', async () => {
    const { page, row, origins, expectAccess } = await visit(service.url);
    const sent: string[] = [];
    // The first screen asks for the same result.
    await shows(page, /^After · 1\d\d kB$/);
    await page.route('**/compressed', async (route) => {
      await shows(row('still-life.jpg'), /^Finding the smallest JPG that looks the same … [1-9]\d* s$/);
      await route.continue();
    });
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await expectAccess();
    await button(page, 'Still life').press('Enter');
    await listed(page, '1 image done');
    await page.getByText('Looks the same', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'After' }).waitFor();
    await expectFocus(page.getByRole('heading', { name: '1 image done' }));
    expect(sent.filter((path) => path.startsWith('/api/'))).toEqual([]);
    await expectAccess();
    expect([...origins]).toEqual([service.url]);
  });

  it('drops, pastes and chooses images, reads what was done, and downloads one and all', async () => {
    const { page, row, choose, expectAccess } = await visitWithKey(service);
    await page.evaluate(`(() => {
      const bytes = new Uint8Array(${JSON.stringify([...graphicPng(40, 40)])});
      const transfer = (name) => {
        const files = new DataTransfer();
        files.items.add(new File([bytes], name, { type: 'image/png' }));
        return files;
      };
      const how = { bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent('drop', { ...how, dataTransfer: transfer('dropped.png') }));
      document.body.dispatchEvent(new ClipboardEvent('paste', { ...how, clipboardData: transfer('pasted.png') }));
    })()`);
    await choose({ 'hills.jpg': sample, 'Hills.jpg': photo });
    await listed(page, '4 images done');
    const hills = row('hills.jpg').first();
    const text = async () => (await hills.innerText()).replace(/\s+/g, ' ');
    expect(await text()).toMatch(/273 kB → before, now [\d.]+ kB Looks the same \d+% smaller/);
    await click(hills, 'Details of hills.jpg');
    expect(await text()).toMatch(/Dimensions 1600 × 1067 px Quality \d+ JPG quality from 1 to 100/);
    expect(await text()).toMatch(/Score 0\.99\d\d Similarity to your file.*the aim was 0\.9914/);
    expect(await text()).toMatch(/queue .*decode .*search .*encode .*verify .* m?s\./);
    await expectAccess();

    const one = await download(page, page.getByRole('link', { name: 'Download hills.jpg' }).first());
    expect(one.name).toBe('hills-compressed.jpg');
    expect(decodeIndependently(one.bytes)).toMatchObject({ width: 1600, height: 1067 });
    const zip = await download(page, button(page, 'Download all 4'));
    const entries = unzipSync(zip.bytes);
    expect(Object.keys(entries).sort()).toEqual([
      'Hills-compressed (2).jpg',
      'dropped-compressed.png',
      'hills-compressed.jpg',
      'pasted-compressed.png',
    ]);
    expect(entries['hills-compressed.jpg']).toEqual(one.bytes);
  });

  it('chooses for images to come, and for those of the list on request', async () => {
    const visitor = await visitWithKey(service);
    const { page, row, choose, expectAccess } = visitor;
    const queries = queriesOf(visitor);
    await choose({ '1.jpg': photo, '2.jpg': photo });
    await listed(page, '2 images done');
    expect(await button(page, /^Apply/).count()).toBe(0);
    await page.getByLabel('Format').selectOption('Smallest (JPEG XL, AVIF, WebP)');
    await choose({ '3.jpg': photo });
    await shows(row('3.jpg'), 'Now an AVIF');
    expect(queries).toEqual(['', '', '?format=auto']);
    await click(page, 'Apply to 2 images');
    await shows(row('1.jpg'), 'Now an AVIF');
    await listed(page, '3 images done');
    await expectFocus(page.getByRole('heading', { name: '3 images done' }));
    expect(queries).toHaveLength(5);

    // The first results of two of them are there already.
    await page.getByLabel('Format').selectOption('As uploaded');
    await click(page, 'Half size (2×, retina)');
    await click(page, 'Full size');
    await click(page, 'Apply to 3 images');
    await row('3.jpg').getByText('Now an AVIF').waitFor({ state: 'detached' });
    await listed(page, '3 images done');
    expect(queries.slice(5)).toEqual(['']);

    await click(page, 'Half size (2×, retina)');
    await expectAccess();
    await click(page, 'Apply to 3 images');
    await shows(row('1.jpg'), 'Looks the same at half size, 160 px wide');
    await listed(page, '3 images done');
    expect(queries.slice(6)).toEqual(Array(3).fill('?density=2'));
    await page.getByRole('link', { name: 'Download 1.jpg' }).click();
    await page.reload();
    await expectPressed(page, 'Half size (2×, retina)');
  });

  it('compares by slider and by keys, and jumps to the place that changed most', async () => {
    const { page, choose, expectAccess } = await visitWithKey(service);
    const original = graphicPng(400, 300);
    const changed = PNG.sync.read(original);
    // A square of 8 pixels, inside the square of 32 that begins at 224, 96.
    for (let y = 108; y < 116; y++) changed.data.fill(0, (y * 400 + 236) * 4, (y * 400 + 244) * 4);
    await returnImage(page, changed);
    await choose({ 'plan.png': original });
    const view = await compareImage(page, 'plan.png');
    await page.getByRole('slider').press('End');
    expect(await page.getByRole('slider').inputValue()).toBe('100');
    await view.press('w');
    await shows(page, /^Largest change: \d+ of 255 on average, \d+ at most\.$/);
    await shows(page, '400%');
    const frame = await boxOf(page.getByTestId('worst-spot'));
    const image = await boxOf(page.getByRole('img', { name: 'After' }));
    // The frame lies outside the square.
    expect([(frame.x + 4 - image.x) / 4, (frame.y + 4 - image.y) / 4].map(Math.round)).toEqual([224, 96]);
    await expectAccess();
    await view.press('d');
    await page.getByRole('img', { name: 'Differences' }).waitFor();
    await view.press('Escape');
    await expectFocus(button(page, 'Compare plan.png'));
  });

  it('uses up a trial, signs up, and the rest of the list goes on', async () => {
    const { page, choose, expectAccess } = await visit(service.url);
    await choose(numbered(photo, 12));
    const alert = page.getByRole('alert');
    await shows(alert, 'to compress the 2 images still waiting.');
    await shows(page, '0 free images left');
    await shows(page, '10 of 12 done');
    await expectAccess();
    await click(alert, 'Sign up');
    const dialog = page.getByRole('dialog');
    await expectFocus(dialog.getByLabel('E-mail address'));
    await enter(dialog, 'E-mail address', 'convinced@example.com');
    await shows(dialog, 'This device remembers it until you sign out.');
    await shows(dialog, 'in use');
    const key = await dialog.getByLabel('API key', { exact: true }).inputValue();
    expect((await service.compress(photo, key)).status).toBe(200);
    await expectAccess();
    await click(dialog, 'Close');
    await listed(page, '12 images done');
    await shows(page, 'convinced@example.com');
    expect(await page.getByText(/free image/).count()).toBe(0);
  });

  it('sees what is wrong with a file beside it, and what stops the list once', async () => {
    const { page, row, choose, expectAccess } = await visitWithKey(service);
    const overload = { status: 503, code: 'overloaded', title: 'The service is busy', retry_after: 0.1 };
    const refusal = await refuseImages(page, overload);
    await choose({
      'letter.jpg': Buffer.from('%PDF-1.7'),
      'damaged.jpg': photo.subarray(0, 300),
      'good.jpg': photo,
    });
    await shows(row('letter.jpg'), 'This is a PDF, although its name ends in .jpg.');
    const busy = page.getByRole('alert').getByText('The service is busy.');
    await busy.waitFor();
    // It is gone for a moment at each new try.
    await eventually(async () => expect(await busy.count()).toBe(1));
    await expectAccess();
    const again = button(page, 'Try now');
    await again.waitFor();
    refusal.end();
    await again.click();
    await shows(row('damaged.jpg'), 'The image cannot be decoded.');
    await shows(row('damaged.jpg'), 'Open it in an image editor, save it again');
    await listed(page, '1 done, 2 failed');
    expect(await busy.count()).toBe(0);
    expect(await page.title()).toMatch(/^✓ \d+% smaller · 2 failed · Image compression$/);
  });
});

async function download(page: Page, link: { click(): Promise<void> }) {
  const [saved] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
}

const expectPressed = (page: Page, name: string) =>
  page.getByRole('button', { name, pressed: true }).waitFor();
