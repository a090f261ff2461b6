/** The format of results: for the whole list, for one image, and for high-density displays. */
import sharp from 'sharp';
import { describeInBrowser, jpegFile, visit } from '../support/browser';
import { photoJpeg, texturedPixels } from '../support/images';
import { ownService } from '../support/service';
import { queriesOf } from './page-parts';

describeInBrowser('the format of results', () => {
  const service = ownService();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  const photoPng = async () => {
    const { data, width, height } = texturedPixels(400, 300);
    const raw = { width, height, channels: 3 } as const;
    return { name: 'photo.png', mimeType: 'image/png', buffer: await sharp(data, { raw }).png().toBuffer() };
  };

  /** A PNG with transparency. */
  const glassPng = async () => {
    const background = { r: 9, g: 99, b: 199, alpha: 0.5 };
    const image = sharp({ create: { width: 64, height: 64, channels: 4, background } });
    const buffer = await image.png({ compressionLevel: 0 }).toBuffer();
    return { name: 'glass.png', mimeType: 'image/png', buffer };
  };

  it('changes for the whole list by one click, which says first what it takes', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, violations, complaints } = visitor;
    const queries = queriesOf(visitor);
    await page.getByRole('group', { name: 'Format' }).waitFor();
    await choose(jpegFile('1.jpg', photo), jpegFile('2.jpg', photo));
    await page.getByText('2 images done').waitFor();
    await page.getByText('Another choice takes 2 images; your trial has 8 left').waitFor();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/v1/compress?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Smallest (AVIF/WebP)' }).click();
    await page.getByText('0 of 2 done').waitFor();
    // The earlier result stays until the other one is there.
    await row('1.jpg').getByText('Looks identical').waitFor();
    await page.getByRole('button', { name: 'Download all 2' }).waitFor();
    expect(await violations()).toEqual([]);
    release();
    await page.getByText('2 images done').waitFor();
    await row('1.jpg').getByText('Now an AVIF').waitFor();
    expect(queries).toEqual(['', '', '?format=auto', '?format=auto']);

    // Both are there already: going back takes nothing.
    await page.getByRole('button', { name: 'As uploaded' }).click();
    await row('1.jpg').getByText('Now an AVIF').waitFor({ state: 'detached' });
    await page.getByText('2 images done').waitFor();
    await page.getByLabel('Other formats').selectOption('WebP');
    await row('2.jpg').getByText('Now a WebP').waitFor();
    await page.getByText('2 images done').waitFor();
    expect(queries.slice(4)).toEqual(['?format=webp', '?format=webp']);
    await page.reload();
    expect(await page.getByLabel('Other formats').inputValue()).toBe('webp');
    expect(complaints).toEqual([]);
  });

  it('keeps the earlier result where the other format cannot hold the image', async () => {
    const { page, row, choose } = await visit(service.url);
    await choose(await glassPng());
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'JPG', exact: true }).click();
    await row('glass.png').getByText('It has transparency. Choose another format.').waitFor();
    await row('glass.png').getByText('No pixel changed').waitFor();
    await page.getByRole('link', { name: 'Download glass.png' }).waitFor();
    await page.getByText('1 image done').waitFor();
  });

  it('is offered in the row of a photo that is stored as PNG', async () => {
    const visitor = await visit(service.url);
    const { page, row, choose, violations } = visitor;
    const queries = queriesOf(visitor);
    await choose(await photoPng(), jpegFile('photo.jpg', photo));
    await page.getByText('2 images done').waitFor();
    expect(await row('photo.jpg').getByText('Make it a JPG').count()).toBe(0);
    expect(await violations()).toEqual([]);
    await row('photo.png')
      .getByRole('button', { name: /^Make it a JPG, \d+(\.\d+)? kB/ })
      .click();
    await row('photo.png').getByText('Now a JPG').waitFor();
    const link = row('photo.png').getByRole('link', { name: 'Download photo.png' });
    expect(await link.getAttribute('download')).toBe('photo-compressed.jpg');
    // Only this image: the others keep the choice for the list.
    expect(queries.filter((query) => query !== '')).toEqual(['?format=jpeg']);
  });

  it('is for high-density displays where the service knows them', async () => {
    const visitor = await visit(service.url);
    const { page, choose } = visitor;
    const queries = queriesOf(visitor);
    await page.route(`${service.url}/`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('{&quot;signup', '{&quot;density&quot;:1,&quot;signup');
      await route.fulfill({ response, body });
    });
    await page.route('**/api/v1/compress?density=2', (route) =>
      route.continue({ url: `${service.url}/api/v1/compress` }),
    );
    await page.reload();
    await choose(jpegFile('1.jpg', photo));
    await page.getByText('1 image done').waitFor();
    await page.getByRole('group', { name: 'Shown on' }).getByRole('button', { name: '2× screens' }).click();
    await page.getByText('1 image done').waitFor();
    expect(queries).toEqual(['', '?density=2']);
    await page.getByRole('button', { name: 'Any screen' }).click();
    await page.getByText('1 image done').waitFor();
    expect(queries).toHaveLength(2);
  });
});
