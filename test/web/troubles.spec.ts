import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser, jpegFile, visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { startService, type Service } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { OVERLOADED, RATE_LIMITED } from './refusals';

/** Keeps the text that the rows showed, also what is gone before a test could ask for it. */
const RECORD_ROWS = `globalThis.seen = '';
  new MutationObserver(() => {
    for (const row of document.querySelectorAll('.job')) seen += row.textContent;
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

describeInBrowser('what goes wrong', () => {
  const service = sharedClient();
  /** Set where the shared service does not do. */
  let own: Service | undefined;
  let small: Buffer;
  beforeAll(async () => (small = await photoJpeg(64, 48)));
  afterEach(() => own?.stop('SIGKILL'));

  it('refuses wrong, empty and large files before they are sent, with what to do', async () => {
    const limited = (own = await startService({ MAX_UPLOAD_MB: '0.1' }));
    const { page, row, choose, signUp, violations, complaints } = await visit(limited.url);
    const key = await signUp();
    const large = Buffer.concat([small, Buffer.alloc(110_000)]);
    await choose(
      jpegFile('notes.jpg', Buffer.from('not an image')),
      jpegFile('empty.jpg', Buffer.alloc(0)),
      jpegFile('large.jpg', large),
    );
    const detailFor = async (image: Buffer) => {
      const { detail } = (await (await limited.compress(image, key)).json()) as { detail: string };
      return detail;
    };
    const compressed = () => limited.logs().filter(({ path }) => path === '/api/v1/compress').length;
    await page.getByRole('main').getByText('Save it at a lower quality').waitFor();
    await row('notes.jpg').getByText('This is not a JPG, although its name ends in .jpg.').waitFor();
    await row('empty.jpg').getByText('The image file is empty.').waitFor();
    expect(compressed()).toBe(0);
    await page.getByText(await detailFor(large)).waitFor();
    expect(await row('large.jpg').getByRole('button', { name: 'again' }).count()).toBe(0);
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says of a damaged image what to do, and goes on with the others', async () => {
    const { page, row, choose, signUp } = await visit(service.url);
    await signUp();
    await choose(jpegFile('damaged.jpg', small.subarray(0, 300)), jpegFile('good.jpg', small));
    await page.locator('.failures').getByText('Open it in an image editor, save it again').waitFor();
    await row('good.jpg').getByRole('button', { name: 'Compare good.jpg' }).waitFor();
    await page
      .getByRole('status')
      .getByText('damaged.jpg')
      .or(page.getByRole('status').getByText('good.jpg'))
      .waitFor();
  });

  it('counts down when the limit of the account is reached', async () => {
    own = await startService({ RATE_LIMIT_PER_MINUTE: '2' });
    const { page, row, choose, signUp, violations } = await visit(own.url);
    await signUp();
    await page.getByText('2 images a minute').waitFor();
    await choose(jpegFile('1.jpg', small), jpegFile('2.jpg', small), jpegFile('3.jpg', small));
    await page.getByRole('alert').getByText('2 images a minute.').waitFor();
    await page.getByText('2 of 3 done').waitFor();
    await row('3.jpg').getByText('Paused: limit reached').waitFor();
    const countdown = page.locator('.seconds');
    const seconds = async () => Number(/\d+/.exec(await countdown.innerText()));
    const first = await seconds();
    expect(first).toBeGreaterThan(2);
    await eventually(async () => expect(await seconds()).toBeLessThan(first - 1));
    expect(await violations()).toEqual([]);
  });

  it('goes on by itself when the wait is over', async () => {
    const { page, choose, signUp } = await visit(service.url);
    await signUp();
    // Each wait takes 3 s, which a slow machine may miss.
    let isSeen = false;
    await page.route('**/api/v1/compress', async (route) => {
      if (isSeen) return route.continue();
      await route.fulfill({ status: 429, contentType: 'application/problem+json', body: RATE_LIMITED });
    });
    await choose(jpegFile('1.jpg', small));
    await page.getByRole('alert').getByText('The next one starts in').waitFor();
    isSeen = true;
    await page.getByText('1 image done').waitFor();
    expect(await page.getByRole('alert').getByText('The next one').count()).toBe(0);
  });

  it('tries again when the service is busy, and stops after a few times', async () => {
    const { page, row, choose, signUp } = await visit(service.url);
    await signUp();
    let calls = 0;
    await page.route('**/api/v1/compress', async (route) => {
      calls++;
      await route.fulfill({ status: 503, contentType: 'application/problem+json', body: OVERLOADED });
    });
    await page.evaluate(RECORD_ROWS);
    await choose(jpegFile('1.jpg', small));
    await row('1.jpg').getByRole('button', { name: 'Try 1.jpg again' }).waitFor();
    expect(await page.evaluate<string>('seen')).toContain('The service is busy. Next try in');
    expect(calls).toBe(4);
    await page.unroute('**/api/v1/compress');
    await row('1.jpg').getByRole('button', { name: 'Try 1.jpg again' }).click();
    await page.getByText('1 image done').waitFor();
  });

  it.each([
    ['a small image', 0],
    ['an image that is still being sent', 15_000_000],
  ])('asks for another key when the one in use is revoked, and keeps the list: %s', async (_, padding) => {
    const { page, row, choose, pasteKey, violations } = await visit(service.url);
    const [revoked, other] = [await service.signUp(), await service.signUp()];
    await pasteKey(revoked.apiKey);
    await choose(jpegFile('1.jpg', small));
    await page.getByText('1 image done').waitFor();
    await fetch(`${service.url}/api/v1/account/keys/${revoked.keyId}`, {
      method: 'DELETE',
      headers: { 'X-API-Key': revoked.apiKey },
    });
    await choose(jpegFile('2.jpg', Buffer.concat([small, Buffer.alloc(padding)])));
    await page.getByRole('alert').getByText('unknown or has been revoked').waitFor();
    await row('2.jpg').getByText('Waiting for another key').waitFor();
    expect(await violations()).toEqual([]);

    await page.getByRole('textbox', { name: 'API key' }).fill('ics_nonsense');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('check that you copied all of it').waitFor();
    await page.getByRole('textbox', { name: 'API key' }).fill(other.apiKey);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('2 images done').waitFor();
    expect(await page.getByRole('form', { name: 'Account' }).count()).toBe(0);
  });

  it('finds out what was the matter when an answer got lost on the way', async () => {
    const { page, row, choose, pasteKey } = await visit(service.url);
    const { apiKey, keyId } = await service.signUp();
    await pasteKey(apiKey);
    const revoke = () =>
      fetch(`${service.url}/api/v1/account/keys/${keyId}`, {
        method: 'DELETE',
        headers: { 'X-API-Key': apiKey },
      });
    let calls = 0;
    // Some systems report this if a service answers and closes while the file is still being sent.
    await page.route('**/api/v1/compress', async (route) => {
      if (++calls === 2) await revoke();
      await route.abort('connectionreset');
    });
    await page.evaluate(RECORD_ROWS);
    await choose(jpegFile('1.jpg', small));
    await page.getByRole('alert').getByText('unknown or has been revoked').waitFor();
    await row('1.jpg').getByText('Waiting for another key').waitFor();
    expect(await page.evaluate<string>('seen')).toContain('The connection was lost. Next try in');
  });

  it('says when the service is away, loses nothing, and goes on when it is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ics-away-'));
    const DATABASE_URL = `sqlite:${join(folder, 'service.db')}`;
    own = await startService({ DATABASE_URL });
    const { port } = own;
    const { page, row, choose, signUp, violations } = await visit(own.url);
    await signUp();
    await choose(jpegFile('1.jpg', small));
    await page.getByText('1 image done').waitFor();

    await own.stop();
    await choose(jpegFile('2.jpg', small), jpegFile('3.jpg', small));
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    await row('2.jpg').getByText('Waiting for the service').waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    expect(await violations()).toEqual([]);

    own = await startService({ DATABASE_URL, PORT: String(port) });
    await page.getByText('3 images done').waitFor();
    expect(await page.getByRole('alert').getByText('cannot be reached').count()).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
