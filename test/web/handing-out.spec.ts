/** Results leave the page: dragged out, copied; and the page says at once when there is no network. */
import { describeInBrowser, jpegFile, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { openedView } from './comparison';

describeInBrowser('results', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  it('are dragged out by the link and by the thumbnail, under the name of a download', async () => {
    const { page, choose, complaints } = await visit(service.url);
    await choose(jpegFile('a:b.jpg', photo), jpegFile('2.jpg', photo));
    await page.getByText('2 images done').waitFor();
    const dragged = (selector: string) =>
      page.evaluate<string>(`(() => { const dataTransfer = new DataTransfer();
        document.querySelector('${selector}').dispatchEvent(new DragEvent('dragstart', { bubbles: true, dataTransfer }));
        return dataTransfer.getData('DownloadURL'); })()`);
    for (const selector of ['.job .download', '.job .thumbnail img']) {
      const [, type, name, url] = /^([^:]*):([^:]*):(.*)$/.exec(await dragged(selector)) ?? [];
      expect([type, name]).toEqual(['image/jpeg', 'a_b-compressed.jpg']);
      expect(url).toBe(await page.locator('.job .download').first().getAttribute('href'));
    }
    expect(complaints).toEqual([]);
  });

  it('are copied as images, pixel by pixel', async () => {
    const { page, choose, complaints, violations } = await visit(service.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await choose(jpegFile('1.jpg', photo));
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'Compare 1.jpg' }).click();
    await openedView(page);
    await page.getByRole('button', { name: 'Copy image' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await violations()).toEqual([]);
    const sameSize = `(async () => { const [item] = await navigator.clipboard.read();
      const { width, height } = await createImageBitmap(await item.getType('image/png')); return [width, height]; })()`;
    expect(await page.evaluate(sameSize)).toEqual([320, 240]);
    expect(complaints).toEqual([]);
  });

  it('stay when the network goes: the page says so at once, and goes on when it is back', async () => {
    const { page, choose, row, violations } = await visit(service.url);
    await choose(jpegFile('1.jpg', photo));
    await page.getByText('1 image done').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'Download 1.jpg' }).waitFor();
    await choose(jpegFile('2.jpg', photo));
    await row('2.jpg').getByText('Waiting for the service').waitFor();
    await page.context().setOffline(false);
    await page.getByText('2 images done').waitFor();
    expect(await page.getByRole('alert').getByText('cannot be reached').count()).toBe(0);
  });

  it('take a while: the row says what is being done and for how long', async () => {
    const { page, row } = await visit(service.url);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/compressed', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Landscape' }).click();
    const words = row('landscape.jpg').getByText('Finding the smallest JPG that looks the same …');
    await words.waitFor();
    await eventually(async () => expect(await words.textContent()).toMatch(/… [1-9]\d* s$/));
    release();
    await page.getByText('1 image done').waitFor();
  });

  it('of a byte limit lead with the width that is left, and offer another format first', async () => {
    const { page, choose, row, violations } = await visit(service.url);
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('File size, at most').fill('6');
    await choose(jpegFile('1.jpg', await photoJpeg(900, 600)));
    await page.getByText('1 image done').waitFor();
    const width = async () => {
      const text = await row('1.jpg').locator('.saving').innerText();
      return Number(/^(\d+)% of its width$/.exec(text)?.[1]);
    };
    const asUploaded = await width();
    expect(asUploaded).toBeLessThan(100);
    expect(await row('1.jpg').getByText('Looks').count()).toBe(0);
    expect(await violations()).toEqual([]);
    await row('1.jpg').getByRole('button', { name: 'Try another format' }).click();
    await row('1.jpg')
      .getByText(/^Now an? (AVIF|WebP)$/)
      .waitFor();
    expect((await width()) || 100).toBeGreaterThan(asUploaded);
  });
});
