import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Download } from 'playwright-core';
import sharp from 'sharp';
import { describeInBrowser, expectFocus, jpegFile, visit, IN_MOTION } from '../support/browser';
import { decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { keepSample, keepScreenshot } from '../support/screenshots';
import { ownService } from '../support/service';
import { openedView } from './comparison';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const sample = readFileSync(join(EXAMPLES, 'sample.jpg'));

describeInBrowser('a first visit', () => {
  const service = ownService({ RATE_LIMIT_PER_MINUTE: '20' });

  it('signs up, shows the key once, and the key works elsewhere', async () => {
    const { page, complaints, violations } = await visit(service.url, IN_MOTION);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await expectFocus(page.getByLabel('E-mail address'));
    await page.getByLabel('E-mail address').fill('first@example.com');
    await page.getByLabel('E-mail address').press('Enter');
    const field = page.getByRole('textbox', { name: 'API key' });
    const key = await field.inputValue();
    await expectFocus(field);
    await page.getByText('This device remembers it until you sign out').waitFor();
    expect(await violations()).toEqual([]);
    expect((await service.compress(graphicPng(16, 16), key)).status).toBe(200);

    await page.getByText('first@example.com').waitFor();
    await page.reload();
    await page.getByText('first@example.com').waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    expect(await field.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('compresses several images, tells what it did, and gives them one by one or all in a ZIP', async () => {
    const { page, row, choose, signUp, violations, complaints } = await visit(service.url, IN_MOTION);
    await signUp();
    const png = graphicPng(400, 300);
    await choose(
      jpegFile('hills.jpg', sample),
      { name: 'diagram.png', mimeType: 'image/png', buffer: png },
      jpegFile('hills.jpg', await photoJpeg(200, 150)),
    );
    await page.getByText('3 images done').waitFor();

    const hills = row('hills.jpg').first();
    const text = (await hills.innerText()).replace(/\s+/g, ' ');
    expect(text).toMatch(/273 kB → before, now [\d.]+ kB/);
    expect(text).toMatch(/Looks identical \d+% smaller/);
    await hills.getByRole('button', { name: 'Details of hills.jpg' }).click();
    const details = (await hills.innerText()).replace(/\s+/g, ' ');
    expect(details).toMatch(/Dimensions 1600 × 1067 px/);
    expect(details).toMatch(/Quality \d+ JPG quality from 1 to 100/);
    expect(details).toMatch(/Score 0\.99\d\d Similarity to your file.*the aim was 0\.9914/);
    expect(details).toMatch(/queue .*decode .*search .*encode .*verify .* m?s\./);
    // The sample has no metadata: nothing is said to be removed.
    expect(details).not.toContain('Removed');
    expect(await violations()).toEqual([]);
    await row('diagram.png').getByRole('button', { name: 'Details of diagram.png' }).click();
    expect(await row('diagram.png').innerText()).not.toContain('Quality');

    const one = await downloaded(page.waitForEvent('download'), () =>
      page.getByRole('link', { name: 'Download hills.jpg' }).first().click(),
    );
    expect(one.name).toBe('hills-compressed.jpg');
    expect(one.bytes.length).toBeLessThan(sample.length);
    expect(decodeIndependently(one.bytes)).toMatchObject({ width: 1600, height: 1067 });

    const zip = await downloaded(page.waitForEvent('download'), () =>
      page.getByRole('button', { name: 'Download all 3' }).click(),
    );
    const entries = unzipSync(zip.bytes);
    expect(Object.keys(entries)).toEqual([
      'hills-compressed.jpg',
      'diagram-compressed.png',
      'hills-compressed (2).jpg',
    ]);
    expect(Buffer.from(entries['hills-compressed.jpg'] ?? []).equals(one.bytes)).toBe(true);
    expect(decodeIndependently(Buffer.from(entries['diagram-compressed.png'] ?? []))).toMatchObject({
      width: 400,
      height: 300,
    });
    expect(complaints).toEqual([]);
  });

  it('gives a file back as it was when nothing can be gained, and says so', async () => {
    const { page, row, choose, pasteKey } = await visit(service.url, IN_MOTION);
    const { apiKey } = await service.signUp();
    const once = Buffer.from(await (await service.compress(sample, apiKey)).arrayBuffer());
    await pasteKey(apiKey);
    await choose(jpegFile('again.jpg', once));
    await page.getByText('1 done (1 unchanged)').waitFor();
    const text = await row('again.jpg').innerText();
    expect(text).toContain('Unchanged');
    expect(text).toContain('Already as small as it gets at this quality');
    expect(text).not.toContain('Quality');
  });

  it('takes files that are dropped or pasted', async () => {
    const { page, signUp, row } = await visit(service.url, IN_MOTION);
    await signUp();
    const bytes = JSON.stringify([...graphicPng(40, 40)]);
    const transfer = (name: string) =>
      `(() => { const files = new DataTransfer();
        files.items.add(new File([new Uint8Array(${bytes})], '${name}', { type: 'image/png' })); return files; })()`;
    await page.evaluate(
      `document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: ${transfer('dropped.png')} }))`,
    );
    await page.evaluate(
      `document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: ${transfer('pasted.png')} }))`,
    );
    await page.getByText('2 images done').waitFor();
    expect(await row('dropped.png').count()).toBe(1);
    expect(await row('pasted.png').count()).toBe(1);
  });

  it('is fit to be shown', async () => {
    const { page, choose } = await visit(service.url, {
      ...IN_MOTION,
      viewport: { width: 1100, height: 920 },
    });
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('E-mail address').press('Enter');
    await page.getByRole('button', { name: 'Done' }).click();
    const { apiKey } = await service.signUp();
    const part = (left: number, top: number, width = 640, height = 480) =>
      sharp(sample).extract({ left, top, width, height }).jpeg().toBuffer();
    const once = Buffer.from(await (await service.compress(await part(900, 300), apiKey)).arrayBuffer());
    const located = await sharp(await part(500, 200, 900, 700))
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N' } })
      .toBuffer();
    await choose(
      jpegFile('mountain-view.jpg', sample),
      jpegFile('IMG_20260412_101533.jpg', located),
      jpegFile('from-last-week.jpg', once),
      { name: 'diagram.png', mimeType: 'image/png', buffer: graphicPng(900, 600) },
      jpegFile('panorama.jpg', await sharp(sample).resize(4400, 1100).jpeg().toBuffer()),
      jpegFile('clouds.jpg', await part(100, 0, 800, 400)),
    );
    await page.getByText(/^6 done \(/).waitFor();
    await choose(jpegFile('letter.pdf', Buffer.from('%PDF-1.7 and so on')));
    await page.getByText('This is a PDF.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Details of IMG_20260412_101533.jpg' }).click();
    await page.getByText('Location and camera data', { exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await keepScreenshot(page, 'list');
    await keepSample(page);
    await page.setViewportSize({ width: 1100, height: 700 });
    await choose(jpegFile('still-life.jpg', readFileSync(join(EXAMPLES, 'still-life.jpg'))));
    await page.getByRole('button', { name: 'Compare still-life.jpg' }).click();
    await openedView(page);
    await keepScreenshot(page, 'compare');
  });
});

async function downloaded(event: Promise<Download>, cause: () => Promise<void>) {
  const [download] = await Promise.all([event, cause()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
