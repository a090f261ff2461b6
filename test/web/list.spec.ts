import sharp from 'sharp';
import { describeInBrowser, expectFocus, jpegFile, styleOf, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { graphicPng, photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { namesOf } from './page-parts';

describeInBrowser('a long list', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => jpegFile(`photo-${i + 1}.jpg`, photo));

  it('counts failures and unchanged files, and promises to download only what is done', async () => {
    const { page, choose, signUp, violations } = await visit(service.url);
    const key = await signUp();
    const once = Buffer.from(await (await service.compress(photo, key)).arrayBuffer());
    await choose(
      ...many(3),
      jpegFile('again.jpg', once),
      jpegFile('letter.pdf', Buffer.from('%PDF-1.7')),
      jpegFile('damaged.jpg', photo.subarray(0, 400)),
    );
    await page.getByRole('heading', { name: '4 done (1 unchanged), 2 failed' }).waitFor();
    await page.getByRole('button', { name: 'Download all 4' }).waitFor();
    expect(await page.title()).toMatch(/^✓ \d+% smaller · 2 failed · Image compression$/);
    expect(await violations()).toEqual([]);
  });

  it('has rows of 64 pixels, the saving as their largest number, and a bar that stays', async () => {
    const { page, row, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(...many(24));
    await page.getByText('24 images done').waitFor();
    await eventually(async () =>
      expect((await row('photo-3.jpg').boundingBox())?.height).toBeLessThanOrEqual(68),
    );
    const pixels = async (selector: string) =>
      Number.parseFloat((await styleOf(row('photo-3.jpg').locator(selector).first(), 'fontSize')) ?? '');
    const [saving, name, sizes] = [
      await pixels('.saving strong'),
      await pixels('h3'),
      await pixels('.outcome'),
    ];
    expect(saving).toBeGreaterThan(name);
    expect(saving).toBeGreaterThan(sizes);
    await row('photo-24.jpg').scrollIntoViewIfNeeded();
    await eventually(async () => {
      const bar = await page.getByRole('button', { name: 'Download all 24' }).boundingBox();
      expect(bar?.y).toBeGreaterThanOrEqual(0);
      expect(bar?.y).toBeLessThan(100);
    });
    // The introduction folds away.
    expect(await page.getByText('No image at hand?').count()).toBe(0);
  });

  it('shows in the title of the tab how far it is', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    const held: (() => void)[] = [];
    await page.route('**/api/v1/compress', async (route) => {
      if (held.length > 1) await new Promise<void>((resolve) => held.push(resolve));
      else held.push(() => undefined);
      await route.continue().catch(() => undefined);
    });
    await choose(...many(4));
    await page.getByText('2 of 4 done').waitFor();
    expect(await page.title()).toBe('2 of 4 · Image compression');
    expect(Number(await page.getByLabel('Progress of all images').getAttribute('value'))).toBeGreaterThan(
      0.49,
    );
    await page.unroute('**/api/v1/compress');
    for (const release of held) release();
    await page.getByText('4 images done', { exact: true }).waitFor();
  });

  it('brings back what was removed, where it was, and sends what had not been sent', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(...many(3));
    await page.getByText('3 images done').waitFor();
    await page.getByRole('button', { name: 'Remove photo-2.jpg' }).click();
    await eventually(async () => expect(await namesOf(page)).toEqual(['photo-1.jpg', 'photo-3.jpg']));
    await page.getByText('1 image removed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () =>
      expect(await namesOf(page)).toEqual(['photo-1.jpg', 'photo-2.jpg', 'photo-3.jpg']),
    );
    await expectFocus(page.getByRole('heading', { name: '3 images done' }));

    await page.route('**/api/v1/compress', () => new Promise(() => undefined));
    await choose(jpegFile('late.jpg', photo));
    await page.getByRole('progressbar', { name: 'Progress of late.jpg' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expectFocus(page.getByLabel('Choose JPG or PNG images'));
    await page.getByText('4 images removed.').waitFor();
    expect(await page.title()).toBe('Image compression');
    await page.unroute('**/api/v1/compress');
    await page.getByRole('button', { name: 'Undo' }).click();
    // The list was empty: its heading is new.
    await expectFocus(page.getByRole('heading', { name: /done$/ }));
    await page.getByText('4 images done').waitFor();
    await page.getByRole('button', { name: 'Compare photo-2.jpg' }).click();
    await page.getByRole('img', { name: 'After' }).waitFor();
  });

  it('asks before leaving with results that were not saved, and only then', async () => {
    const { page, choose, signUp } = await visit(service.url);
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await signUp();
    await choose(jpegFile('photo.jpg', photo));
    await page.getByText('1 image done').waitFor();
    await page.evaluate('location.reload()');
    await eventually(() => expect(asked).toEqual(['beforeunload']));
    await page.getByRole('link', { name: 'Download photo.jpg' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Still life' }).waitFor();
    expect(asked).toEqual(['beforeunload']);
  });

  it('loses no image when rows are removed in the same place, one after the other', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(...many(4));
    await page.getByText('4 images done').waitFor();
    const second = (await page.getByRole('button', { name: 'Remove photo-2.jpg' }).boundingBox())!;
    const place = [second.x + 10, second.y + 10] as const;
    await page.mouse.dblclick(...place);
    await eventually(async () =>
      expect(await namesOf(page)).toEqual(['photo-1.jpg', 'photo-3.jpg', 'photo-4.jpg']),
    );
    // The next row has taken the place exactly: nothing has pushed it.
    const third = (await page.getByRole('button', { name: 'Remove photo-3.jpg' }).boundingBox())!;
    expect(third.y).toBeCloseTo(second.y, 0);
    await page.getByRole('button', { name: 'Remove photo-3.jpg' }).press('Enter');
    await page.getByText('2 images removed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () =>
      expect(await namesOf(page)).toEqual(['photo-1.jpg', 'photo-2.jpg', 'photo-3.jpg', 'photo-4.jpg']),
    );
  });

  it('says during a drag what a drop will do', async () => {
    const { page } = await visit(service.url);
    const drag = (type: 'dragover' | 'dragleave', names: string) =>
      page.evaluate(`(() => { const dataTransfer = new DataTransfer();
        for (const [name, type] of ${names}) dataTransfer.items.add(new File(['x'], name, { type }));
        document.body.dispatchEvent(new DragEvent('${type}', { bubbles: true, cancelable: true, dataTransfer })); })()`);
    await drag('dragover', `[['a.jpg', 'image/jpeg'], ['b.png', 'image/png'], ['c.pdf', 'application/pdf']]`);
    await page.getByText('Drop to compress 2 images; 1 is neither JPG nor PNG').waitFor();
    await drag('dragleave', '[]');
    await page.getByText('Drop to compress').waitFor({ state: 'detached' });
  });

  it('says beside the saving that an image was scaled, and in the details what metadata is gone', async () => {
    const { page, row, choose, signUp } = await visit(service.url);
    await signUp();
    const located = await sharp(photo)
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N' } })
      .toBuffer();
    await choose(jpegFile('wide.jpg', await photoJpeg(4000, 200)), jpegFile('located.jpg', located), {
      name: 'plain.png',
      mimeType: 'image/png',
      buffer: graphicPng(64, 64),
    });
    await page.getByText('3 images done').waitFor();
    await row('wide.jpg').getByText('4000 × 200 → 3840 × 192').waitFor();
    await row('plain.png').getByText('No pixel changed').waitFor();
    await page.getByRole('button', { name: 'Details of located.jpg' }).click();
    await row('located.jpg').getByText('Location and camera data', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Details of wide.jpg' }).click();
    await row('wide.jpg').getByText('at most 3840 px').waitFor();
    expect(await row('wide.jpg').getByText('Removed').count()).toBe(0);
  });
});
