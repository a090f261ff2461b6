import { PNG } from 'pngjs';
import type { Page } from 'playwright-core';
import { describeInBrowser, styleOf, visit, type Visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { graphicPng } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { openedView } from './comparison';

const [WIDTH, HEIGHT] = [400, 300];
/** Where the result that the tests make up differs: inside the square of 32 pixels that begins at 224, 96. */
const [CHANGED_X, CHANGED_Y] = [236, 108];

/** Width of the frame and of its gap. */
const FRAME_PX = 4;

describeInBrowser('the tools of the comparison', () => {
  const service = sharedClient();
  let visitor: Visit;
  let page: Page;
  beforeEach(async () => {
    visitor = await visit(service.url);
    page = visitor.page;
    await visitor.signUp();
    const original = graphicPng(WIDTH, HEIGHT);
    await page.route('**/api/v1/compress', (route) =>
      route.fulfill({
        headers: {
          'Content-Type': 'image/png',
          'X-Original-Size': String(original.length),
          'X-Compressed-Size': '1000',
          'X-Bytes-Saved': String(original.length - 1000),
          'X-SSIM': '0.9950',
          'X-Original-Dimensions': `${WIDTH}x${HEIGHT}`,
          'X-Dimensions': `${WIDTH}x${HEIGHT}`,
        },
        body: withChange(original),
      }),
    );
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: original });
    await visitor.choose(file('1.png'), file('2.png'), file('3.png'));
    await page.getByText('3 images done').waitFor();
    await page.getByRole('button', { name: 'Compare 2.png' }).click();
    await openedView(page);
  });
  afterEach(() => expect(visitor.complaints).toEqual([]));

  const expectClip = (clip: string) =>
    eventually(async () => expect(await styleOf(page.locator('.side.after'), 'clipPath')).toBe(clip));

  it('shows the original while a key or the mouse is held', async () => {
    await expectClip('inset(0px 0px 0px 50%)');
    for (const key of ['b', 'Space']) {
      await page.keyboard.down(key);
      await page.getByText('After ·').waitFor({ state: 'detached' });
      await expectClip('inset(0px 0px 0px 100%)');
      await page.keyboard.up(key);
      await page.getByText('After ·').waitFor();
      await expectClip('inset(0px 0px 0px 50%)');
    }
    const button = (await page.getByRole('button', { name: 'Hold for original' }).boundingBox())!;
    await page.getByRole('button', { name: 'Result' }).click();
    await expectClip('inset(0px 0px 0px 0%)');
    await page.mouse.move(button.x + 10, button.y + 10);
    await page.mouse.down();
    await page.getByText('Before ·').waitFor();
    await expectClip('inset(0px 0px 0px 100%)');
    await page.mouse.up();
    await page.getByText('Before ·').waitFor({ state: 'detached' });
    await expectClip('inset(0px 0px 0px 0%)');
  });

  it('goes to the next and the previous image by arrow keys and buttons, round and round', async () => {
    const title = page.locator('#compare-title');
    for (const name of ['3.png', '1.png', '2.png']) {
      await page.keyboard.press('ArrowRight');
      await title.getByText(name).waitFor();
    }
    await page.keyboard.press('ArrowLeft');
    await title.getByText('1.png').waitFor();
    await page.getByRole('button', { name: 'Previous image' }).click();
    await title.getByText('3.png').waitFor();
    await page.getByText('3 of 3').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download 3.png' }).last().click(),
    ]);
    expect(download.suggestedFilename()).toBe('3-compressed.png');
  });

  it('jumps to the place that changed most, and says how much', async () => {
    await page.keyboard.press('w');
    await page.getByText(/^Largest change: \d+ of 255 on average, 250 at most\.$/).waitFor();
    await page.getByText('400%').waitFor();
    await eventually(async () => {
      const spot = (await page.getByTestId('worst-spot').boundingBox())!;
      const view = (await page.getByRole('group', { name: /^Images\./ }).boundingBox())!;
      const image = (await page.getByRole('img', { name: 'After' }).boundingBox())!;
      // The frame lies outside the square.
      expect((spot.x + FRAME_PX - image.x) / 4).toBeCloseTo(224, 0);
      expect((spot.y + FRAME_PX - image.y) / 4).toBeCloseTo(96, 0);
      expect(spot.x + spot.width / 2).toBeCloseTo(view.x + view.width / 2, 0);
      expect(spot.y + spot.height / 2).toBeCloseTo(view.y + view.height / 2, 0);
      const line = (await page.locator('.divider').boundingBox())!;
      expect(line.x + line.width / 2).toBeCloseTo(spot.x + spot.width / 2, 0);
    });
    await page.getByText('← → move', { exact: true }).waitFor();
    expect(await visitor.violations()).toEqual([]);
  });

  it('draws the differences', async () => {
    await page.keyboard.press('d');
    const picture = page.getByRole('img', { name: 'Differences' });
    await picture.waitFor();
    await eventually(async () => {
      const [equal, different] = await page.evaluate<number[][]>(`(() => {
        const { data, width } = document.querySelector('.stage canvas').getContext('2d').getImageData(0, 0, ${WIDTH}, ${HEIGHT});
        return [[10, 10], [${CHANGED_X}, ${CHANGED_Y}]].map(([x, y]) => [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 4)]);
      })()`);
      expect(equal).toEqual([0, 0, 0, 255]);
      expect(different).toEqual([255, 255, 255, 255]);
    });
    await page.keyboard.press('d');
    await picture.waitFor({ state: 'detached' });
    await page.getByText('Before ·').waitFor();
  });

  it('shows a checkerboard through transparent pixels, and its shortcuts', async () => {
    expect(await styleOf(page.getByRole('img', { name: 'After' }), 'backgroundImage')).toContain(
      'conic-gradient',
    );
    await page.getByText('worst spot', { exact: false }).first().waitFor();
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

/** The image with a square of 8 pixels painted black; it is nearly white there. */
function withChange(png: Buffer): Buffer {
  const image = PNG.sync.read(png);
  for (let y = CHANGED_Y; y < CHANGED_Y + 8; y++) {
    const at = (y * WIDTH + CHANGED_X) * 4;
    for (let x = 0; x < 8; x++) image.data.set([0, 0, 0, 255], at + x * 4);
  }
  return PNG.sync.write(image);
}
