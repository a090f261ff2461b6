/** The page under a finger. */
import type { Page } from 'playwright-core';
import { describeInBrowser, jpegFile, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { drawn, openedView } from './comparison';

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

describeInBrowser('a phone', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(900, 600)));

  const two = () => [jpegFile('a-photo-with-a-long-name-0041.jpg', photo), jpegFile('2.jpg', photo)];
  const zoom = async (page: Page) =>
    Number.parseInt(String(await page.getByLabel('Zoom level').textContent()), 10);
  const divider = async (page: Page) => Number(await page.getByRole('slider').inputValue());
  /** Touches along these places, one after the other, with the times that a finger would take. */
  const touch = async (page: Page, ...places: readonly (readonly [number, number])[]) => {
    const client = await page.context().newCDPSession(page);
    const [first, ...rest] = places.map(([x, y]) => [{ x, y, id: 0 }]);
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: first });
    for (const touchPoints of rest)
      await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await client.detach();
  };

  it('opens the comparison by a tap on the row, and downloads by the icon in it', async () => {
    const { page, row, choose, violations } = await visit(service.url, PHONE);
    await choose(...two());
    await page.getByText('2 images done').waitFor();
    const link = row('2.jpg').getByRole('link', { name: 'Download 2.jpg' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.tap()]);
    expect(download.suggestedFilename()).toBe('2-compressed.jpg');
    expect(await page.getByRole('dialog').count()).toBe(0);
    const { x, y } = (await row('2.jpg').getByText('Looks identical').boundingBox())!;
    await page.touchscreen.tap(x + 5, y + 5);
    await page.getByRole('dialog').getByText('2.jpg').waitFor();
    expect(await violations()).toEqual([]);
  });

  it('shortens a name in the middle and scrolls nothing sideways, also at 320 pixels', async () => {
    for (const width of [390, 320]) {
      const { page, row, choose } = await visit(service.url, {
        ...PHONE,
        viewport: { width, height: 640 },
      });
      await choose(...two(), jpegFile('scan-of-a-contract-from-last-week.pdf', Buffer.from('%PDF-1.7')));
      await page.getByText('2 done, 1 failed').waitFor();
      const tail = row('a-photo-with-a-long-name-0041.jpg').getByText('0041.jpg', { exact: true });
      const box = (await tail.boundingBox())!;
      const thumbnail = (await row('2.jpg').locator('.thumbnail').boundingBox())!;
      expect(box.x).toBeGreaterThan(thumbnail.x + thumbnail.width);
      expect(box.x + box.width).toBeLessThan(width - 60);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it('keeps what can be done about a size that cannot be reached within 320 pixels', async () => {
    const { page, row, choose } = await visit(service.url, {
      ...PHONE,
      viewport: { width: 320, height: 640 },
    });
    await page.getByText('Options').tap();
    await page.getByLabel('File size, at most').fill('1');
    await choose(jpegFile('1.jpg', photo));
    await row('1.jpg').getByText('Does not fit into 1 kB').waitFor();
    for (const name of ['Another format for 1.jpg', 'Fewer pixels for 1.jpg', 'Remove 1.jpg']) {
      const { x, width } = (await page.getByRole('button', { name }).boundingBox())!;
      expect(x + width).toBeLessThan(320);
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
  });

  it('moves the divider with a finger on the fitted image, and zooms by a double tap', async () => {
    const { page, choose, complaints } = await visit(service.url, PHONE);
    await choose(jpegFile('1.jpg', photo));
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'Full screen' }).tap();
    await openedView(page);
    await touch(page, [200, 400], [250, 400], [312, 400]);
    await eventually(async () => expect(await divider(page)).toBeCloseTo(80, 0));
    const fitted = await zoom(page);
    expect(fitted).toBeLessThan(100);
    // Until both taps came fast enough after each other.
    await eventually(async () => {
      await touch(page, [100, 420]);
      await touch(page, [100, 420]);
      await drawn(page);
      expect(await zoom(page)).toBe(100);
    });
    // Away from the divider: the image moves, the divider stays.
    const before = (await page.getByRole('img', { name: 'After' }).boundingBox())!;
    await touch(page, [120, 420], [100, 420], [80, 420]);
    await eventually(async () =>
      expect((await page.getByRole('img', { name: 'After' }).boundingBox())!.x).toBeCloseTo(before.x - 40, 0),
    );
    expect(await divider(page)).toBeCloseTo(80, 0);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['upright', { width: 390, height: 844 }],
    ['on its side', { width: 844, height: 390 }],
  ])('has every tool of the comparison in one row of icons: %s', async (_, viewport) => {
    const { page, choose, violations } = await visit(service.url, { ...PHONE, viewport });
    await choose(...two());
    await page.getByText('2 images done').waitFor();
    await page.getByRole('button', { name: 'Compare 2.jpg' }).click();
    await openedView(page);
    const boxes = [];
    for (const name of ['Split', 'Result', 'Changes', 'Hold for original', 'Worst spot', 'Fit', '100%']) {
      boxes.push((await page.getByRole('button', { name, exact: true }).boundingBox())!);
    }
    const [first] = boxes;
    const isUpright = viewport.height > viewport.width;
    for (const box of boxes) {
      expect(isUpright ? Math.abs(box.y - first.y) : Math.abs(box.x - first.x)).toBeLessThan(8);
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(32);
      expect(box.x + box.width).toBeLessThanOrEqual(viewport.width);
      expect(box.y + box.height).toBeLessThanOrEqual(viewport.height);
    }
    expect(await violations()).toEqual([]);
    // Each has a word below its icon.
    for (const word of ['Split', 'Result', 'Changes', 'Original', 'Worst', 'Fit', '100%']) {
      await page.getByText(word, { exact: true }).and(page.locator('.short')).waitFor();
    }
    await page.getByRole('button', { name: 'Worst spot' }).tap();
    const status = page.getByText(/^(Looking for differences …|Largest change: .*)$/);
    await status.waitFor();
    const box = (await status.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(viewport.width);
    expect(box.y + box.height).toBeLessThanOrEqual(viewport.height);
    // The result covers no label of the image.
    await page.getByText(/^Largest change: /).waitFor();
    const found = (await status.boundingBox())!;
    const label = (await page.getByText(/^Before · /).boundingBox())!;
    const areApart = found.y >= label.y + label.height || label.y >= found.y + found.height;
    expect(areApart).toBe(true);
  });

  it('removes an image by one tap in its row', async () => {
    const { page, row, choose } = await visit(service.url, PHONE);
    await choose(...two());
    await page.getByText('2 images done').waitFor();
    // The mark on the thumbnail says that the row opens the comparison.
    await row('2.jpg').locator('.opens').waitFor();
    await page.getByRole('button', { name: 'Remove 2.jpg' }).tap();
    await page.getByText('1 image removed.').waitFor();
    expect(await row('2.jpg').count()).toBe(0);
  });

  it('hands results to the share sheet where the system has one', async () => {
    const { page, choose } = await visit(service.url, PHONE);
    await page.evaluate(`globalThis.shared = []; navigator.canShare = () => true;
      navigator.share = ({ files }) => { shared.push(...files.map(({ name, type }) => name + ' ' + type)); return Promise.resolve(); };`);
    await choose(...two());
    await page.getByText('2 images done').waitFor();
    await page.getByRole('button', { name: 'Share all 2' }).tap();
    await eventually(async () =>
      expect(await page.evaluate('shared')).toEqual([
        'a-photo-with-a-long-name-0041-compressed.jpg image/jpeg',
        '2-compressed.jpg image/jpeg',
      ]),
    );
    await page.getByRole('button', { name: 'Download all 2' }).waitFor();
  });
});
