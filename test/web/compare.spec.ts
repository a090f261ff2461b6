/** The comparison: zoom, pan, divider, and its tools. One page for all tests; each opens the comparison again. */
import { PNG } from 'pngjs';
import type { Locator, Page } from 'playwright-core';
import {
  boxOf,
  button,
  click,
  shows,
  describeInBrowser,
  styleOf,
  visitWithKey,
  type Visit,
} from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { compareImage, expectDivider, listed, returnImage, touch, zoomOf } from './page-parts';

interface NaturalSize {
  readonly naturalWidth: number;
  readonly naturalHeight: number;
}

describeInBrowser('the comparison', () => {
  const service = sharedClient();
  let visitor: Visit;
  let page: Page;
  let view: Locator;
  beforeAll(async () => {
    visitor = await visitWithKey(service);
    page = visitor.page;
    // The browser turns the original, the service turns the result.
    const turned = await photoJpeg(1600, 1200, { orientation: 6 });
    await visitor.choose({ '1.jpg': turned, '2.jpg': turned, '3.jpg': turned });
    await listed(page, '3 images done');
  });
  beforeEach(async () => {
    view = await compareImage(page, '2.jpg');
    await page.getByRole('slider').fill('50');
  });
  afterEach(async () => {
    if (await page.getByRole('dialog').isVisible()) await page.keyboard.press('Escape');
  });

  const box = (name: 'Before' | 'After') => boxOf(page.getByRole('img', { name }));
  const expectZoom = (percent: number) => eventually(async () => expect(await zoomOf(page)).toBe(percent));
  const expectClip = (percent: number) =>
    eventually(async () =>
      expect(await styleOf(page.locator('.side.after'), 'clipPath')).toBe(`inset(0px 0px 0px ${percent}%)`),
    );
  const drag = async (from: number, to: number, down = 0) => {
    const { x, y, width, height } = await boxOf(view);
    await page.mouse.move(x + width * from, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * to, y + height / 2 + down, { steps: 3 });
    await page.mouse.up();
  };

  it('shows both upright, in the same place, the whole image first, on the whole screen', async () => {
    const natural = ({ naturalWidth: width, naturalHeight: height }: NaturalSize) => ({ width, height });
    for (const name of ['Before', 'After'])
      expect(await page.getByRole('img', { name }).evaluate(natural)).toEqual({ width: 1200, height: 1600 });
    const before = await box('Before');
    expect(before).toEqual(await box('After'));
    const padding = Number.parseFloat((await styleOf(view, 'paddingTop')) ?? '');
    expect(Math.abs(before.height - (800 - 2 * padding))).toBeLessThan(1);
    expect(await page.getByRole('dialog').boundingBox()).toEqual({ x: 0, y: 0, width: 1200, height: 800 });
    expect(await styleOf(page.getByRole('img', { name: 'After' }), 'backgroundImage')).toContain('conic');
    await visitor.expectAccess();
  });

  it('moves the divider by keys, by dragging a fitted image, and by its line on a zoomed one', async () => {
    const range = page.getByRole('slider');
    await range.focus();
    for (const [key, percent] of [
      ['Home', 0],
      ['End', 100],
      ['ArrowLeft', 99.5],
    ] as const) {
      await range.press(key);
      await expectClip(percent);
    }
    await drag(0.4, 0.6);
    await expectDivider(page, 60);
    await click(page, '100%');
    await expectZoom(100);
    const before = await box('Before');
    await drag(0.6, 0.3);
    await expectDivider(page, 30);
    expect(await box('Before')).toEqual(before);
    await drag(0.6, 0.6, 60);
    await expectDivider(page, 30);
    expect((await box('Before')).y).toBeCloseTo(before.y + 60, 0);
  });

  it('zooms by buttons, keys, double click and wheel, and both sides stay together', async () => {
    const fitted = await zoomOf(page);
    const { x, y, width, height } = await boxOf(view);
    const place = [x + width / 2 + 60, y + height / 2 + 60] as const;
    await page.mouse.dblclick(...place);
    await expectZoom(100);
    await page.mouse.dblclick(...place);
    await expectZoom(fitted);
    const rendering = () => styleOf(page.getByRole('img', { name: 'After' }), 'imageRendering');
    await view.press('1');
    await click(page, 'Zoom in');
    await expectZoom(150);
    expect(await rendering()).toBe('pixelated');
    await view.press('-');
    await expectZoom(100);
    expect(await rendering()).toBe('auto');
    expect((await box('After')).width).toBeCloseTo(1200, 0);
    await page.mouse.move(...place);
    await page.mouse.wheel(0, -100);
    await eventually(async () => expect(await zoomOf(page)).toBeGreaterThan(110));
    expect(await zoomOf(page)).toBeLessThan(130);

    const under = async () => {
      const image = await box('Before');
      return [(place[0] - image.x) / image.width, (place[1] - image.y) / image.height];
    };
    const [u = 0, v = 0] = await under();
    for (let i = 0; i < 30; i++) await page.mouse.wheel(0, -100);
    await expectZoom(1600);
    const [u2, v2] = await under();
    expect([u2, v2]).toEqual([expect.closeTo(u, 2), expect.closeTo(v, 2)]);
    expect(await box('Before')).toEqual(await box('After'));
  });

  it('pans by dragging on either side and by arrow keys, and never loses the image', async () => {
    await click(page, '100%');
    const start = await box('Before');
    for (const share of [0.4, 0.6]) await drag(share, share, -60);
    expect((await box('Before')).y).toBeCloseTo(start.y - 120, 0);
    expect(await box('After')).toEqual(await box('Before'));
    await view.press('ArrowUp');
    expect((await box('After')).y).toBeCloseTo(start.y - 60, 0);
    for (let i = 0; i < 40; i++) await view.press('ArrowDown');
    const far = await box('After');
    expect(far.bottom).toBeGreaterThan(800 - 110);
    await view.press('0');
    await eventually(async () => expect(await zoomOf(page)).toBeLessThan(50));
  });

  it('zooms by pinching, also on top of the divider', async () => {
    const fingers = (apart: number) => [[600 - apart, 400] as const, [600 + apart, 400] as const];
    const before = await zoomOf(page);
    await touch(page, ...[30, 45, 60, 75, 90].map(fingers));
    await eventually(async () => expect(await zoomOf(page)).toBeGreaterThan(before * 1.3));
    await expectDivider(page, 50);
  });

  it('closes by a press on the ground beside the image, and not by one on the image', async () => {
    const image = await box('Before');
    await page.mouse.click(image.x + 20, image.y + image.height / 2);
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    await page.mouse.click(image.x - 40, image.y + image.height / 2);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows the original while a key or the mouse is held', async () => {
    for (const key of ['b', 'Space']) {
      await page.keyboard.down(key);
      await page.getByText('After ·').waitFor({ state: 'detached' });
      await expectClip(100);
      await page.keyboard.up(key);
      await expectClip(50);
    }
    await click(page, 'Result');
    await expectClip(0);
    await button(page, 'Hold for original').hover();
    await page.mouse.down();
    await shows(page, 'Before ·');
    await expectClip(100);
    await page.mouse.up();
    await expectClip(0);
    await click(page, 'Split');
  });

  it('goes to the next and the previous image by arrow keys and buttons, round and round', async () => {
    const title = page.locator('#compare-title');
    for (const name of ['3.jpg', '1.jpg', '2.jpg']) {
      await view.press('ArrowRight');
      await shows(title, name);
    }
    await click(page, 'Previous image');
    await shows(title, '1.jpg');
    await shows(page, '1 of 3');
    const link = page.getByRole('dialog').getByRole('link', { name: 'Download 1.jpg' });
    expect(await link.getAttribute('download')).toBe('1-compressed.jpg');
    expect(await page.locator('kbd').allInnerTexts()).toEqual([
      'Space',
      '← →',
      'W',
      'D',
      'S',
      'R',
      '+ −',
      '0',
      '1',
    ]);
  });
});

describeInBrowser('the comparison of', () => {
  const service = sharedClient();

  it('a result for a smaller display opens as it will be shown, and says so', async () => {
    const { page, choose } = await visitWithKey(service);
    await click(page, 'Half size (2×, retina)');
    await choose({ '1.jpg': await photoJpeg(640, 480) });
    await compareImage(page, '1.jpg');
    const words = page.getByRole('dialog').getByText(/Looks the same at half size, 320 px wide/);
    await words.waitFor();
    const warning = 'What you see now is larger than promised';
    await page.getByText('50%', { exact: true }).waitFor();
    expect(await words.innerText()).not.toContain(warning);
    await click(page, '100%');
    await page.getByText('100%', { exact: true }).and(page.locator('output')).waitFor();
    await words.filter({ hasText: warning }).waitFor();
    await click(page, 'As shown');
    await page.getByText('50%', { exact: true }).waitFor();
  });

  it.each([
    ['white', 255, 1],
    ['black', 0, 1],
    ['grey', 128, 2],
  ])('a spot frames it visibly on %s (%i), and covers no pixel of it, at %ix', async (_, ground, scale) => {
    const { page, choose } = await visitWithKey(service, { deviceScaleFactor: scale });
    await returnImage(page, imageOf(ground, 64));
    await choose({ 'plain.png': PNG.sync.write(imageOf(ground)) });
    const view = await compareImage(page, 'plain.png');
    await view.press('w');
    await shows(page, 'Largest change');
    const frame = page.getByTestId('worst-spot');
    await eventually(async () => {
      const { x, y, width, height } = await boxOf(frame);
      // A quarter of the way down the left edge: away from the divider and from what changed.
      const clip = { x: x - 8, y: y + height / 4, width: 24, height: 1 };
      const { data } = PNG.sync.read(await page.screenshot({ clip }));
      const row = Array.from({ length: 24 * scale }, (__, i) => data[i * 4] ?? 0);
      expect(Math.max(...row.map((value) => contrast(value, ground)))).toBeGreaterThan(LEAST_CONTRAST);
      // 32 pixels of the image, 4 times as large, and the frame on both sides.
      expect(width * scale).toBeCloseTo(128 + 8 * scale, 0);
      expect(new Set(row.slice(14 * scale))).toEqual(new Set([ground]));
    });
  });
});

const SIDE = 256;
/** WCAG 2.2, success criterion 1.4.11: the least contrast of what must be seen. */
const LEAST_CONTRAST = 3;

/** @param change how much the pixels in the middle of the square of 32 pixels that begins at 96, 96 differ */
function imageOf(ground: number, change = 0) {
  const image = new PNG({ width: SIDE, height: SIDE });
  image.data.fill(ground);
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
  const value = ground < 128 ? ground + change : ground - change;
  for (let y = 108; y < 116; y++)
    for (let x = 108; x < 116; x++) image.data.fill(value, (y * SIDE + x) * 4, (y * SIDE + x) * 4 + 3);
  return image;
}

/** Of two greys, 1 to 21. */
function contrast(a: number, b: number) {
  const [first, second] = [(a / 255) ** 2.2 + 0.05, (b / 255) ** 2.2 + 0.05];
  return Math.max(first, second) / Math.min(first, second);
}
