import type { Page } from 'playwright-core';
import { describeInBrowser, expectFocus, jpegFile, visit, IN_MOTION } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { openedView } from './comparison';

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true };
/** WCAG 2.2, success criterion 2.5.8: the least size of what is tapped, in CSS pixels. */
const LEAST_TARGET_PX = 24;

describeInBrowser('access', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(640, 480)));

  it('works with the keyboard alone, and the focus is never lost', async () => {
    const { page } = await visit(service.url);
    await tabTo(page, 'Sign up');
    await page.keyboard.press('Enter');
    await page.keyboard.type('keyboard@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your API key' }).waitFor();
    await tabTo(page, 'Done');
    // The browser has to know before the key is pressed.
    const dialog = page.waitForEvent('filechooser');
    await page.keyboard.press('Enter');
    const input = page.getByLabel('Choose JPG or PNG images');
    await expectFocus(input);
    await page.keyboard.press('Space');
    await (await dialog).setFiles([jpegFile('photo.jpg', photo)]);
    await page.getByText('1 image done').waitFor();

    await tabTo(page, 'Compare photo.jpg');
    await page.keyboard.press('Enter');
    await openedView(page);
    await tabTo(page, 'Divider between before and after');
    await page.keyboard.press('End');
    expect(await page.getByRole('slider').inputValue()).toBe('100');
    await page.keyboard.press('Escape');
    await expectFocus(page.getByRole('button', { name: 'Compare photo.jpg' }));
    await tabTo(page, 'Remove photo.jpg');
    await page.keyboard.press('Enter');
    await expectFocus(input);
  });

  it('gives the focus to the form before the next key', async () => {
    const { page } = await visit(service.url);
    // The form is there by then, and no event has been handled yet.
    const focused = `(async () => {
      [...document.querySelectorAll('button')].find((button) => button.textContent.trim() === 'Sign up').click();
      for (let turn = 0; turn < 10; turn++) await undefined;
      return document.activeElement.type;
    })()`;
    expect(await page.evaluate(focused)).toBe('email');
  });

  it('says aloud what became of each image', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(jpegFile('photo.jpg', photo));
    await page
      .getByRole('status')
      .getByText(/^photo\.jpg: \d+ percent smaller\.$/)
      .waitFor();
  });

  it('fits a phone: nothing scrolls sideways, everything is large enough to tap', async () => {
    const { page, choose, signUp, violations, complaints } = await visit(service.url, PHONE);
    await page.locator('summary').tap();
    await page.getByLabel('Quality').waitFor();
    await checkFit(page);
    await page.locator('summary').tap();
    await signUp();
    await choose(
      jpegFile('a-name-that-is-far-too-long-for-one-line-of-a-phone_and_has_no_place_to_break.jpg', photo),
      jpegFile('wrong.jpg', Buffer.from('not an image')),
    );
    await page.getByText('1 done, 1 failed').waitFor();
    await page.getByRole('button', { name: /^Details of/ }).tap();
    await checkFit(page);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: /^Details of/ }).tap();
    await page.getByRole('button', { name: /^Compare/ }).tap();
    await openedView(page);
    await checkFit(page);
    expect(complaints).toEqual([]);
  });

  it('offers the download of a single image on a phone, larger than anything else', async () => {
    const { page, choose, violations } = await visit(service.url, PHONE);
    await choose(jpegFile('photo.jpg', photo));
    await page.getByText('1 image done').waitFor();
    const button = page.getByRole('link', { name: 'Download', exact: true });
    await eventually(async () => {
      const { width, y } = (await button.boundingBox())!;
      expect(width).toBeGreaterThan(PHONE.viewport.width / 2);
      expect(y).toBeLessThan(PHONE.viewport.height);
      expect(await page.locator('.primary').count()).toBe(1);
    });
    await page.getByRole('button', { name: 'Compare photo.jpg' }).waitFor();
    await checkFit(page);
    expect(await violations()).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), button.tap()]);
    expect(download.suggestedFilename()).toBe('photo-compressed.jpg');
  });

  it.each(['light', 'dark'] as const)('has enough contrast, %s', async (colorScheme) => {
    const { page, choose, signUp, violations } = await visit(service.url, { colorScheme });
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'I have a key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill('nonsense');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('The API key is malformed').waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'I have no key' }).click();
    await signUp();
    await choose(jpegFile('photo.jpg', photo), jpegFile('wrong.jpg', Buffer.from('not an image')));
    await page.getByText('1 done, 1 failed').waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Compare photo.jpg' }).click();
    await openedView(page);
    expect(await violations()).toEqual([]);
  });

  it('moves nothing for people who asked for that, and something for others', async () => {
    const moving = `[...document.querySelectorAll('*')].filter((element) =>
      getComputedStyle(element).transitionDuration !== '0s' || getComputedStyle(element).animationName !== 'none').length`;
    const still = await visit(service.url, { reducedMotion: 'reduce' });
    expect(await still.page.evaluate('document.getAnimations().length')).toBe(0);
    expect(await still.page.evaluate(moving)).toBe(0);
    const { page } = await visit(service.url, IN_MOTION);
    expect(await page.evaluate(moving)).toBeGreaterThan(0);
  });
});

/** Presses Tab until the control of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `(() => { const e = document.activeElement;
    return e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent.trim() ?? e.textContent.trim(); })()`;
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>(focused)).startsWith(name)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

async function checkFit(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  const targets = await page
    .getByRole('button')
    .or(page.getByRole('link'))
    .or(page.locator('label, summary'))
    .all();
  expect(targets.length).toBeGreaterThan(2);
  for (const target of targets) {
    // The file input lies in its label, which is what is tapped.
    if ((await target.getAttribute('type')) === 'file' || !(await target.isVisible())) continue;
    const box = await target.boundingBox();
    if (!box) continue;
    expect({
      html: await target.innerText(),
      isLarge: Math.min(box.width, box.height) >= LEAST_TARGET_PX,
    }).toEqual(expect.objectContaining({ isLarge: true }));
  }
}
