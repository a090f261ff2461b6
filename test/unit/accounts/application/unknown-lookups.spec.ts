import { UnknownLookups } from '../../../../src/accounts/application/authenticator';

const ADDRESS = '192.0.2.1';
let made = 0;
function attack(lookups: UnknownLookups, tries: number, address = ADDRESS, now = 0): number {
  let lookedUp = 0;
  for (let i = 0; i < tries; i++) {
    const digest = `unknown-${++made}`;
    if (!lookups.begin(digest, address, now)) continue;
    lookedUp++;
    lookups.settle(digest, address, 'unknown');
  }
  return lookedUp;
}

it('looks up 100 unknown keys of an address in ten seconds', () => {
  const lookups = new UnknownLookups();
  expect(attack(lookups, 5_000)).toBe(100);
  expect(lookups.waitSeconds(2_500)).toBe(8);
  expect(attack(lookups, 5_000, ADDRESS, 9_999)).toBe(0);
  expect(attack(lookups, 5_000, ADDRESS, 10_000)).toBe(100);
});

it('looks up 1 000 unknown keys of all addresses in ten seconds', () => {
  const lookups = new UnknownLookups();
  const lookedUp = Array.from({ length: 50 }, (_, i) => attack(lookups, 100, `2001:db8:${i}::/64`));
  expect(lookedUp.reduce((sum, n) => sum + n, 0)).toBe(1_000);
});

it('always looks up keys that were good, and does not count them', () => {
  const lookups = new UnknownLookups();
  for (let i = 0; i < 500; i++) {
    expect(lookups.begin(`good-${i}`, ADDRESS, 0)).toBe(true);
    lookups.settle(`good-${i}`, ADDRESS, 'valid');
  }
  expect(attack(lookups, 5_000)).toBe(100);
  expect(lookups.begin('good-7', ADDRESS, 0)).toBe(true);
});

it('forgets a key that is no longer good', () => {
  const lookups = new UnknownLookups();
  lookups.begin('revoked', ADDRESS, 0);
  lookups.settle('revoked', ADDRESS, 'valid');
  lookups.begin('revoked', ADDRESS, 0);
  lookups.settle('revoked', ADDRESS, 'unknown');
  attack(lookups, 5_000);
  expect(lookups.begin('revoked', ADDRESS, 0)).toBe(false);
});

it('counts look-ups in progress, and not those that failed', () => {
  const lookups = new UnknownLookups();
  const begun = Array.from({ length: 150 }, (_, i) => lookups.begin(`slow-${i}`, ADDRESS, 0));
  expect(begun.filter(Boolean)).toHaveLength(100);
  for (let i = 0; i < 100; i++) lookups.settle(`slow-${i}`, ADDRESS, 'error');
  expect(attack(lookups, 5_000)).toBe(100);
});

it('remembers at most 10 000 good keys, the latest ones', () => {
  const lookups = new UnknownLookups();
  for (let i = 0; i <= 10_000; i++) {
    lookups.begin(`good-${i}`, ADDRESS, 0);
    lookups.settle(`good-${i}`, ADDRESS, 'valid');
  }
  attack(lookups, 5_000);
  expect(lookups.begin('good-0', ADDRESS, 0)).toBe(false);
  expect(lookups.begin('good-10000', ADDRESS, 0)).toBe(true);
});

it('looks up a key that was created a moment ago, whatever unknown keys are tried', () => {
  const lookups = new UnknownLookups();
  for (let i = 0; i < 50; i++) attack(lookups, 100, `2001:db8:${i}::/64`);
  expect(lookups.begin('new', ADDRESS, 0)).toBe(false);
  lookups.remember('new');
  expect(lookups.begin('new', ADDRESS, 0)).toBe(true);
});
