import { request, type ClientRequest } from 'node:http';
import type { Page } from 'playwright-core';
import { describeInBrowser, expectFocus, jpegFile, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { startService, type Service, ownService } from '../support/service';

describeInBrowser('a visitor without an account', () => {
  const service = ownService({ TRIAL_IMAGES: '3' });
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240)));

  const stored = (page: Page) =>
    page.evaluate<string[]>('[...Object.values(sessionStorage), ...Object.values(localStorage)]');
  const trialKey = async (page: Page) =>
    (JSON.parse((await stored(page))[0] ?? '{}') as { apiKey?: string }).apiKey;

  it('sees results before any form, and is offered an account afterwards', async () => {
    const { page, row, choose, violations, complaints } = await visit(service.url);
    expect(await page.getByLabel('E-mail address').count()).toBe(0);
    expect(await stored(page)).toEqual([]);
    await choose(jpegFile('1.jpg', photo), jpegFile('2.jpg', photo));
    await page.getByText('2 images done').waitFor();
    await row('1.jpg').getByText('Looks identical').waitFor();
    await page.getByText('Trial: 1 of 3 left').waitFor();
    const key = await trialKey(page);
    expect(key).toMatch(/^ics_/);
    expect(await page.getByText(key ?? '').count()).toBe(0);
    expect(await violations()).toEqual([]);

    const offer = page.getByRole('region', { name: 'Like the result?' });
    await offer.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('E-mail address').fill('convinced@example.com');
    await page.getByLabel('E-mail address').press('Enter');
    await page.getByRole('heading', { name: 'Your API key' }).waitFor();
    await page.getByText('2 images done').waitFor();
    expect(await page.getByText('Trial:').count()).toBe(0);
    expect(await offer.count()).toBe(0);
    expect(await trialKey(page).catch(() => undefined)).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  it('signs up when the trial is used up, and the rest of the list goes on', async () => {
    const { page, row, choose, violations } = await visit(service.url);
    await choose(...[1, 2, 3, 4, 5].map((i) => jpegFile(`${i}.jpg`, photo)));
    await page
      .getByRole('alert')
      .getByText('2 images left. The trial is used up. All you need is an e-mail address')
      .waitFor();
    await page.getByText('3 of 5 done').waitFor();
    await row('5.jpg').getByText('Waiting for an account').waitFor();
    // One line, said once: the list hardly moves.
    const banner = page.getByRole('form', { name: 'Account' });
    expect((await banner.boundingBox())?.height).toBeLessThan(80);
    expect(await page.getByText('Sign up').count()).toBe(1);
    expect(await violations()).toEqual([]);
    await page.getByLabel('E-mail address').fill('convinced-later@example.com');
    await page.getByLabel('E-mail address').press('Enter');
    await page.getByRole('heading', { name: 'Your API key' }).waitFor();
    await page.getByText('5 images done').waitFor();
  });

  it('sends a waiting image when one before it fails and gives its place back', async () => {
    const { page, row, choose } = await visit(service.url);
    await choose(jpegFile('1.jpg', photo), jpegFile('2.jpg', photo));
    await page.getByText('Trial: 1 of 3 left').waitFor();
    const key = (await trialKey(page)) ?? '';
    const refusal = page.waitForResponse((response) => response.status() === 403);
    const claim = claimPlace(service, key);
    await eventually(async () => expect(await imagesLeft(service, key)).toBe(0));
    let sent = 0;
    await page.route('**/api/v1/compress', async (route) => {
      if (++sent === 1) {
        // The last place stays taken until the second image was refused.
        await refusal;
        await row('good.jpg').getByText('Waiting for the last image of the trial').waitFor();
        claim.destroy();
        await eventually(async () => expect(await imagesLeft(service, key)).toBe(1));
        // As if it was damaged on the way: no worker takes it, so it gives its place back.
        const headers = { ...route.request().headers(), 'content-type': 'multipart/form-data; boundary=b' };
        return route.continue({ headers, postData: DAMAGED_UPLOAD });
      }
      await route.continue();
    });
    await choose(jpegFile('broken.jpg', photo), jpegFile('good.jpg', photo));
    await page.getByRole('main').getByText('Export it as JPG or PNG').waitFor();
    await row('good.jpg').getByText('Looks identical').waitFor();
    await page.getByText('Trial: 0 of 3 left').waitFor();
    expect(await page.getByText('The trial is used up').count()).toBe(0);
    expect(sent).toBe(3);
    await choose(jpegFile('late.jpg', photo));
    await page.getByText('1 image left. The trial is used up.').waitFor();
    await page.getByText('Trial: 0 of 3 left').waitFor();
    expect(sent).toBe(4);
  });

  it('goes on with the same trial after the page was loaded again', async () => {
    const { page, choose } = await visit(service.url);
    await choose(jpegFile('1.jpg', photo));
    await page.getByText('1 image done').waitFor();
    const key = await trialKey(page);
    await page.getByRole('link', { name: 'Download 1.jpg' }).click();
    await page.reload();
    await page.getByText('Trial: 2 of 3 left').waitFor();
    await choose(jpegFile('2.jpg', photo));
    await page.getByText('Trial: 1 of 3 left').waitFor();
    expect(await trialKey(page)).toBe(key);
  });

  it('waits when too many trials were opened from the address', async () => {
    const narrow = await startService({ SIGNUP_LIMIT_PER_HOUR: '1' });
    await narrow.signUp();
    const { page, choose, row } = await visit(narrow.url);
    await choose(jpegFile('1.jpg', photo));
    await page.getByRole('alert').getByText('accounts and trials per hour').waitFor();
    await row('1.jpg').getByText('Paused: limit reached').waitFor();
    await narrow.stop();
  });

  it('is asked to sign up first where there are no trials', async () => {
    const without = await startService({ TRIAL_IMAGES: '0' });
    const { page, choose, row } = await visit(without.url);
    await page.getByLabel('E-mail address').waitFor();
    await choose(jpegFile('1.jpg', photo));
    await row('1.jpg').getByText('Waiting for a key').waitFor();
    await without.stop();
  });

  it('leaves nothing on the screen after signing out, and is asked before results are lost', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(jpegFile('private.jpg', photo));
    await page.getByText('1 image done').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('heading', { name: 'private.jpg' }).waitFor();
    await expectFocus(page.getByRole('button', { name: 'Sign out' }));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'private.jpg' }).waitFor({ state: 'detached' });
    await expectFocus(page.getByLabel('Choose JPG or PNG images'));
    const text = await page.evaluate<string>('document.body.textContent');
    expect(text).not.toMatch(/private|@example\.com|Undo|saved/);
    expect(await stored(page)).toEqual([]);
    expect(await page.title()).toBe('Image compression');
  });
});

/** An upload that takes a place of the trial and does not end. */
function claimPlace({ port }: Service, apiKey: string): ClientRequest {
  const upload = request({
    port,
    host: '127.0.0.1',
    path: '/api/v1/compress',
    method: 'POST',
    headers: {
      'X-API-Key': apiKey,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': '1000',
    },
  });
  upload.on('error', () => undefined);
  upload.flushHeaders();
  return upload;
}

const DAMAGED_UPLOAD = [
  '--b',
  'Content-Disposition: form-data; name="image"; filename="broken.jpg"',
  'Content-Type: image/jpeg',
  '',
  'no image',
  '--b--',
  '',
].join('\r\n');

async function imagesLeft({ url }: Service, apiKey: string): Promise<number | undefined> {
  const response = await fetch(`${url}/api/v1/account`, { headers: { 'X-API-Key': apiKey } });
  return ((await response.json()) as { trial: { imagesLeft: number } | null }).trial?.imagesLeft;
}
