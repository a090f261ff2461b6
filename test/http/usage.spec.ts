import { graphicPng } from '../support/images';
import { Clock } from '../support/clock';
import { runOnAccounts } from '../support/command-line';
import { onEachDatabase } from '../support/databases';
import { expectEnd } from '../support/ended';
import { expectProblem } from '../support/responses';
import { startService, type Service } from '../support/service';
import { TinifyCaller } from '../support/tinify';

interface Row {
  readonly month: string;
  readonly keyId: string;
  readonly images: number;
  readonly bytesIn: number;
  readonly bytesSaved: number;
}

const image = graphicPng(64, 64);

onEachDatabase((url) => {
  const clock = new Clock();
  let service: Service;
  const start = () =>
    startService({
      ...clock.env,
      DATABASE_URL: url(),
      TINIFY_API: 'on',
      ACCOUNT_REQUESTS_PER_MINUTE: '0',
    });
  beforeAll(async () => {
    clock.setTo('2026-10-31T12:00:00Z');
    service = await start();
  });
  afterAll(() => service.stop());

  const ask = (path: string, apiKey: string) => service.api(`account${path}`, { apiKey });
  const rowsOf = async (apiKey: string) =>
    ((await (await ask('/usage', apiKey)).json()) as { usage: Row[] }).usage;
  const totalsOf = async (apiKey: string) => ((await (await ask('', apiKey)).json()) as { usage: Row }).usage;
  const sumOf = (rows: readonly Row[]) => ({
    images: rows.reduce((sum, { images }) => sum + images, 0),
    bytesIn: rows.reduce((sum, { bytesIn }) => sum + bytesIn, 0),
    bytesSaved: rows.reduce((sum, { bytesSaved }) => sum + bytesSaved, 0),
  });
  const ics = (command: string) => runOnAccounts(url(), command, clock.env);

  it('is listed by month and key', async () => {
    clock.setTo('2026-10-31T12:00:00Z');
    const { accountId, apiKey, keyId, email, send } = await service.signUp();
    const second = await service.addKey(apiKey);
    const saved = Number((await send(image)).headers.get('x-bytes-saved'));
    clock.setTo('2026-11-01T00:00:00Z');
    await send(image);
    await second.send(image);
    await second.send(image);
    const row = (month: string, key: string, images: number): Row => ({
      month,
      keyId: key,
      images,
      bytesIn: images * image.length,
      bytesSaved: images * saved,
    });
    const november = [row('2026-11', keyId, 1), row('2026-11', second.keyId, 2)];
    november.sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    const usage = [row('2026-10', keyId, 1), ...november];
    const all = await ask('/usage', apiKey);
    expect(await all.json()).toEqual({ accountId, from: '2025-12', to: '2026-11', usage, next: null });
    const one = await ask('/usage?from=2026-10&to=2026-10', apiKey);
    expect(await one.json()).toMatchObject({ usage: usage.slice(0, 1) });
    expect(await totalsOf(apiKey)).toEqual(sumOf(usage));

    const json = ics('account usage --json --from 2026-10 --to 2026-11').stdout;
    expect(json).toContain(`${JSON.stringify({ accountId, email, ...usage[0] })}\n`);
    const words = ics('account usage --from 2026-10 --to 2026-10').stdout;
    expect(words).toMatch(new RegExp(`^2026-10  ${email}  ${keyId}  1 image, .* saved$`, 'm'));
    expect(ics('account usage --from 2026-13').status).toBe(2);
    expect(ics('account usage --from 2026-12 --to 2026-11').status).toBe(2);
    expectEnd(ics('account usage --csv'), 2, /^--csv was removed; use --json\.\n$/);
  });

  it.each([
    ['from=2026-1', '"from" must be a month'],
    ['to=now', '"to" must be a month'],
    ['from=2026-01&from=2026-02', '"from" must be a month'],
    ['from=2026-12&to=2026-01', '"from" must not be later than "to"'],
    ['after=nonsense', '"after" must be'],
    ['after=2026-01_x', '"after" must be'],
    ['month=2026-01', 'There is no parameter "month"; use from, to, after.'],
  ])('refuses %s', async (query, rule) => {
    const { apiKey } = await service.signUp();
    await expectProblem(ask(`/usage?${query}`, apiKey), 400, 'invalid_request', rule);
  });

  it("shows Tinify's clients the images of this month", async () => {
    const { apiKey } = await service.signUp();
    const caller = new TinifyCaller(service, apiKey);
    const count = async () => (await caller.shrink(image)).headers.get('compression-count');
    clock.setTo('2026-11-30T23:00:00Z');
    expect([await count(), await count()]).toEqual(['1', '2']);
    clock.setTo('2026-12-01T00:00:00Z');
    expect(await count()).toBe('1');
    const check = await fetch(`${service.url}/keys/${apiKey}`);
    expect(check.headers.get('compression-count')).toBe('1');
    expect((await totalsOf(apiKey)).images).toBe(3);
  });

  it('is exact after kill -9, but for images of the last second', async () => {
    const { apiKey, send } = await service.signUp();
    for (let i = 0; i < 5; i++) await send(image);
    // Reading the account writes what is pending.
    expect((await totalsOf(apiKey)).images).toBe(5);
    const answers = Array.from({ length: 8 }, () => send(image));
    await Promise.race(answers);
    service.process.kill('SIGKILL');
    const delivered = (await Promise.allSettled(answers)).filter(({ status }) => status === 'fulfilled');
    await service.stop('SIGKILL');
    service = await start();
    const totals = await totalsOf(apiKey);
    expect(totals.images).toBeGreaterThanOrEqual(5);
    expect(totals.images).toBeLessThanOrEqual(5 + 8);
    expect(delivered.length).toBeGreaterThan(0);
    expect(totals.bytesIn).toBe(totals.images * image.length);
    expect(sumOf(await rowsOf(apiKey))).toEqual(totals);
  });

  it('is kept for 24 months, and totals forever', async () => {
    clock.setTo('2026-11-30T12:00:00Z');
    const { apiKey, send } = await service.signUp();
    await send(image);
    await totalsOf(apiKey);
    clock.setTo('2028-11-01T00:00:00Z');
    await send(image);
    const rows = await ask('/usage?from=2026-01', apiKey);
    expect(((await rows.json()) as { usage: Row[] }).usage.map(({ month }) => month)).toEqual(['2028-11']);
    expect((await totalsOf(apiKey)).images).toBe(2);
  });
});
