import sharp from 'sharp';
import {
  boxOf,
  button,
  click,
  shows,
  describeInBrowser,
  enter,
  numbered,
  styleOf,
  visit,
  visitWithKey,
} from '../support/browser';
import { photoJpeg, rawImage, texturedPixels } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { listed, queriesOf } from './page-parts';

const [BYTES, SIDE] = ['File size, at most (kB)', 'Longer side, at most (px)'];

describeInBrowser('the choices', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(640, 480)));

  it('are sent under the names of the service, remembered on the device, and reset', async () => {
    const visitor = await visitWithKey(service);
    const { page, row, choose, expectAccess } = visitor;
    const queries = queriesOf(visitor);
    await click(page, 'More');
    await page.getByLabel(BYTES).fill('20');
    await page.getByLabel('Quality').selectOption('Low');
    await enter(page, SIDE, '320');
    await page.getByLabel('Metadata to keep').selectOption('Author and copyright');
    await expectAccess();
    await page.reload();
    await click(page, 'More (3)');
    expect(await page.getByLabel(SIDE).inputValue()).toBe('320');
    await choose({ 'chosen.jpg': photo });
    await listed(page, '1 image done');
    expect(queries).toEqual(['?max_bytes=20000&max_dimension=320&metadata=copyright&quality=low']);
    await click(page, 'Details of chosen.jpg');
    await shows(row('chosen.jpg'), 'Scaled down to the 320 px that you chose.');
    await shows(row('chosen.jpg'), 'the aim was 0.983');
    await click(page, 'Reset all options');
    expect(await page.getByLabel(BYTES).inputValue()).toBe('');
    await click(page, 'Apply to 1 image');
    await row('chosen.jpg')
      .getByText(/^Scaled down: 640/)
      .waitFor({ state: 'detached' });
    expect(queries[1]).toBe('');
  });

  it('keep out numbers that the service does not take, and say so at the field', async () => {
    const visitor = await visitWithKey(service);
    const { page, choose, expectAccess } = visitor;
    const queries = queriesOf(visitor);
    await click(page, 'More');
    const field = page.getByLabel(SIDE);
    const border = await styleOf(field, 'borderTopColor');
    await enter(page, SIDE, '9000');
    await shows(page, 'Not used: enter an integer from 16 to 3840.');
    expect(await styleOf(field, 'borderTopColor')).not.toBe(border);
    await expectAccess();
    await choose({ '1.jpg': photo });
    await listed(page, '1 image done');
    await field.fill('300');
    // A number counts without leaving its field when an image is dropped.
    await page.evaluate(`(() => { const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(${JSON.stringify([...photo.subarray(0, 300)])})], '2.jpg'));
      document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })); })()`);
    await listed(page, '1 done, 1 failed');
    expect(queries).toEqual(['', '?max_dimension=300']);
  });

  it('lower quality and then pixels to fit a size, and offer the least that is possible', async () => {
    const visitor = await visitWithKey(service);
    const { page, row, choose, expectAccess } = visitor;
    await click(page, 'More');
    await enter(page, BYTES, '10');
    await choose({ '1.jpg': photo, '2.jpg': photo });
    for (const name of ['1.jpg', '2.jpg']) await shows(row(name), / to fit 10 kB$/);
    // Such a saving is no success: the row leads with the width that is left, and the total looks like the rows.
    expect(await row('1.jpg').locator('.saving').innerText()).toMatch(/^\d+% of its width$/);
    await shows(page, / in total, 2 with fewer pixels$/);
    const colours = [page.locator('.total-saving'), row('1.jpg').locator('.saving')];
    const [total, own] = await Promise.all(colours.map((one) => styleOf(one, 'color')));
    expect(total).toBe(own);
    await click(page, 'Details of 1.jpg');
    await shows(row('1.jpg'), 'the highest that fits 10 kB');

    await enter(page, BYTES, '1');
    await choose({ 'large.jpg': await photoJpeg(1000, 750, { quality: 98 }) });
    await shows(row('large.jpg'), 'Does not fit into 1 kB.');
    await expectAccess();
    await click(row('large.jpg'), /^Use \d+(\.\d+)? kB for large\.jpg$/);
    await shows(row('large.jpg'), /( to fit|^Fits) \d+(\.\d+)? kB$/);
    // It has a size of its own; the others still have the former one.
    await button(page, 'Apply to 2 images').waitFor();
  });

  it('are offered to the list in one line, and a byte limit that is missed keeps the earlier result', async () => {
    const { page, row, choose, expectAccess } = await visitWithKey(service);
    await shows(page, /^The image keeps its pixels\. .* zoom and print show the loss\.$/);
    await click(page, 'More');
    await choose({ '1.jpg': await photoJpeg(1000, 750, { quality: 98 }) });
    await listed(page, '1 image done');
    const size = /^\S+ kB/.exec(await row('1.jpg').locator('.outcome').innerText())?.[0] ?? '';
    await enter(page, BYTES, '1');
    const apply = button(page, 'Apply to 1 image');
    const words = page.getByText('So far, these options are for new images only.');
    const [place, note] = [await boxOf(apply), await boxOf(words)];
    expect(note.x - place.right).toBeLessThan(24);
    expect(note.bottom).toBeLessThan(place.bottom);
    await apply.click();
    const missed = row('1.jpg').locator('.job-trouble');
    await shows(missed, 'Does not fit into 1 kB. Earlier result:');
    expect((await row('1.jpg').innerText()).split(size)).toHaveLength(2);
    expect(await styleOf(missed, 'color')).toBe(
      await styleOf(row('1.jpg').locator('.saving strong'), 'color'),
    );
    await expectAccess();
  });

  it('return another format, named as what it is and saved under its extension', async () => {
    const { page, row, choose } = await visitWithKey(service);
    const png = (image: sharp.Sharp) => image.png({ compressionLevel: 0 }).toBuffer();
    const background = { r: 9, g: 99, b: 199, alpha: 0.5 };
    await choose({
      'photo.jpg': await photoJpeg(320, 240),
      'photo.png': await png(rawImage(texturedPixels(400, 300))),
      'glass.png': await png(sharp({ create: { width: 64, height: 64, channels: 4, background } })),
    });
    await listed(page, '3 images done');
    // Once for all photos that are stored as PNG, and for them alone.
    await shows(page, /^1 photo is stored as PNG: about \d+(\.\d+)? kB as JPG instead of/);
    await click(page, 'Make it a JPG');
    await shows(row('photo.png'), 'Now a JPG');
    const saved = (name: string) =>
      row(name)
        .getByRole('link', { name: `Download ${name}` })
        .getAttribute('download');
    expect(await saved('photo.png')).toBe('photo-compressed.jpg');
    expect(await button(page, /^(Apply|Make)/).count()).toBe(0);

    for (const [choice, label, extension] of [
      ['WebP', 'Now a WebP', 'webp'],
      ['PNG', 'Now a PNG', 'png'],
      ['AVIF', 'Now an AVIF', 'avif'],
    ] as const) {
      await page.getByLabel('Format').selectOption(choice);
      await click(page, 'Apply to 3 images');
      await shows(row('photo.jpg'), label);
      expect(await saved('photo.jpg')).toBe(`photo-compressed.${extension}`);
    }
    await listed(page, '3 images done');
    // The earlier result stays where the other format cannot hold the image.
    await page.getByLabel('Format').selectOption({ label: 'JPG' });
    await click(page, /^Apply/);
    await shows(row('glass.png'), 'It has transparency. Choose another format.');
    expect(await saved('glass.png')).toBe('glass-compressed.avif');
    await listed(page, '3 images done');
  });

  it('have no shown size and no byte limit with the quality lossless, which excludes them', async () => {
    const { page } = await visit(service.url);
    await click(page, 'More');
    await click(page, 'A third');
    await page.getByLabel('Quality').selectOption('Lossless');
    const excluded = page.getByText(/^(Shown at|File size, at most)/);
    expect(await excluded.count()).toBe(0);
    await page.getByLabel('Quality').selectOption('High');
    expect(await excluded.count()).toBe(2);
    await page.getByRole('button', { name: 'Full size', pressed: true }).waitFor();
  });

  it('say what they take of a trial only when little of it is left', async () => {
    const { page, choose } = await visit(service.url);
    await choose(numbered(photo, 2));
    await listed(page, '2 images done');
    await page.getByLabel('Format').selectOption('WebP');
    await button(page, 'Apply to 2 images').waitFor();
    expect(await page.getByText(/Takes|You have/).count()).toBe(0);
    await choose(numbered(photo, 4));
    await shows(page, '4 free images left');
    await page.getByLabel('Format').selectOption('AVIF');
    await shows(page, 'You have 4 free images left');
    await button(page, 'Apply to 6 images').waitFor();
  });
});
