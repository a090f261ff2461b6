/** The API reference at /docs, in a browser: what an integrator sees, copies and tries. */
import { join } from 'node:path';
import type { FileChooser, Locator, Page } from 'playwright-core';
import { describeInBrowser, visit, type Visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { startService } from '../support/service';
import { sharedClient } from '../support/shared-service';

const SAMPLE = join(__dirname, '..', '..', 'examples', 'sample.jpg');

describeInBrowser('the API reference at /docs', () => {
  const service = sharedClient();

  /** Opens the reference, which takes the browser a second of processor time: tests that change nothing share a page. */
  async function open(options = {}) {
    const visitor = await visit(`${service.url}/docs`, options);
    await heading(visitor.page, 'Compress an image').waitFor();
    return visitor;
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

  /** Presses until the result shows: the reference redraws its parts while it loads, and a click on a replaced part is lost. */
  const pressUntil = (shown: Locator, press: (options: { timeout: number }) => Promise<unknown>) =>
    eventually(async () => {
      const options = { timeout: 5_000 };
      if (!(await shown.isVisible())) await press(options);
      await shown.waitFor(options);
    });

  async function expectAccessible({ complaints, page, violations }: Visit) {
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  }

  it('is accessible on a phone, fits the screen and breaks no rule of its policy', async () => {
    await expectAccessible(await open({ viewport: { width: 390, height: 844 }, isMobile: true }));
  });

  describe('on a desktop', () => {
    let visitor: Visit;
    let page: Page;
    beforeAll(async () => {
      visitor = await open({ colorScheme: 'light' });
      page = visitor.page;
    });

    it.each(['light', 'dark'] as const)(
      'is accessible, fits the screen and breaks no rule of its policy: %s',
      async (colorScheme) => {
        await page.emulateMedia({ colorScheme });
        await page.locator(`body.${colorScheme}-mode`).waitFor();
        await expectAccessible(visitor);
      },
    );

    it('loads nothing from another host', () => {
      expect([...visitor.origins]).toEqual([new URL(service.url).origin]);
    });

    it('names this host in the samples, in five languages', async () => {
      await heading(page, 'Compress an image').scrollIntoViewIfNeeded();
      const sample = page.locator('pre').filter({ hasText: '/api/v1/compress?' }).first();
      await sample.waitFor();
      expect(await sample.innerText()).toContain(`curl "${service.url}/api/v1/compress?quality=medium"`);
      const body = JSON.stringify(await (await fetch(`${service.url}/openapi.json`)).json());
      for (const label of ['curl', 'JavaScript (fetch)', 'Python (requests)', 'PHP (curl)', 'Go']) {
        expect(body).toContain(`"label":"${label}"`);
      }
      const python = page.locator('pre').filter({ hasText: 'requests.post(' }).first();
      const option = page.getByRole('option', { name: 'Python (requests)' });
      const menu = page.getByRole('button', { name: 'curl' }).first();
      await pressUntil(python, async (options) => {
        if (!(await option.isVisible())) await menu.click(options);
        await option.click(options);
      });
      expect(await python.innerText()).toContain(`"${service.url}/api/v1/compress?quality=medium"`);
    });

    it('states defaults as text', async () => {
      const text = (words: string) => page.getByText(words).first().waitFor();
      await text('or a score from 0.9 to 0.9999. Default: high.');
      await text('A larger image is scaled down. Default: 3840.');
      expect(await page.getByText('Default', { exact: true }).count()).toBe(0);
    });

    it('shows the tab of every status, within its card', async () => {
      await page.setViewportSize({ width: 1280, height: 900 });
      const list = page.getByRole('tablist').first();
      const tabs = list.getByRole('tab');
      expect(await tabs.count()).toBe(12);
      for (const tab of await tabs.all()) {
        await tab.scrollIntoViewIfNeeded();
        const box = await tab.boundingBox();
        const x = (box?.x ?? 0) + (box?.width ?? 0) / 2;
        const y = (box?.y ?? 0) + (box?.height ?? 0) / 2;
        const shown = `document.elementFromPoint(${x}, ${y})?.closest('[role=tab]')?.innerText`;
        expect(await page.evaluate(shown)).toBe(await tab.innerText());
      }
    });

    it('lists the X- headers of a compressed image without a click', async () => {
      for (const name of ['X-Bytes-Saved', 'X-Quality', 'X-SSIM', 'X-Skip-Reason']) {
        await page
          .getByRole('listitem')
          .filter({ hasText: `${name}:` })
          .first()
          .waitFor();
      }
    });

    it('begins with a quick start, shows no licence, and leads back to the page', async () => {
      await heading(page, 'Quick start').waitFor();
      expect(await page.getByText('Proprietary').count()).toBe(0);
      expect(await page.getByText('//api/v1').count()).toBe(0);
      await page.getByRole('link', { name: 'Image compression' }).click();
      await page.getByRole('heading', { name: 'Smaller images that look the same' }).waitFor();
    });
  });

  it('leads to itself where there is no page', async () => {
    const off = await startService({ WEB: 'off' });
    const { page } = await visit(`${off.url}/docs`);
    const path = await page.getByRole('link', { name: 'Image compression' }).getAttribute('href');
    expect((await fetch(`${off.url}${path}`)).status).toBe(200);
    await off.stop();
  });

  it('has the key of the page in its place already', async () => {
    const { apiKey } = await service.signUp();
    const { page } = await visit(service.url);
    await page.evaluate(`localStorage.setItem('image-compression-key', '${apiKey}')`);
    await page.goto(`${service.url}/docs`);
    await heading(page, 'Compress an image').waitFor();
    expect(await page.getByPlaceholder('Token').first().inputValue()).toBe(apiKey);
    await expectKeyInSample(page, apiKey);
  });

  /** Scalar hides the key in a sample, but copies it. */
  async function expectKeyInSample(page: Page, apiKey: string) {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sample = page.locator('.scalar-code-block').filter({ hasText: '/api/v1/compress?' }).first();
    await eventually(async () => {
      await sample.hover({ timeout: 5_000 });
      await sample.getByRole('button', { name: 'Copy' }).click({ timeout: 5_000 });
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toContain(`Bearer ${apiKey}`);
    });
  }

  it('compresses an image with the key that is typed in', async () => {
    const { apiKey } = await service.signUp();
    const { page } = await open();
    await page.getByPlaceholder('Token').first().fill(apiKey);
    await page.getByPlaceholder('Token').first().blur();
    await expectKeyInSample(page, apiKey);
    const dialog = page.getByRole('dialog');
    const select = dialog.getByRole('button', { name: 'Select File' }).first();
    await pressUntil(select, (options) =>
      page.getByRole('button', { name: 'Test Request' }).first().click(options),
    );
    let chooser: FileChooser | undefined;
    page.on('filechooser', (opened) => (chooser = opened));
    await eventually(async () => {
      if (!chooser) await select.click({ timeout: 5_000 });
      expect(chooser).toBeDefined();
    });
    await chooser?.setFiles(SAMPLE);
    const answered = page.waitForResponse((one) => new URL(one.url()).pathname === '/api/v1/compress');
    await pressUntil(dialog.getByText('200 OK'), (options) =>
      dialog.getByRole('button', { name: 'Send' }).first().click(options),
    );
    const response = await answered;
    expect([response.status(), new URL(response.url()).search]).toEqual([200, '']);
  });
});
