import { describeInBrowser, jpegFile, styleOf, visit, type Visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { queriesOf } from './page-parts';

describeInBrowser('the options', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(640, 480)));

  const open = ({ page }: Visit) => page.locator('summary', { hasText: 'Options' }).click();

  it('ask for nothing until something is chosen, and are remembered on the device', async () => {
    const visitor = await visit(service.url);
    const { page, choose, signUp, violations, complaints } = visitor;
    const queries = queriesOf(visitor);
    await signUp();
    await choose(jpegFile('plain.jpg', photo));
    await page.getByText('1 image done').waitFor();
    expect(queries).toEqual(['']);

    await open(visitor);
    await page.getByLabel('File size, at most').fill('20');
    await page.getByLabel('Quality').selectOption('Low');
    await page.getByLabel('Longer side, at most').fill('320');
    await page.getByLabel('Metadata to keep').selectOption('Author and copyright');
    await page.getByLabel('What a PNG may lose').selectOption('Nothing: pixels are data');
    expect(await violations()).toEqual([]);
    await page
      .getByText(
        'At most 20 kB · Low quality · at most 320 px · PNGs without loss · only author and copyright kept',
      )
      .waitFor();
    await page.reload();
    await page
      .getByText(
        'At most 20 kB · Low quality · at most 320 px · PNGs without loss · only author and copyright kept',
      )
      .waitFor();
    await choose(jpegFile('chosen.jpg', photo));
    await page.getByText('1 image done').waitFor();
    expect(queries[1]).toBe(
      '?max_bytes=20000&max_dimension=320&metadata=copyright&png_mode=lossless&quality=low',
    );
    await page.getByRole('button', { name: 'Details of chosen.jpg' }).click();
    await page.getByText('Scaled down to the 320 px that you chose.').waitFor();
    await page.getByText('the aim was 0.983').waitFor();

    await open(visitor);
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await page.getByLabel('File size, at most').inputValue()).toBe('');
    await page.getByText('High quality · at most 3840 px · metadata removed').waitFor();
    expect(complaints).toEqual([]);
  });

  it('hold images back while a field holds no number in range, and say so', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, signUp, violations } = visitor;
    const queries = queriesOf(visitor);
    await signUp();
    await open(visitor);
    const field = page.getByLabel('Longer side, at most');
    await field.fill('9000');
    await page.getByText('Enter an integer from 16 to 3840.').waitFor();
    await choose(jpegFile('photo.jpg', photo));
    await row('photo.jpg').getByText('Waiting for a valid option').waitFor();
    await page.getByText('1 image waits: correct or clear “Longer side, at most”').waitFor();
    expect(await violations()).toEqual([]);
    // Valid, but perhaps not all of it: the field still has the focus.
    await field.fill('32');
    await page.getByText('Larger images are scaled down.').waitFor();
    expect(queries).toEqual([]);
    await field.pressSequentially('0');
    await field.press('Enter');
    await page.getByText('1 image done').waitFor();
    expect(queries).toEqual(['?max_dimension=320']);
  });

  it('let images that are held back go on when they are reset', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, signUp } = visitor;
    const queries = queriesOf(visitor);
    await signUp();
    await open(visitor);
    await page.getByLabel('File size, at most').fill('0');
    await choose(jpegFile('photo.jpg', photo));
    await row('photo.jpg').getByText('Waiting for a valid option').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('1 image done').waitFor();
    expect(queries).toEqual(['']);
  });

  it('compress again what is there, and lower the quality until it fits', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, signUp } = visitor;
    const queries = queriesOf(visitor);
    await signUp();
    await choose(jpegFile('1.jpg', photo), jpegFile('2.jpg', photo));
    await page.getByText('2 images done').waitFor();
    await open(visitor);
    await page.getByLabel('File size, at most').fill('10');
    await page.getByRole('button', { name: 'Compress 2 images again' }).click();
    await row('1.jpg')
      .getByText(/ to fit 10 kB$/)
      .waitFor();
    await row('2.jpg')
      .getByText(/ to fit 10 kB$/)
      .waitFor();
    // Such a saving is no success: the total looks like the rows.
    await page.getByText(/ in total, 2 with fewer pixels$/).waitFor();
    const colours = [page.locator('.total-saving'), row('1.jpg').locator('.saving')];
    const [total, own] = await Promise.all(colours.map((one) => styleOf(one, 'color')));
    expect(total).toBe(own);
    expect(queries).toEqual(['', '', '?max_bytes=10000', '?max_bytes=10000']);
    expect(await page.getByRole('button', { name: /again$/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Details of 1.jpg' }).click();
    await row('1.jpg').getByText('the highest that fits 10 kB').waitFor();
  });

  it('return another format, named as what it is and saved under its extension', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, signUp, violations, complaints } = visitor;
    const accepted: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('format=')) accepted.push(request.headers()['accept']);
    });
    const small = await photoJpeg(320, 240);
    await signUp();
    await choose(jpegFile('photo.jpg', small));
    await page.getByText('1 image done').waitFor();
    for (const [choice, label, extension] of [
      ['WebP', 'Now a WebP', 'webp'],
      ['AVIF', 'Now an AVIF', 'avif'],
      ['PNG', 'Now a PNG', 'png'],
    ] as const) {
      await page.getByLabel('Other formats').selectOption(choice);
      await row('photo.jpg').getByText(label).waitFor();
      const link = row('photo.jpg').getByRole('link', { name: 'Download photo.jpg' });
      expect(await link.getAttribute('download')).toBe(`photo-compressed.${extension}`);
    }
    expect(accepted).toEqual(Array(3).fill('image/avif,image/webp,*/*'));
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('stay within their panel on a screen of 320 pixels', async () => {
    const visitor = await visit(service.url, { viewport: { width: 320, height: 640 } });
    await open(visitor);
    const edge = (selector: string) =>
      visitor.page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().right`);
    // 0.875rem of padding and the border of 1 px.
    expect(await edge('.options-fields select')).toBeLessThanOrEqual((await edge('.options')) - 15);
  });

  it('mark a field that holds what cannot be used', async () => {
    const visitor = await visit(service.url);
    await open(visitor);
    const field = visitor.page.getByLabel('Longer side, at most');
    const usual = await styleOf(field, 'borderTopColor');
    await field.fill('9000');
    await eventually(async () => expect(await styleOf(field, 'borderTopColor')).not.toBe(usual));
  });

  it('offer the size that is possible, or fewer pixels, where nothing acceptable fits', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, signUp, violations } = visitor;
    const queries = queriesOf(visitor);
    await signUp();
    await open(visitor);
    await page.getByLabel('File size, at most').fill('1');
    const large = await photoJpeg(1000, 750, { quality: 98 });
    await choose(jpegFile('bytes.jpg', large), jpegFile('pixels.jpg', large));
    for (const name of ['bytes.jpg', 'pixels.jpg']) {
      await row(name).getByText('Does not fit into 1 kB.').waitFor();
      await row(name).locator('.thumbnail img').waitFor();
    }
    expect(await violations()).toEqual([]);
    await row('bytes.jpg')
      .getByRole('button', { name: /^Use \d+(\.\d+)? kB for bytes\.jpg$/ })
      .click();
    await row('bytes.jpg')
      .getByText(/( to fit|^Fits) \d+(\.\d+)? kB$/)
      .waitFor();
    await page.getByRole('button', { name: 'Fewer pixels for pixels.jpg' }).click();
    await row('pixels.jpg')
      .getByText(/( to fit|^Fits) 1 kB$/)
      .waitFor();
    expect(queries.at(-1)).toBe('?max_bytes=1000&max_dimension=125');
    // Both were made with the options that are chosen, as far as these go.
    expect(await page.getByRole('button', { name: /again$/ }).count()).toBe(0);
  });
});
