import { UnknownLookups } from '../../../../src/accounts/application/authenticator';

const ADDRESS = '192.0.2.1';
const clock = jest.spyOn(performance, 'now');
let lookups: UnknownLookups;
beforeEach(() => {
  clock.mockReturnValue(0);
  lookups = new UnknownLookups();
});
afterAll(() => clock.mockRestore());

/** Returns whether the digest is looked up. */
async function lookUp(digest: string, isValid = false, address = ADDRESS) {
  const find = jest.fn(() => Promise.resolve(isValid));
  await lookups.within(digest, address, find, Boolean).catch(() => undefined);
  return find.mock.calls.length > 0;
}

let made = 0;
async function attack(tries: number, address = ADDRESS) {
  let lookedUp = 0;
  for (let i = 0; i < tries; i++) if (await lookUp(`unknown-${++made}`, false, address)) lookedUp++;
  return lookedUp;
}

it('looks up 100 unknown keys of an address in ten seconds', async () => {
  expect(await attack(5_000)).toBe(100);
  clock.mockReturnValue(2_500);
  const refused = lookups.within('more', ADDRESS, () => Promise.resolve(false), Boolean);
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', facts: { retryAfter: 8 } });
  clock.mockReturnValue(9_999);
  expect(await attack(5_000)).toBe(0);
  clock.mockReturnValue(10_000);
  expect(await attack(5_000)).toBe(100);
});

it('looks up 1 000 unknown keys of all addresses in ten seconds', async () => {
  let lookedUp = 0;
  for (let i = 0; i < 50; i++) lookedUp += await attack(100, `2001:db8:${i}::/64`);
  expect(lookedUp).toBe(1_000);
});

it('always looks up keys that were good, and does not count them', async () => {
  for (let i = 0; i < 500; i++) expect(await lookUp(`good-${i}`, true)).toBe(true);
  expect(await attack(5_000)).toBe(100);
  expect(await lookUp('good-7')).toBe(true);
});

it('forgets a key that is no longer good', async () => {
  for (const isValid of [true, false]) await lookUp('revoked', isValid);
  await attack(5_000);
  expect(await lookUp('revoked')).toBe(false);
});

it('counts look-ups in progress, and not those that failed', async () => {
  let fail!: (outage: Error) => void;
  const outage = new Promise<boolean>((_, reject) => (fail = reject));
  const find = jest.fn(() => outage);
  const begun = Array.from({ length: 150 }, (_, i) => lookups.within(`slow-${i}`, ADDRESS, find, Boolean));
  expect(find).toHaveBeenCalledTimes(100);
  fail(new Error('the database is away'));
  await Promise.allSettled(begun);
  expect(await attack(5_000)).toBe(100);
});

it('remembers at most 10 000 good keys, the latest ones', async () => {
  for (let i = 0; i <= 10_000; i++) await lookUp(`good-${i}`, true);
  await attack(5_000);
  expect(await lookUp('good-0')).toBe(false);
  expect(await lookUp('good-10000')).toBe(true);
});

it('looks up a key that was created a moment ago, whatever unknown keys are tried', async () => {
  for (let i = 0; i < 50; i++) await attack(100, `2001:db8:${i}::/64`);
  expect(await lookUp('new')).toBe(false);
  lookups.remember('new');
  expect(await lookUp('new')).toBe(true);
});
