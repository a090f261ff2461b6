import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { eventually } from '../support/eventually';
import { drawn, TurnedComparison } from './comparison';

describeInBrowser('gestures in the comparison', () => {
  const shown = new TurnedComparison();
  let page: Page;
  let view: Locator;
  beforeEach(() => void ({ page, view } = shown));

  const box = (name: 'Before' | 'After') => shown.box(name);
  const zoom = async () => Number.parseInt(await page.getByLabel('Zoom level').innerText(), 10);
  const expectZoom = (percent: number) => eventually(async () => expect(await zoom()).toBe(percent));

  it('takes the whole screen', async () => {
    expect(await page.getByRole('dialog').boundingBox()).toEqual({ x: 0, y: 0, width: 1200, height: 800 });
  });

  it('moves the divider by dragging anywhere on a fitted image, and by its line on a zoomed one', async () => {
    const area = (await view.boundingBox())!;
    const drag = async (from: number, to: number, down = 0) => {
      await page.mouse.move(area.x + area.width * from, area.y + area.height / 2);
      await page.mouse.down();
      await page.mouse.move(area.x + area.width * to, area.y + area.height / 2 + down, { steps: 3 });
      await page.mouse.up();
    };
    const expectDivider = (percent: number) =>
      eventually(async () =>
        expect(Number(await page.getByRole('slider').inputValue())).toBeCloseTo(percent, 0),
      );
    await drag(0.4, 0.6);
    await expectDivider(60);
    await page.getByRole('button', { name: '100%' }).click();
    await expectZoom(100);
    const before = await box('Before');
    await drag(0.6, 0.3);
    await expectDivider(30);
    expect(await box('Before')).toEqual(before);
    await drag(0.6, 0.6, 60);
    await expectDivider(30);
    await eventually(async () => expect((await box('Before')).y).toBeCloseTo(before.y + 60, 0));
  });

  it('switches between the whole image and its actual size by a double click', async () => {
    const area = (await view.boundingBox())!;
    const place = [area.x + area.width / 2 + 60, area.y + area.height / 2 + 60] as const;
    const fitted = await zoom();
    // Until both clicks came fast enough after each other.
    const switchTo = (percent: number) =>
      eventually(async () => {
        await page.mouse.dblclick(...place);
        await drawn(page);
        expect(await zoom()).toBe(percent);
      });
    await switchTo(100);
    await switchTo(fitted);
  });

  it('zooms by a fifth for a notch of the wheel', async () => {
    const area = (await view.boundingBox())!;
    const before = await zoom();
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
    await page.mouse.wheel(0, -100);
    await eventually(async () => {
      expect((await zoom()) / before).toBeGreaterThan(1.1);
      expect((await zoom()) / before).toBeLessThan(1.3);
    });
  });

  it('closes by a press on the ground beside the image, and not by one on the image', async () => {
    const image = await box('Before');
    await page.mouse.click(image.x + 20, image.y + image.height / 2);
    await drawn(page);
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    await page.mouse.click(image.x - 40, image.y + image.height / 2);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('zooms by pinching, also on top of the divider', async () => {
    const client = await page.context().newCDPSession(page);
    const area = (await view.boundingBox())!;
    const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart?: number) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          apart === undefined
            ? []
            : [
                { x: x - apart, y, id: 0 },
                { x: x + apart, y, id: 1 },
              ],
      });
    const before = await zoom();
    await touch('touchStart', 30);
    for (const apart of [45, 60, 75, 90]) await touch('touchMove', apart);
    await touch('touchEnd');
    await eventually(async () => expect(await zoom()).toBeGreaterThan(before * 1.3));
    expect(Number(await page.getByRole('slider').inputValue())).toBe(50);
  });
});
