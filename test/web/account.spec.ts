import { randomUUID } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import {
  button,
  click,
  shows,
  describeInBrowser,
  enter,
  expectFocus,
  visit,
  visitWithKey,
} from '../support/browser';
import { bytesText } from '../../src/contract/units';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { expectStatus } from '../support/responses';
import { startService, type Service } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { listed, refusal } from './page-parts';

describeInBrowser('an account', () => {
  const service = sharedClient();
  let own: Service | undefined;
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(64, 48)));
  afterEach(() => own?.stop('SIGKILL'));

  const stored = (page: Page) =>
    page.evaluate<{ tab: string[]; device: string[] }>(
      '({ tab: Object.values(sessionStorage), device: Object.values(localStorage) })',
    );
  const trialKey = async (page: Page) =>
    (JSON.parse((await stored(page)).tab[0] ?? '{}') as { apiKey?: string }).apiKey;
  const openAccount = (page: Page, email: string) => button(page, `Account ${email}`).click();

  it('takes a key that is correct, for the tab or for the device, and forgets it on signing out', async () => {
    const { page, choose, expectAccess } = await visit(service.url);
    const { apiKey, email } = await service.signUp();
    const dialog = page.getByRole('dialog');
    const signIn = async (key: string) => {
      await dialog.getByLabel('API key').fill(key);
      await click(dialog, 'Sign in');
    };
    await click(page, 'Sign in');
    await expectFocus(dialog.getByLabel('API key'));
    await signIn('nonsense');
    await dialog.getByRole('alert').getByText('check that you copied all of it').waitFor();
    await shows(dialog, 'Lost it? Ask the operator');
    await expectAccess();
    await signIn(apiKey);
    await expectFocus(button(page, `Account ${email}`));
    expect(await stored(page)).toEqual({ tab: [apiKey], device: [] });

    await choose({ 'private.jpg': photo });
    await listed(page, '1 image done');
    await openAccount(page, email);
    await click(dialog, 'Sign out');
    await click(dialog, 'Sign out without the results');
    await expectFocus(button(page, 'Sign in'));
    expect(await stored(page)).toEqual({ tab: [], device: [] });
    expect(await page.evaluate<string>('document.body.textContent')).not.toMatch(
      /private|@example\.com|Undo/,
    );
    expect(await page.title()).toBe('Image compression');

    await click(page, 'Sign in');
    await dialog.getByLabel('Remember the key on this device').check();
    await signIn(apiKey);
    await shows(page, email);
    expect(await stored(page)).toEqual({ tab: [], device: [apiKey] });
  });

  it('is opened for an e-mail address, and says what is wrong with one', async () => {
    const { page } = await visit(service.url);
    const { email } = await service.signUp();
    await click(page, 'Sign up');
    const dialog = page.getByRole('dialog');
    await enter(dialog, 'E-mail address', 'me@');
    await shows(dialog, 'Enter one such as you@example.com.');
    await enter(dialog, 'E-mail address', email);
    await shows(dialog, 'Use its key.');
    // The other form takes the focus before the next key.
    await click(dialog, 'Sign in instead');
    await expectFocus(dialog.getByLabel('API key'));
    await click(dialog, 'Sign up instead');
    await dialog.getByLabel('Remember the key on this device').uncheck();
    await enter(dialog, 'E-mail address', `tab-${randomUUID()}@example.com`);
    await shows(dialog, 'This page forgets it when the tab is closed.');
    const key = await dialog.getByLabel('API key', { exact: true }).inputValue();
    expect(await stored(page)).toEqual({ tab: [key], device: [] });
    await dialog.press('Escape');
    await eventually(async () => expect(await page.getByText(key).count()).toBe(0));
  });

  it('shows its usage of the month, of all keys, and has the limit that is its own', async () => {
    own = await startService({ RATE_LIMIT_PER_MINUTE: '20' });
    const { page, email, apiKey } = await visitWithKey(own);
    await shows(page, ', 20 images a minute');
    const { apiKey: second } = await own.addKey(apiKey);
    const savedBy = async (key: string) => {
      const { headers } = await own!.compress(photo, key);
      return Number(headers.get('x-bytes-saved'));
    };
    const saved = (await savedBy(apiKey)) + (await savedBy(second));
    await openAccount(page, email);
    const words = `This month: 2 images, ${bytesText(saved)} saved`;
    await shows(page.getByRole('dialog'), words);
    await page.route('**/api/v1/account', async (route) => {
      const account = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...account, imagesPerMinute: null } });
    });
    await page.reload();
    await shows(page, email);
    await shows(page, /^JPG and PNG, up to 20 MiB a file\. Larger images/);
  });

  it('lists its keys, makes another one, and revokes one that is not in use', async () => {
    const { page, apiKey, email, expectAccess } = await visitWithKey(service);
    await openAccount(page, email);
    const dialog = page.getByRole('dialog');
    await shows(dialog, 'in use');
    expect(await button(dialog, /^Revoke/).count()).toBe(0);
    await click(dialog, 'New key');
    await shows(dialog, 'This page continues with the one in use.');
    const second = await dialog.getByLabel('API key', { exact: true }).inputValue();
    expect(second).not.toBe(apiKey);
    expect((await stored(page)).device).toEqual([apiKey]);
    await button(dialog, `Revoke ${second.slice(0, 10)}`).waitFor();
    await expectAccess();
    await click(dialog, `Revoke ${second.slice(0, 10)}`);
    await click(dialog, 'Revoke for good');
    await dialog.getByText(`${second.slice(0, 10)}…`).waitFor({ state: 'detached' });
    await expectStatus(service.api('account', { apiKey: second }), 401);
    await click(dialog, 'Close');
    await expectFocus(button(page, `Account ${email}`));
  });

  it('is signed in to by a link, which leaves no trace and replaces no key without asking', async () => {
    const { page } = await visit('about:blank');
    const [mine, other] = [await service.signUp(), await service.signUp()];
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.goto(`${service.url}/#key=${mine.apiKey}`);
    await shows(page, mine.email);
    expect(await stored(page)).toEqual({ tab: [], device: [mine.apiKey] });
    expect(page.url()).toBe(`${service.url}/`);
    // Chromium itself names the fragment of the document; no request carries it in its path.
    const paths = sent.map((url) => new URL(url)).map(({ pathname, search }) => `${pathname}${search}`);
    expect(paths.filter((path) => path.includes(mine.apiKey))).toEqual([]);

    const follow = (key: string) => page.evaluate(`location.hash = 'key=${key}'`);
    const dialog = page.getByRole('dialog');
    await follow(mine.apiKey);
    await follow(other.apiKey);
    await shows(dialog, 'The link holds another key than the one in use');
    expect(page.url()).toBe(`${service.url}/`);
    await click(dialog, 'Close');
    expect((await stored(page)).device).toEqual([mine.apiKey]);
    await follow(other.apiKey);
    await click(dialog, 'Sign in');
    await shows(page, other.email);
    expect((await stored(page)).device).toEqual([other.apiKey]);
    await page.goBack();
    await page.goForward();
    await shows(page, other.email);

    const { page: another } = await visit(`${service.url}/#key=ics_nonsense`);
    await another.getByRole('dialog').getByText('malformed').waitFor();
  });

  it('is a trial first, which a new load of the page continues, and which gives back what fails', async () => {
    own = await startService({ TRIAL_IMAGES: '2' });
    const { page, row, choose } = await visit(own.url);
    await choose({ '1.jpg': photo });
    await listed(page, '1 image done');
    const key = await trialKey(page);
    expect(key).toMatch(/^ics_/);
    await page.getByRole('link', { name: 'Download 1.jpg' }).click();
    await page.reload();
    await shows(page, '1 free image left');
    let fail: () => void = () => undefined;
    const failing = new Promise<void>((resolve) => (fail = resolve));
    const answers = [
      { status: 422, code: 'undecodable_image', title: 'The image cannot be decoded' },
      { status: 403, code: 'trial_used_up', title: 'The trial is used up' },
    ];
    await page.route('**/api/v1/compress', async (route) => {
      const answer = answers.shift();
      if (answer?.status === 422) await failing;
      return answer ? route.fulfill(refusal(answer)) : route.continue();
    });
    await choose({ 'broken.jpg': photo, 'later.jpg': photo });
    await shows(page.getByRole('alert'), 'You have used your 2 free images.');
    await shows(row('later.jpg'), 'Waiting');
    fail();
    await listed(page, '1 done, 1 failed');
    expect(await page.getByRole('alert').getByText('You have used').count()).toBe(0);
    expect(await trialKey(page)).toBe(key);
  });

  it('is reported at once when its key is no longer valid, and asked for when a list needs one', async () => {
    const { page, row, choose, apiKey, keyId, expectAccess } = await visitWithKey(service);
    const revoke = () => service.api(`account/keys/${keyId}`, { method: 'DELETE', apiKey });
    await choose({ '1.jpg': photo });
    await listed(page, '1 image done');
    let calls = 0;
    // Some systems lose the response if a service closes while the file is still being sent.
    await page.route('**/api/v1/compress', async (route) => {
      if (++calls === 2) await revoke();
      if (calls > 2) return route.continue();
      await route.abort('connectionreset');
    });
    await choose({ '2.jpg': photo });
    const alert = page.getByRole('alert');
    await shows(alert, 'unknown or has been revoked');
    await shows(row('2.jpg'), 'Waiting');
    await expectAccess();
    await click(alert, 'Sign in');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill((await service.signUp()).apiKey);
    await click(dialog, 'Sign in');
    await listed(page, '2 images done');
    await page.evaluate(`localStorage.setItem('image-compression-key', '${apiKey}'); sessionStorage.clear()`);
    page.on('dialog', (question) => void question.accept());
    await page.reload();
    await shows(alert, 'unknown or has been revoked');
  });

  it.each([
    [{ SIGNUP: 'closed' }, 'you need an API key from the operator', 0],
    [{ TRIAL_IMAGES: '0' }, 'sign up with your e-mail address', 2],
  ])('is needed first where there are no trials: %j', async (env, words, signUpButtons) => {
    own = await startService(env);
    const { page, row, choose, expectAccess } = await visit(own.url);
    await shows(page.getByRole('alert'), words);
    expect(await button(page, 'Sign up').count()).toBe(signUpButtons);
    await choose({ '1.jpg': photo });
    await shows(row('1.jpg'), 'Waiting');
    await shows(page.getByRole('alert'), words);
    await expectAccess();
  });

  it('is not asked for where the service needs no key', async () => {
    own = await startService({ AUTH: 'off' });
    const { page, choose } = await visit(own.url);
    await choose({ '1.jpg': photo });
    await listed(page, '1 image done');
    expect(await page.getByText(/Sign in|Sign up|free image/).count()).toBe(0);
  });

  it('is replaced by another trial when one has expired', async () => {
    const { page, choose } = await visit(service.url);
    let expired: string | undefined;
    const answer = refusal({ status: 401, code: 'trial_expired', title: 'Expired' });
    const refuse = (route: Route) => {
      expired = route.request().headers()['authorization'];
      return route.fulfill(answer);
    };
    await page.route('**/api/v1/compress*', refuse, { times: 1 });
    await choose({ '1.jpg': photo });
    await listed(page, '1 image done');
    expect(expired).toMatch(/^Bearer ics_/);
    expect(`Bearer ${await trialKey(page)}`).not.toBe(expired);
  });
});
