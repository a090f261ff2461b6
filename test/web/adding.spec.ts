import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser, jpegFile, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';
import { namesOf } from './page-parts';

describeInBrowser('what is added', () => {
  const service = sharedClient();
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  it('offers samples, which need no key and use no image of the trial', async () => {
    const { page, complaints } = await visit(service.url);
    let sent = 0;
    page.on('request', (request) => {
      if (/\/api\/v1\/(compress|trials)/.test(request.url())) sent++;
    });
    await page.getByRole('button', { name: 'Still life' }).click();
    await page.getByRole('heading', { name: '1 image done' }).waitFor();
    await page.getByText('Looks identical').first().waitFor();
    await page.getByRole('img', { name: 'After' }).waitFor();
    expect(sent).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['Still life', 25, 50],
    ['Landscape', 25, 50],
    ['Screenshot', 50, 99],
  ])('does with the sample %s as the headline says', async (title, least, most) => {
    const { page } = await visit(service.url);
    await page.getByText('Photos become a quarter to a half smaller, screenshots even more').waitFor();
    await page.getByRole('button', { name: title }).click();
    const percent = Number.parseInt(await page.locator('.total-saving').innerText(), 10);
    expect(percent).toBeGreaterThanOrEqual(least);
    expect(percent).toBeLessThanOrEqual(most);
  });

  it('takes the images of a folder that is dropped, and of the folders in it', async () => {
    const { page, signUp } = await visit(service.url);
    await signUp();
    const folder = mkdtempSync(join(tmpdir(), 'ics-folder-'));
    mkdirSync(join(folder, 'more'));
    for (const name of ['10.jpg', '9.jpg', 'more/inner.jpg', 'notes.txt', '.hidden.jpg'])
      writeFileSync(join(folder, name), photo);
    const client = await page.context().newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await client.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    await page.getByText('3 images done').waitFor();
    expect(await namesOf(page)).toEqual(['9.jpg', '10.jpg', 'inner.jpg']);
    rmSync(folder, { recursive: true });
  });

  it('shows the only image before and after, in the page itself', async () => {
    const { page, choose, signUp, violations } = await visit(service.url);
    await signUp();
    await choose(jpegFile('photo.jpg', photo));
    const after = page.getByRole('img', { name: 'After' });
    await after.waitFor();
    const { x, y, width } = (await after.boundingBox())!;
    await page.mouse.move(x + width / 2, y + 50);
    await page.mouse.down();
    await page.mouse.move(x + width / 4, y + 50, { steps: 3 });
    await page.mouse.up();
    await eventually(async () =>
      expect(Number(await page.getByRole('slider').inputValue())).toBeCloseTo(25, 0),
    );
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await violations()).toEqual([]);
    await page.mouse.click(x + width / 2, y + 50);
    await page.getByRole('dialog').waitFor();
  });
});
