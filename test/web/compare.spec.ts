import type { Locator, Page } from 'playwright-core';
import { describeInBrowser, expectFocus, styleOf } from '../support/browser';
import { eventually } from '../support/eventually';
import { TurnedComparison } from './comparison';

interface NaturalSize {
  readonly naturalWidth: number;
  readonly naturalHeight: number;
}

describeInBrowser('the comparison', () => {
  const shown = new TurnedComparison();
  let page: Page;
  let view: Locator;
  beforeEach(() => void ({ page, view } = shown));

  const box = (name: 'Before' | 'After') => shown.box(name);
  /** Height of the view between the bars. */
  const roomFor = async () =>
    ((await view.boundingBox())?.height ?? 0) -
    2 * Number.parseFloat((await styleOf(view, 'paddingTop')) ?? '');
  const zoom = async () => Number.parseInt(await page.getByLabel('Zoom level').innerText(), 10);
  const expectZoom = (percent: number) => eventually(async () => expect(await zoom()).toBe(percent));

  it('shows both upright, in the same place, the whole image first', async () => {
    const natural = ({ naturalWidth: width, naturalHeight: height }: NaturalSize) => ({ width, height });
    await eventually(async () => {
      const before = await box('Before');
      expect(before).toEqual(await box('After'));
      expect(before.width / before.height).toBeCloseTo(1200 / 1600, 2);
      expect(Math.abs(before.height - (await roomFor()))).toBeLessThan(1);
      for (const name of ['Before', 'After']) {
        expect(await page.getByRole('img', { name }).evaluate(natural)).toEqual({
          width: 1200,
          height: 1600,
        });
      }
    });
    expect(await shown.visitor.violations()).toEqual([]);
  });

  it('moves the divider by its range input, with the keyboard and with the mouse on the line', async () => {
    const range = page.getByRole('slider');
    const expectClip = (clip: string) =>
      eventually(async () => expect(await styleOf(page.locator('.side.after'), 'clipPath')).toBe(clip));
    await range.focus();
    await range.press('Home');
    await expectClip('inset(0px 0px 0px 0%)');
    await range.press('End');
    await expectClip('inset(0px 0px 0px 100%)');
    await range.press('ArrowLeft');
    await expectClip('inset(0px 0px 0px 99.5%)');
    await range.fill('50');

    const area = (await view.boundingBox())!;
    await page.mouse.move(area.x + area.width / 2, area.y + 200);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width / 4, area.y + 220, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => expect(Number(await range.inputValue())).toBeCloseTo(25, 0));
  });

  const expectRendering = (rendering: string) =>
    eventually(async () =>
      expect(await styleOf(page.getByRole('img', { name: 'After' }), 'imageRendering')).toBe(rendering),
    );

  it('zooms by buttons, keys and wheel to single pixels, and both sides stay together', async () => {
    await page.getByRole('button', { name: '100%' }).click();
    await expectZoom(100);
    await eventually(async () => expect((await box('After')).width).toBeCloseTo(1200, 0));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expectZoom(150);
    await expectRendering('pixelated');
    await view.focus();
    await view.press('-');
    await expectZoom(100);
    await expectRendering('auto');

    // The place under the pointer stays there.
    const area = (await view.boundingBox())!;
    const [x, y] = [area.x + area.width / 2 + 80, area.y + 120];
    const under = async () => {
      const { x: left, y: top, width, height } = await box('Before');
      return [(x - left) / width, (y - top) / height];
    };
    const [u = 0, v = 0] = await under();
    await page.mouse.move(x, y);
    for (let i = 0; i < 30; i++) await page.mouse.wheel(0, -100);
    await page.getByText('1600%').waitFor();
    await eventually(async () => {
      const [u2, v2] = await under();
      expect(u2).toBeCloseTo(u, 2);
      expect(v2).toBeCloseTo(v, 2);
      expect(await box('Before')).toEqual(await box('After'));
    });
  });

  it('pans by dragging on either side and by arrow keys, and never loses the image', async () => {
    await page.getByRole('button', { name: '100%' }).click();
    await expectZoom(100);
    const area = (await view.boundingBox())!;
    const start = await box('Before');
    for (const share of [0.4, 0.6]) {
      await page.mouse.move(area.x + area.width * share, area.y + area.height / 2);
      await page.mouse.down();
      await page.mouse.move(area.x + area.width * share, area.y + area.height / 2 - 60, { steps: 3 });
      await page.mouse.up();
    }
    await eventually(async () => {
      expect((await box('Before')).y).toBeCloseTo(start.y - 120, 0);
      expect(await box('After')).toEqual(await box('Before'));
    });

    await view.focus();
    await view.press('ArrowUp');
    await eventually(async () => expect((await box('After')).y).toBeCloseTo(start.y - 60, 0));
    for (let i = 0; i < 40; i++) await view.press('ArrowDown');
    await eventually(async () => {
      const far = await box('After');
      expect(far.y + far.height).toBeGreaterThan(area.y + area.height - 110);
    });
    await view.press('0');
    await eventually(async () => {
      expect(await zoom()).toBeLessThan(50);
      expect(Math.abs((await box('After')).height - (await roomFor()))).toBeLessThan(1);
    });
  });

  it('closes with Escape and gives the focus back', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const opener = page.getByRole('button', { name: 'Compare turned.jpg' });
    await expectFocus(opener);
  });
});
