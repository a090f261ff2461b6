/** The API reference at /docs, in a browser: what an integrator sees, copies and tries. */
import { button, click, describeInBrowser, visit } from '../support/browser';
import { PROJECT } from '../support/folders';
import { sharedClient } from '../support/shared-service';

const OPERATION = '#operations-Compression-compressImage';

describeInBrowser('the API reference at /docs', () => {
  const service = sharedClient();
  const off = sharedClient('tight');

  it.each([
    ['a phone', { viewport: { width: 390, height: 844 }, isMobile: true }],
    ['a dark desktop', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' as const }],
  ])('is accessible on %s, fits the screen and breaks no rule of its policy', async (_, options) => {
    const { origins, page, expectAccess } = await visit(`${service.url}/docs`, options);
    await page.locator(OPERATION).waitFor();
    // Swagger UI makes the path of an operation focusable within the button that opens it, and has its title outside of landmarks.
    await expectAccess(/^(nested-interactive|region)$/);
    expect([...origins]).toEqual([new URL(service.url).origin]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  });

  it('shows samples for this host, defaults and headers, and compresses an image with the key of the page', async () => {
    const { apiKey } = await service.signUp();
    const { page } = await visit(service.url);
    await page.evaluate(`localStorage.setItem('image-compression-key', '${apiKey}')`);
    await page.goto(`${service.url}/docs`);
    const operation = page.locator(OPERATION);
    await operation.locator('.opblock-summary-control').click();
    await button(operation, 'Execute').waitFor();
    const text = await operation.innerText();
    expect(text).toContain(`curl "${service.url}/api/v1/compress?quality=medium"`);
    expect(text).toContain(`fetch('${service.url}/api/v1/compress?quality=medium'`);
    expect(text).toContain(`Bearer ${apiKey}`);
    expect(text).toContain('Default: high');
    expect(text).toContain('X-Bytes-Saved');
    await operation.locator('input[type=file]').setInputFiles(PROJECT.path('examples/sample.jpg'));
    const answered = page.waitForResponse((one) => new URL(one.url()).pathname === '/api/v1/compress');
    await click(operation, 'Execute');
    const response = await answered;
    expect([response.status(), new URL(response.url()).search]).toEqual([200, '']);
  });

  it('leads back to the page, and to itself where there is none', async () => {
    for (const [{ url }, path] of [
      [service, '/'],
      [off, '/docs'],
    ] as const) {
      const { page } = await visit(`${url}/docs`);
      const link = page.getByRole('link', { name: 'Image compression' });
      expect(await link.getAttribute('href')).toBe(path);
    }
  });
});
