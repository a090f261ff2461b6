import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, visit } from '../support/browser';
import { startService, type Service } from '../support/service';

describeInBrowser('the documentation at /docs', () => {
  let browser: Browser;
  let service: Service;
  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), startService()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it.each([
    ['in the light', {}],
    ['in the dark', { colorScheme: 'dark' as const }],
    ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true }],
  ])('can be read by everybody %s, and loads nothing from elsewhere', async (_, options) => {
    const { complaints, page, violations } = await visit(browser, `${service.url}/docs`, options);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
