import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describeInBrowser, expectFocus, visit } from '../support/browser';
import { startService, type Service } from '../support/service';
import { sharedClient } from '../support/shared-service';

describeInBrowser('keys', () => {
  const service = sharedClient();
  /** Set where the shared service does not do. */
  let own: Service | undefined;
  afterEach(() => own?.stop('SIGKILL'));

  const stored = (page: Page) =>
    page.evaluate<{ tab: string[]; device: string[] }>(
      '({ tab: Object.values(sessionStorage), device: Object.values(localStorage) })',
    );

  it('keeps the key for the tab only, unless asked to remember it, and forgets it on signing out', async () => {
    const { page, pasteKey } = await visit(service.url);
    const { apiKey, email } = await service.signUp();
    await pasteKey(apiKey);
    expect(await stored(page)).toEqual({ tab: [apiKey], device: [] });
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await stored(page)).toEqual({ tab: [], device: [] });
    await expectFocus(page.getByLabel('Choose JPG or PNG images'));

    await page.getByRole('button', { name: 'I have a key' }).click();
    await page.getByLabel('Remember on this device').check();
    await page.getByRole('textbox', { name: 'API key' }).fill(apiKey);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await stored(page)).toEqual({ tab: [], device: [apiKey] });
    const secondTab = await page.context().newPage();
    await secondTab.goto(service.url);
    await secondTab.getByText(email).waitFor();
  });

  it('keeps the key of a new account on the device, unless asked not to', async () => {
    const { page, signUp } = await visit(service.url);
    const key = await signUp();
    expect(await stored(page)).toEqual({ tab: [], device: [key] });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('Remember on this device').uncheck();
    await page.getByLabel('E-mail address').fill(`tab-${randomUUID()}@example.com`);
    await page.getByLabel('E-mail address').press('Enter');
    await page.getByText('This page forgets it when the tab is closed').waitFor();
    const other = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    expect(await stored(page)).toEqual({ tab: [other], device: [] });
  });

  it('says below the field what is missing in an e-mail address', async () => {
    const { page, violations } = await visit(service.url);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('E-mail address').fill('me@');
    await page.getByLabel('E-mail address').press('Enter');
    await page.getByText('Enter one such as you@example.com.').waitFor();
    expect(await violations()).toEqual([]);
  });

  it('says whom to ask for a lost key', async () => {
    const { page } = await visit(service.url);
    await page.getByRole('button', { name: 'I have a key' }).click();
    await page.getByText('Lost it? Ask the operator').waitFor();
  });

  it('tells at once that a remembered key is no longer good', async () => {
    const { page, pasteKey } = await visit(service.url);
    const { apiKey, keyId } = await service.signUp();
    await pasteKey(apiKey);
    await fetch(`${service.url}/api/v1/account/keys/${keyId}`, {
      method: 'DELETE',
      headers: { 'X-API-Key': apiKey },
    });
    await page.reload();
    await page.getByRole('alert').getByText('unknown or has been revoked').waitFor();
  });

  it('says what to do when the address has an account already', async () => {
    const { email } = await service.signUp();
    const { page } = await visit(service.url);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('E-mail address').press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('Choose “I have a key” and paste it').waitFor();
    await alert.getByText('npm run -s cli -- key create').waitFor();
  });

  it('lists the keys of the account, makes another one, and revokes one that is not in use', async () => {
    const { page, signUp, violations, complaints } = await visit(service.url);
    const first = await signUp();
    await page.getByRole('button', { name: 'Keys' }).click();
    const list = page.getByRole('region', { name: 'Your keys' });
    await list.getByText(`${first.slice(0, 10)}…`).waitFor();
    await list.getByText('used by this page').waitFor();
    expect(await list.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
    await list.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('This page goes on with the one that it has.').waitFor();
    const second = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    expect(second).not.toBe(first);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    expect((await stored(page)).device).toEqual([first]);

    await list.getByRole('button', { name: `Revoke ${second.slice(0, 10)}` }).click();
    await list.getByRole('button', { name: `Revoke for good ${second.slice(0, 10)}` }).click();
    await list.getByText(`${second.slice(0, 10)}…`).waitFor({ state: 'detached' });
    const refused = await fetch(`${service.url}/api/v1/account`, { headers: { 'X-API-Key': second } });
    expect(refused.status).toBe(401);
    await list.getByRole('button', { name: 'Close' }).click();
    await expectFocus(page.getByRole('button', { name: 'Keys' }));
    expect(complaints).toEqual([]);
  });

  it('signs in by a link, which leaves no trace in the address, the history or a request', async () => {
    const { page, complaints } = await visit(service.url);
    const { apiKey, email } = await service.signUp();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.goto('about:blank');
    await page.goto(`${service.url}/#key=${apiKey}`);
    await page.getByText(email).waitFor();
    expect(await stored(page)).toEqual({ tab: [], device: [apiKey] });
    expect(page.url()).toBe(`${service.url}/`);
    // Chromium itself names the fragment of the document; no request after it does, and none carries it in its path.
    expect(
      sent
        .map((url) => new URL(url))
        .filter(({ pathname, search }) => `${pathname}${search}`.includes(apiKey)),
    ).toEqual([]);
    await page.goBack();
    await page.goForward();
    await page.getByText(email).waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    expect(complaints).toEqual([]);
  });

  it('asks before a link replaces a key, and says why a link does not work', async () => {
    const { page, pasteKey, violations } = await visit(service.url);
    const [mine, other] = [await service.signUp(), await service.signUp()];
    await pasteKey(mine.apiKey);
    const follow = (key: string) => page.evaluate(`location.hash = 'key=${key}'`);
    const question = page.getByRole('dialog', { name: 'Use the key of the link?' });
    await follow(other.apiKey);
    await question.waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    expect(await violations()).toEqual([]);
    await question.getByRole('button', { name: 'Keep it' }).click();
    expect((await stored(page)).tab).toEqual([mine.apiKey]);
    await expectFocus(page.getByLabel('Choose JPG or PNG images'));
    // Where nothing had the focus before, there is no place to return to.
    await page.evaluate('document.activeElement.blur()');
    await follow(other.apiKey);
    await question.getByRole('button', { name: 'Keep it' }).click();
    await expectFocus(page.getByRole('button', { name: 'Keys' }));
    await follow(other.apiKey);
    await question.getByRole('button', { name: 'Replace the key' }).click();
    await page.getByText(other.email).waitFor();
    expect(await stored(page)).toEqual({ tab: [], device: [other.apiKey] });
    // The key in use needs no question.
    await follow(other.apiKey);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await follow('ics_nonsense');
    const gone = await question.elementHandle();
    await question.getByRole('button', { name: 'Replace the key' }).click();
    const refusal = page.getByRole('dialog', { name: 'The link does not work' });
    await refusal.getByText('malformed').waitFor();
    // The event of the question may come this late.
    await gone.dispatchEvent('close');
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await refusal.count()).toBe(1);
    expect((await stored(page)).device).toEqual([other.apiKey]);
  });

  it('offers no sign-up where there is none, and says why', async () => {
    own = await startService({ SIGNUP: 'closed' });
    const { page, violations } = await visit(own.url);
    await page.getByText('operator of this service creates the accounts').waitFor();
    expect(await page.getByLabel('E-mail address').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'API key' }).count()).toBe(1);
    expect(await violations()).toEqual([]);
  });
});
