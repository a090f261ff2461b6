import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { button, click, shows, describeInBrowser, IN_MOTION, visit, visitWithKey } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { startService, type Service } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { listed, refuseImages } from './page-parts';

/** Keeps every state that the rows showed, also one that is gone before a test could ask for it. */
const RECORD_WORDS = `globalThis.seen = [];
  new MutationObserver(() => {
    const words = document.querySelector('.progress-words')?.textContent;
    if (words && words !== seen.at(-1)) seen.push(words);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

describeInBrowser('what goes wrong', () => {
  const service = sharedClient();
  let own: Service | undefined;
  let small: Buffer;
  beforeAll(async () => (small = await photoJpeg(64, 48)));
  afterEach(() => own?.stop('SIGKILL'));

  it('is refused before it is sent: wrong, empty and large files, with what to do', async () => {
    own = await startService({ MAX_UPLOAD_MB: '0.1', RATE_LIMIT_PER_MINUTE: '2' });
    const { page, row, choose, expectAccess } = await visitWithKey(own);
    await shows(page, '2 images a minute');
    await choose({
      'notes.jpg': Buffer.from('not an image'),
      'empty.jpg': Buffer.alloc(0),
      'large.jpg': Buffer.concat([small, Buffer.alloc(110_000)]),
    });
    await shows(page.getByRole('main'), 'Save it at a lower quality');
    await shows(row('notes.jpg'), 'This is not a JPG, although its name ends in .jpg.');
    await shows(row('empty.jpg'), 'The image file is empty.');
    expect(own.logs().filter(({ path }) => path === '/api/v1/compress')).toEqual([]);
    expect(await button(row('large.jpg'), 'again').count()).toBe(0);

    await choose({ '1.jpg': small, '2.jpg': small, '3.jpg': small });
    const alert = page.getByRole('alert').filter({ hasText: '2 images a minute. ' });
    await shows(alert, 'The next one starts in');
    const seconds = async () => Number(/\d+/.exec(await page.locator('.seconds').innerText()));
    const first = await seconds();
    expect(first).toBeGreaterThan(2);
    await eventually(async () => expect(await seconds()).toBeLessThan(first - 1));
    await expectAccess();
  });

  it('is a deadline or a lost process: an image is sent twice, and then its row says what happened', async () => {
    const { page, row, choose } = await visitWithKey(service);
    const title = 'The image took too long';
    const refusal = await refuseImages(page, { status: 503, code: 'deadline_exceeded', title });
    await choose({ '1.jpg': small });
    await shows(row('1.jpg'), `${title}. Next try in`);
    await shows(row('1.jpg'), 'The service is too busy for it.');
    expect(await page.getByRole('alert').getByText(title).count()).toBe(0);
    expect(refusal.calls()).toBe(2);
    refusal.end();
    const partial = { body: small, headers: { 'X-Original-Size': '9000', 'X-Partial': 'deadline' } };
    await page.route('**/api/v1/compress', (route) => route.fulfill(partial), { times: 1 });
    const again = button(row('1.jpg'), 'Try again: 1.jpg');
    await again.click();
    await row('1.jpg').getByText('Stopped at the time limit; try again for a smaller file').waitFor();
    await again.click();
    await again.waitFor({ state: 'detached' });
    await listed(page, '1 image done');
    const lost = await refuseImages(page, { status: 503, code: 'dependency_unavailable', title: 'Lost' });
    await choose({ '2.jpg': small });
    await shows(row('2.jpg'), 'Lost. Try again in a moment.');
    expect(lost.calls()).toBe(2);
  });

  it('is an upload that takes long: the row shows how far it is', async () => {
    const { page, row, choose } = await visitWithKey(service, IN_MOTION);
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', slow);
    await page.evaluate(RECORD_WORDS);
    await choose({ 'slow.jpg': Buffer.concat([small, Buffer.alloc(1_000_000)]) });
    await listed(page, '1 image done');
    const words = await page.evaluate<string[]>('seen');
    const percents = words.flatMap((text) => /^Uploading, (\d+)%$/.exec(text)?.slice(1).map(Number) ?? []);
    expect(percents.some((percent) => percent > 0 && percent < 100)).toBe(true);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(await row('slow.jpg').getByRole('progressbar').count()).toBe(0);
  });

  it('is too many trials from one address: the list waits', async () => {
    own = await startService({ SIGNUP_LIMIT_PER_HOUR: '1' });
    await own.signUp();
    const { page, row, choose } = await visit(own.url);
    await choose({ '1.jpg': small });
    await shows(page.getByRole('alert'), 'The next one starts in');
    await shows(row('1.jpg'), 'Waiting');
  });

  it('is a network or a service that is away: nothing is lost, and it continues when that is back', async () => {
    const folder = temporaryFolder();
    const DATABASE_URL = `sqlite:${join(folder, 'service.db')}`;
    own = await startService({ DATABASE_URL });
    const { port } = own;
    const { page, row, choose, expectAccess } = await visitWithKey(own);
    const away = page.getByRole('alert').getByText('The service cannot be reached.');
    await choose({ '1.jpg': small });
    await listed(page, '1 image done');
    await page.context().setOffline(true);
    await away.waitFor();
    await page.getByRole('link', { name: 'Download 1.jpg' }).waitFor();
    await expectAccess();
    await page.context().setOffline(false);
    await away.waitFor({ state: 'detached' });

    await own.stop();
    await choose({ '2.jpg': small, '3.jpg': small });
    await away.waitFor();
    await shows(row('2.jpg'), 'Waiting');
    await click(page, 'Try now');
    own = await startService({ DATABASE_URL, PORT: String(port) });
    await listed(page, '3 images done');
    expect(await away.count()).toBe(0);
  });
});
