/** The page by keyboard, by finger, on small screens, in light and dark, and aloud. */
import type { Page } from 'playwright-core';
import {
  boxOf,
  button,
  click,
  shows,
  describeInBrowser,
  enter,
  expectFocus,
  IN_MOTION,
  filesOf,
  visit,
  visitWithKey,
} from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { compareImage, expectDivider, listed, openedView, touch, zoomOf } from './page-parts';

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const SMALL_PHONE = { ...PHONE, viewport: { width: 320, height: 640 } };
/** WCAG 2.2, success criterion 2.5.8: the least size of what is tapped, in CSS pixels. */
const LEAST_TARGET_PX = 24;
const LONG_NAME = 'a-photo-with-a-long-name_and_no-place-to-break-0041.jpg';

describeInBrowser('the page', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(900, 600)));

  it('works with the keyboard alone, keeps the focus, and says aloud what became of an image', async () => {
    const { page } = await visit(service.url);
    await tabTo(page, 'Sign up');
    await page.keyboard.press('Enter');
    await expectFocus(page.getByLabel('E-mail address'));
    await page.keyboard.type('keyboard@example.com');
    await page.keyboard.press('Enter');
    await shows(page, 'Your new API key is shown only once.');
    await page.keyboard.press('Escape');
    const input = page.getByLabel('Choose JPG or PNG images');
    await tabTo(page, 'Choose JPG or PNG images');
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Space');
    await (await chooser).setFiles(filesOf({ 'photo.jpg': photo }));
    await shows(page.getByRole('status'), /^photo\.jpg: \d+ percent smaller\.$/);
    await tabTo(page, 'Compare photo.jpg');
    await page.keyboard.press('Enter');
    await openedView(page);
    await tabTo(page, 'Divider between before and after');
    await page.keyboard.press('End');
    expect(await page.getByRole('slider').inputValue()).toBe('100');
    await page.keyboard.press('Escape');
    await expectFocus(button(page, 'Compare photo.jpg'));
    await tabTo(page, 'Remove photo.jpg');
    await page.keyboard.press('Enter');
    await expectFocus(input);
  });

  it.each(['light', 'dark'] as const)('has enough contrast, %s', async (colorScheme) => {
    const { page, choose, expectAccess } = await visitWithKey(service, { colorScheme });
    await click(page, 'More');
    await expectAccess();
    await choose({ 'photo.jpg': photo, 'wrong.jpg': Buffer.from('not an image') });
    await listed(page, '1 done, 1 failed');
    await click(page, 'Details of photo.jpg');
    await click(page, 'A third');
    await expectAccess();
    await compareImage(page, 'photo.jpg');
    await expectAccess();
  });

  it('moves nothing for people who asked for that, and something for others', async () => {
    const moving = `[...document.querySelectorAll('*')].filter((element) =>
      getComputedStyle(element).transitionDuration !== '0s' || getComputedStyle(element).animationName !== 'none').length`;
    const { page } = await visit(service.url, { reducedMotion: 'reduce' });
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    expect(await page.evaluate(moving)).toBe(0);
    await page.emulateMedia(IN_MOTION);
    expect(await page.evaluate(moving)).toBeGreaterThan(0);
  });

  it.each([
    [320, SMALL_PHONE],
    [390, PHONE],
  ])(
    'fits a phone of %i pixels: nothing scrolls sideways, all is large enough to tap',
    async (width, phone) => {
      const { page, row, choose, expectAccess } = await visit(service.url, phone);
      const checkFit = async () => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        const controls = page.getByRole('button').or(page.getByRole('link')).or(page.locator('label'));
        for (const control of await controls.all()) {
          const box = (await control.isVisible()) ? await control.boundingBox() : null;
          if (!box || (await control.getAttribute('type')) === 'file') continue;
          const name = await control.innerText();
          expect([name, Math.min(box.width, box.height) >= LEAST_TARGET_PX]).toEqual([name, true]);
        }
      };
      await button(page, 'More').tap();
      await checkFit();
      await button(page, 'Sign up').tap();
      await checkFit();
      await button(page.getByRole('dialog'), 'Close').tap();
      await choose({ [LONG_NAME]: photo, 'scan-of-a-contract-from-last-week.pdf': Buffer.from('%PDF-1.7') });
      await listed(page, '1 done, 1 failed');
      // The download of a single image is larger than anything else.
      const main = await boxOf(page.getByRole('link', { name: 'Download', exact: true }));
      expect(main.width).toBeGreaterThan(width / 2);
      const details = button(page, /^Details of/);
      await details.tap();
      await checkFit();
      await details.tap();
      await choose({ '2.jpg': photo });
      await listed(page, '2 done, 1 failed');
      await checkFit();
      const tail = await boxOf(row(LONG_NAME).getByText('0041.jpg', { exact: true }));
      const thumbnail = await boxOf(row('2.jpg').locator('.thumbnail'));
      const name = await boxOf(row('2.jpg').getByText('2.jpg', { exact: true }));
      expect(name.x).toBeGreaterThan(thumbnail.right + 8);
      expect(tail.x).toBeGreaterThan(thumbnail.right + 8);
      const [saving, sizes] = ['.saving', '.outcome > span'].map((part) =>
        row('2.jpg').locator(part).first(),
      );
      const line = await boxOf(saving);
      if (width > 320) expect((await boxOf(sizes)).y).toBeLessThan(line.y + line.height / 2);
      expect(tail.right).toBeLessThan(width - 60);
      await expectAccess();
    },
  );

  it('keeps the size that is possible within 320 pixels', async () => {
    const { page, row, choose } = await visit(service.url, SMALL_PHONE);
    await button(page, 'More').tap();
    await enter(page, 'File size, at most (kB)', '1');
    await choose({ '1.jpg': photo });
    await shows(row('1.jpg'), 'Does not fit into 1 kB');
    for (const name of [/^Use .* for 1\.jpg$/, 'Remove 1.jpg']) {
      expect((await boxOf(button(page, name))).right).toBeLessThan(320);
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
  });

  it('is used by finger: rows open the comparison, one tap downloads, shares or removes', async () => {
    const { page, row, choose, expectAccess } = await visit(service.url, PHONE);
    await page.evaluate(`globalThis.shared = []; navigator.canShare = () => true;
      navigator.share = ({ files }) => { shared.push(...files.map(({ name, type }) => name + ' ' + type)); return Promise.resolve(); };`);
    await choose({ '1.jpg': photo, '2.jpg': photo });
    await listed(page, '2 images done');
    await button(page, 'Share all 2').tap();
    const shared = ['1-compressed.jpg image/jpeg', '2-compressed.jpg image/jpeg'];
    await eventually(async () => expect(await page.evaluate('shared')).toEqual(shared));
    const link = row('2.jpg').getByRole('link', { name: 'Download 2.jpg' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.tap()]);
    expect(download.suggestedFilename()).toBe('2-compressed.jpg');
    expect(await page.getByRole('dialog').count()).toBe(0);
    const { x, y } = await boxOf(row('2.jpg').getByText('Looks the same'));
    await page.touchscreen.tap(x + 5, y + 5);
    await shows(page.getByRole('dialog'), '2.jpg');
    await expectAccess();
    await button(page, 'Close').tap();
    await button(page, 'Remove 2.jpg').tap();
    await shows(page, '1 image removed.');

    // The only image is shown in the page itself: a drag moves the divider, a tap opens the comparison.
    const picture = await boxOf(page.getByRole('img', { name: 'After' }));
    const at = (share: number) => [picture.x + picture.width * share, picture.y + 60] as const;
    await touch(page, [at(0.5)], [at(0.4)], [at(0.25)]);
    await expectDivider(page, 25);
    // A tap during the end of the drag would be part of it.
    const view = page.getByRole('group', { name: /^Images\./ });
    await eventually(async () => {
      if (!(await view.isVisible())) await page.touchscreen.tap(...at(0.5));
      await view.waitFor({ timeout: 5_000 });
    });
    await openedView(page);
    const fitted = await zoomOf(page);
    await touch(page, [[200, 400]], [[250, 400]], [[312, 400]]);
    await expectDivider(page, 80);
    // Until both taps came fast enough after each other.
    await eventually(async () => {
      await touch(page, [[100, 420]]);
      await touch(page, [[100, 420]]);
      expect(await zoomOf(page)).toBe(100);
    });
    expect(fitted).toBeLessThan(100);
  });

  it.each([
    ['upright', { width: 390, height: 844 }],
    ['on its side', { width: 844, height: 390 }],
  ])('has every tool of the comparison in one row of icons on a phone: %s', async (_, viewport) => {
    const { page, choose, expectAccess } = await visit(service.url, { ...PHONE, viewport });
    await choose({ '1.jpg': photo, '2.jpg': photo });
    await listed(page, '2 images done');
    await compareImage(page, '2.jpg');
    let first: { y: number } | undefined;
    for (const name of ['Split', 'Result', 'Changes', 'Hold for original', 'Worst spot', 'Fit', '100%']) {
      const box = await boxOf(page.getByRole('button', { name, exact: true }));
      first ??= box;
      expect(Math.abs(box.y - first.y)).toBeLessThan(8);
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(32);
      expectInside(box, viewport);
    }
    await expectAccess();
    await button(page, 'Worst spot').tap();
    const found = await boxOf(page.getByText(/^Largest change: /));
    expectInside(found, viewport);
    // It covers no label of the image.
    const label = await boxOf(page.getByText(/^Before · /));
    expect(found.y >= label.bottom || label.y >= found.bottom).toBe(true);
  });
});

function expectInside(
  { right, bottom }: { readonly right: number; readonly bottom: number },
  { width, height }: { readonly width: number; readonly height: number },
) {
  expect(right).toBeLessThanOrEqual(width);
  expect(bottom).toBeLessThanOrEqual(height);
}

async function tabTo(page: Page, name: string) {
  const focused = `(() => { const e = document.activeElement;
    return e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent.trim() ?? e.textContent.trim(); })()`;
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>(focused)).startsWith(name)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
