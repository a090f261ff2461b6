import sharp from 'sharp';
import { Folder, PROJECT } from '../support/folders';
import {
  boxOf,
  button,
  click,
  shows,
  describeInBrowser,
  expectFocus,
  IN_MOTION,
  numbered,
  visit,
  visitWithKey,
} from '../support/browser';
import { eventually } from '../support/eventually';
import { graphicPng, photoJpeg } from '../support/images';
import { keepImage, keepScreenshot } from '../support/screenshots';
import { bytesOf } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { compareImage, listed, namesOf } from './page-parts';

describeInBrowser('the list', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  it('counts unchanged files, and says what was scaled, unchanged or removed', async () => {
    const { page, row, choose, send, expectAccess } = await visitWithKey(service);
    const once = await bytesOf(await send(photo));
    await choose({
      'again.jpg': once,
      'wide.jpg': await photoJpeg(4000, 200),
      'located.jpg': await located(photo),
      'plain.png': graphicPng(64, 64),
    });
    await listed(page, '4 done (1 unchanged)');
    await shows(row('again.jpg'), 'Already as small as it gets at this quality');
    await shows(row('wide.jpg'), '4000 × 200 → 3840 × 192');
    await shows(row('plain.png'), 'No pixel changed');
    for (const name of ['located.jpg', 'wide.jpg']) await click(page, `Details of ${name}`);
    await row('located.jpg').getByText('Location and camera data', { exact: true }).waitFor();
    await shows(row('wide.jpg'), 'at most 3840 px');
    expect(await row('wide.jpg').getByText('Removed').count()).toBe(0);
    await expectAccess();
  });

  it('keeps its bar in sight while its rows scroll', async () => {
    const { page, row, choose } = await visitWithKey(service);
    await choose(numbered(photo, 24));
    await listed(page, '24 images done');
    await row('24.jpg').scrollIntoViewIfNeeded();
    await eventually(async () => {
      const bar = await button(page, 'Download all 24').boundingBox();
      expect(bar?.y).toBeGreaterThanOrEqual(0);
      expect(bar?.y).toBeLessThan(100);
    });
    expect(await page.getByText('No image at hand?').count()).toBe(0);
  });

  it('sends two images at a time, in their order, and shows how far it is', async () => {
    const { page, choose, apiKey } = await visitWithKey(service, IN_MOTION);
    const held: (() => void)[] = [];
    await page.route('**/api/v1/compress', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => undefined);
    });
    await choose(numbered(photo, 5));
    const states = () =>
      page
        .locator('.job')
        .evaluateAll((rows) =>
          (rows as unknown as { dataset: { state: string } }[]).map(({ dataset }) => dataset.state),
        );
    const expectWaiting = (...waiting: boolean[]) =>
      eventually(async () => expect((await states()).map((state) => state === 'waiting')).toEqual(waiting));
    await expectWaiting(false, false, true, true, true);
    // One that is in progress makes room for the next.
    await click(page, 'Remove 1.jpg');
    await expectWaiting(false, false, true, true);
    await click(page, 'Remove 4.jpg');
    await eventually(() => expect(held).toHaveLength(3));
    held[1]?.();
    await shows(page, '1 of 3 done');
    expect(await page.title()).toBe('1 of 3 · Image compression');
    const bar = page.getByLabel('Progress of all images');
    expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(0.33);
    await page.unroute('**/api/v1/compress');
    held.forEach((release) => release());
    await listed(page, '3 images done');
    const account = await service.api('account', { apiKey });
    expect(await account.json()).toMatchObject({ usage: { images: 3 } });
  });

  it('loses nothing by a double click, and brings back what was removed, where it was', async () => {
    const { page, choose } = await visitWithKey(service);
    await choose(numbered(photo, 4));
    await listed(page, '4 images done');
    const expectNames = (...names: number[]) =>
      eventually(async () => expect(await namesOf(page)).toEqual(names.map((i) => `${i}.jpg`)));
    const second = await boxOf(button(page, 'Remove 2.jpg'));
    await page.mouse.dblclick(second.x + 10, second.y + 10);
    await expectNames(1, 3, 4);
    // The next row has taken the place exactly: nothing has pushed it.
    const third = await boxOf(button(page, 'Remove 3.jpg'));
    expect(third.y).toBeCloseTo(second.y, 0);
    await button(page, 'Remove 3.jpg').press('Enter');
    await shows(page, '2 images removed.');
    await click(page, 'Undo');
    await expectNames(1, 2, 3, 4);
    await expectFocus(page.getByRole('heading', { name: '4 images done' }));

    await page.route('**/api/v1/compress', () => new Promise(() => undefined));
    await choose({ 'late.jpg': photo });
    await page.getByRole('progressbar', { name: 'Progress of late.jpg' }).waitFor();
    await click(page, 'Clear');
    await expectFocus(page.getByLabel('Choose JPG or PNG images'));
    expect(await page.title()).toBe('Image compression');
    await page.unroute('**/api/v1/compress');
    await click(page, 'Undo');
    await listed(page, '5 images done');
    await expectFocus(page.getByRole('heading', { name: '5 images done' }));
  });

  it('asks before leaving with results that were not saved, and only then', async () => {
    const { page, choose } = await visitWithKey(service);
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await choose({ 'photo.jpg': photo });
    await listed(page, '1 image done');
    const value = `(() => { const event = document.createEvent('BeforeUnloadEvent');
      event.initEvent('beforeunload', false, true); dispatchEvent(event); return event.returnValue; })()`;
    expect(await page.evaluate(value)).toBe('true');
    await page.evaluate('location.reload()');
    await eventually(() => expect(asked).toEqual(['beforeunload']));
    await page.getByRole('link', { name: 'Download photo.jpg' }).click();
    await page.reload();
    await button(page, 'Still life').waitFor();
    expect(asked).toEqual(['beforeunload']);
  });

  it('says during a drag what a drop will do, and takes the images of folders', async () => {
    const { page } = await visitWithKey(service);
    const drag = (type: 'dragover' | 'dragleave', names: string) =>
      page.evaluate(`(() => { const dataTransfer = new DataTransfer();
        for (const [name, type] of ${names}) dataTransfer.items.add(new File(['x'], name, { type }));
        document.body.dispatchEvent(new DragEvent('${type}', { bubbles: true, cancelable: true, dataTransfer })); })()`);
    const words = page.getByText('Drop to compress 2 images; 1 is not JPG or PNG');
    // The page takes drags once it has started; a hand would repeat the event, too.
    await eventually(async () => {
      await drag(
        'dragover',
        `[['a.jpg', 'image/jpeg'], ['b.png', 'image/png'], ['c.pdf', 'application/pdf']]`,
      );
      expect(await words.isVisible()).toBe(true);
    });
    await drag('dragleave', '[]');
    await page.getByText('Drop to compress').waitFor({ state: 'detached' });

    const place = new Folder();
    for (const name of ['10.jpg', '9.jpg', 'more/inner.jpg', 'notes.txt', '.hidden.jpg'])
      place.put(name, photo);
    const client = await page.context().newCDPSession(page);
    const data = { items: [], files: [place.folder], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await client.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    await listed(page, '3 images done');
    expect(await namesOf(page)).toEqual(['9.jpg', '10.jpg', 'inner.jpg']);
  });

  it('is fit to be shown', async () => {
    const { page, choose, send } = await visitWithKey(service, {
      ...IN_MOTION,
      viewport: { width: 1100, height: 920 },
    });
    await page.route('**/api/v1/account', (route) => route.fulfill({ json: { email: 'ada@example.com' } }));
    await page.reload();
    const sample = PROJECT.read('examples/sample.jpg');
    const part = (left: number, top: number, width = 640, height = 480) =>
      sharp(sample).extract({ left, top, width, height }).jpeg().toBuffer();
    const once = await bytesOf(await send(await part(900, 300)));
    await choose({
      'mountain-view.jpg': sample,
      'IMG_20260412_101533.jpg': await located(await part(500, 200, 900, 700)),
      'from-last-week.jpg': once,
      'diagram.png': graphicPng(900, 600),
      'panorama.jpg': await sharp(sample).resize(4400, 1100).jpeg().toBuffer(),
      'letter.pdf': Buffer.from('%PDF-1.7 and so on'),
    });
    await listed(page, '5 done (1 unchanged), 1 failed');
    await click(page, 'Details of IMG_20260412_101533.jpg');
    await page.getByText('Location and camera data', { exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await keepScreenshot(page, 'list');
    await keepImage(page, 'examples/screenshot.png');
    await page.setViewportSize({ width: 1100, height: 700 });
    await choose({ 'still-life.jpg': PROJECT.read('examples/still-life.jpg') });
    await compareImage(page, 'still-life.jpg');
    await keepScreenshot(page, 'compare');
    const shared = { viewport: { width: 1000, height: 525 }, deviceScaleFactor: 1.2 };
    const { page: first } = await visit(service.url, shared);
    await shows(first, /^After/);
    await keepImage(first, 'src/web/page/preview.jpg');
  });
});

const located = (image: Buffer) =>
  sharp(image)
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N' } })
    .toBuffer();
