/** The frame around the spot that changed most, by its pixels on the screen. */
import { PNG } from 'pngjs';
import { describeInBrowser, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { sharedClient } from '../support/shared-service';
import { openedView } from './comparison';

const SIDE = 256;
/** The changed pixels: in the middle of the square of 32 pixels that begins at 96, 96. */
const CHANGED = { from: 108, to: 116 };
/** WCAG 2.2, success criterion 1.4.11: the least contrast of what must be seen. */
const LEAST_CONTRAST = 3;

describeInBrowser('the frame of the worst spot', () => {
  const service = sharedClient();

  it.each([
    ['white', 255, 1],
    ['black', 0, 1],
    ['grey', 128, 1],
    ['white', 255, 2],
  ])('is seen on %s (%i), and covers no pixel of the spot, at %ix', async (_, ground, deviceScaleFactor) => {
    const { page, choose, signUp, complaints } = await visit(service.url, { deviceScaleFactor });
    await signUp();
    const original = imageOf(ground);
    await page.route('**/api/v1/compress', (route) =>
      route.fulfill({
        headers: {
          'Content-Type': 'image/png',
          'X-Original-Size': '1000',
          'X-Compressed-Size': '500',
          'X-Bytes-Saved': '500',
          'X-SSIM': '0.9950',
          'X-Original-Dimensions': `${SIDE}x${SIDE}`,
          'X-Dimensions': `${SIDE}x${SIDE}`,
        },
        body: imageOf(ground, 64),
      }),
    );
    await choose({ name: 'plain.png', mimeType: 'image/png', buffer: original });
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'Compare plain.png' }).click();
    await openedView(page);
    await page.keyboard.press('w');
    await page.getByText('Largest change').waitFor();
    await page.getByText('400%').waitFor();
    const frame = page.getByTestId('worst-spot');
    await eventually(async () => {
      const { x, y, width, height } = (await frame.boundingBox())!;
      // A quarter of the way down the left edge: away from the divider and from what changed.
      const at = { x: x - 8, y: y + height / 4, width: 24, height: 1 };
      const { data } = PNG.sync.read(await page.screenshot({ clip: at }));
      const row = Array.from({ length: 24 * deviceScaleFactor }, (__, i) => data[i * 4] ?? 0);
      const inside = row.slice(14 * deviceScaleFactor);
      expect(Math.max(...row.map((value) => contrast(value, ground)))).toBeGreaterThan(LEAST_CONTRAST);
      // 32 pixels of the image, 4 times as large, and the frame on both sides.
      expect(width * deviceScaleFactor).toBeCloseTo(128 + 8 * deviceScaleFactor, 0);
      expect(new Set(inside)).toEqual(new Set([ground]));
    });
    expect(complaints).toEqual([]);
  });
});

/** @param change how much the pixels in the middle of the square differ */
function imageOf(ground: number, change = 0): Buffer {
  const image = new PNG({ width: SIDE, height: SIDE });
  image.data.fill(ground);
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
  const value = ground < 128 ? ground + change : ground - change;
  for (let y = CHANGED.from; y < CHANGED.to; y++) {
    for (let x = CHANGED.from; x < CHANGED.to; x++)
      image.data.fill(value, (y * SIDE + x) * 4, (y * SIDE + x) * 4 + 3);
  }
  return PNG.sync.write(image);
}

/** Of two greys, 1 to 21. */
function contrast(a: number, b: number): number {
  const [first, second] = [(a / 255) ** 2.2 + 0.05, (b / 255) ** 2.2 + 0.05];
  return Math.max(first, second) / Math.min(first, second);
}
