/** A responsive set that is stopped, begun twice, or whose image leaves the list. */
import type { Page } from 'playwright-core';
import { describeInBrowser, jpegFile, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { ownService } from '../support/service';

describeInBrowser('a responsive set that does not go its whole way', () => {
  const service = ownService({ TRIAL_IMAGES: '5', EFFORT: 'fast' });

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Responsive set of/ });
  const startOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Make the set' });

  /** Opens the dialog of a sample, which has cost no trial image: the trial is opened by the set, and waits for `open`. */
  async function openedWithoutKey() {
    const { page } = await visit(service.url);
    let open = () => {};
    const isOpened = new Promise<void>((resolve) => (open = resolve));
    let trials = 0;
    await page.route('**/api/v1/trials', async (route) => {
      trials++;
      await isOpened;
      await route.continue();
    });
    const sets: string[] = [];
    await page.route('**/api/v1/sets?*', async (route) => {
      sets.push(route.request().url());
      await route.continue();
    });
    await page.getByRole('button', { name: 'Still life' }).click();
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'Make a responsive set of still-life.jpg' }).click();
    await dialogOf(page).getByLabel('Widths of the files').fill('100');
    const asked = () => eventually(() => expect(trials).toBe(1));
    return { page, open, asked, sets };
  }

  it('counts the files that were finished when it was stopped', async () => {
    const { page, choose } = await visit(service.url);
    await choose(jpegFile('lake.jpg', await photoJpeg(320, 240)));
    await page.getByText('1 image done').waitFor();
    // The first file comes, the second one never.
    await page.evaluate(`(() => {
      const send = fetch;
      globalThis.fetch = (url, options) => {
        if (!String(url).includes('/api/v1/sets')) return send(url, options);
        const part = ['--x', 'Content-Length: 4', "Content-Disposition: a; filename*=UTF-8''lake-100.avif", '', 'AVIF', ''];
        const body = new ReadableStream({ start(stream) {
          stream.enqueue(new TextEncoder().encode(part.join('\\r\\n')));
          options.signal.addEventListener('abort', () => stream.error(options.signal.reason));
        } });
        return Promise.resolve(new Response(body));
      };
    })()`);
    await page.getByRole('button', { name: 'Make a responsive set of lake.jpg' }).click();
    await dialogOf(page).getByLabel('Widths of the files').fill('100');
    await dialogOf(page).getByText('Takes 2 images; your trial has 4 left.').waitFor();
    await startOf(page).click();
    await dialogOf(page).getByText('1 of 2 files done').waitFor();
    // Its fields look disabled.
    const opacity = `getComputedStyle(document.querySelector('.set-form input')).opacity`;
    expect(Number(await page.evaluate(opacity))).toBeLessThan(1);
    await dialogOf(page).getByRole('button', { name: 'Stop' }).click();
    await dialogOf(page).getByText('Stopped. Files that were finished count.').waitFor();
    await dialogOf(page).getByText('Takes 2 images; your trial has 3 left.').waitFor();
  });

  it('begins once, however often the button is clicked', async () => {
    const { page, open, asked, sets } = await openedWithoutKey();
    await startOf(page).dblclick();
    await asked();
    await startOf(page).click({ force: true });
    // A second beginning would find no key, and end.
    await dialogOf(page).getByText('0 of 2 files done').waitFor();
    open();
    await dialogOf(page).getByText('2 files done', { exact: true }).waitFor();
    expect(sets).toHaveLength(1);
  });

  it('sends nothing if it is stopped while the trial is opened', async () => {
    const { page, open, asked, sets } = await openedWithoutKey();
    await startOf(page).click();
    await asked();
    await dialogOf(page).getByRole('button', { name: 'Stop' }).click();
    open();
    await dialogOf(page).getByText('Stopped.').waitFor();
    await page.getByText('Trial: 5 of 5 left').waitFor();
    expect(sets).toEqual([]);
  });

  it('sends nothing for an image that was removed while the trial was opened', async () => {
    const { page, open, asked, sets } = await openedWithoutKey();
    await startOf(page).click();
    await asked();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove still-life.jpg' }).click();
    open();
    await page.getByText('Trial: 5 of 5 left').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Make a responsive set of still-life.jpg' }).click();
    expect(await startOf(page).getAttribute('aria-disabled')).toBe('false');
    expect(sets).toEqual([]);
  });

  it('is cancelled when its image is removed, and may be made again', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(jpegFile('lake.jpg', await photoJpeg(320, 240)));
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'Make a responsive set of lake.jpg' }).click();
    await dialogOf(page).getByLabel('Widths of the files').fill('100');
    await page.route('**/api/v1/sets?*', () => new Promise(() => undefined));
    await startOf(page).click();
    await dialogOf(page).getByText('0 of 2 files done').waitFor();
    await page.keyboard.press('Escape');
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/v1/sets'));
    await page.getByRole('button', { name: 'Remove lake.jpg' }).click();
    expect((await failed).failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.unroute('**/api/v1/sets?*');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Make a responsive set of lake.jpg' }).click();
    await startOf(page).click();
    await dialogOf(page).getByText('2 files done', { exact: true }).waitFor();
  });

  it('says why it failed, and may be made again', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(jpegFile('lake.jpg', await photoJpeg(320, 240)));
    await page.getByRole('button', { name: 'Make a responsive set of lake.jpg' }).click();
    await page.route('**/api/v1/sets?*', (route) => route.abort());
    await dialogOf(page).getByLabel('Widths of the files').fill('100');
    await startOf(page).click();
    await dialogOf(page).getByRole('alert').getByText('The connection was lost').waitFor();
    await eventually(async () => expect(await startOf(page).getAttribute('aria-disabled')).toBe('false'));
  });
});
