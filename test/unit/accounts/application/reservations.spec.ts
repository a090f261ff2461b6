import type { Caller } from '../../../../src/accounts/application/authenticator';
import { Reservations } from '../../../../src/accounts/application/reservations';
import type { ReservedImages, UsageEntry } from '../../../../src/accounts/application/usage-repository.port';
import { readSettings } from '../../../../src/settings/settings';
import { partOf } from '../../../support/part-of';

const LAST_MOMENT = new Date('2026-11-30T23:59:59.500Z');
const NEXT_MONTH = new Date('2026-12-01T00:00:00.000Z');
const account: Caller = { accountId: 'a', keyId: 'k', isTrial: false };
const trial: Caller = { ...account, isTrial: true };
const image = { bytesIn: 100, bytesSaved: 40 };

let counted: Map<string, number>;
let trialImages: number;
let recorded: UsageEntry[];
beforeEach(() => {
  counted = new Map();
  trialImages = 3;
  recorded = [];
});

const usage = {
  reserve({ month, images, limit }: ReservedImages) {
    const used = counted.get(month) ?? 0;
    if (used + images > limit) return Promise.resolve({ isReserved: false, used });
    counted.set(month, used + images);
    return Promise.resolve({ isReserved: true, used: used + images });
  },
  takeTrialImages(_: string, images: number) {
    if (images > trialImages) return Promise.resolve(false);
    trialImages -= images;
    return Promise.resolve(true);
  },
};
const recorder = {
  record(entry: UsageEntry) {
    recorded.push(entry);
    counted.set(entry.month, (counted.get(entry.month) ?? 0) - entry.returned);
    trialImages += entry.returned;
  },
  flush: () => Promise.resolve(),
};
const withQuota = (images: string) =>
  new Reservations(
    readSettings({ QUOTA_IMAGES_PER_MONTH: images }).accounts,
    partOf(usage),
    partOf(recorder),
  );
const reserve = async (caller: Caller, images = 1, now = LAST_MOMENT, quota = '10') => {
  const verdict = await withQuota(quota).reserve(caller, images, now);
  if (verdict.kind !== 'reserved') throw new Error(verdict.kind);
  return verdict.reservation;
};

it('shows the quota of a calendar month in UTC', async () => {
  const { quota } = (await withQuota('10').reserve(account, 1, LAST_MOMENT)) as { quota?: object };
  const state = {
    limit: 10,
    remaining: 9,
    renewsAt: NEXT_MONTH,
    resetSeconds: 1,
    windowSeconds: 30 * 86_400,
  };
  expect(quota).toEqual(state);
  const next = (await withQuota('10').reserve(account, 1, NEXT_MONTH)) as { quota?: object };
  expect(next.quota).toMatchObject({ remaining: 9, resetSeconds: 31 * 86_400, windowSeconds: 31 * 86_400 });
});

it('refuses what exceeds the quota until the month ends', async () => {
  for (let i = 0; i < 2; i++) await reserve(account, 1, LAST_MOMENT, '2');
  const refused = await withQuota('2').reserve(account, 1, LAST_MOMENT);
  expect(refused).toMatchObject({ kind: 'quota_exceeded', quota: { limit: 2, remaining: 0 } });
  expect((await withQuota('2').reserve(account, 1, NEXT_MONTH)).kind).toBe('reserved');
});

it('prefers the quota of the account, which may be none', async () => {
  for (let i = 0; i < 5; i++) await reserve({ ...account, quotaImages: 5 }, 1, LAST_MOMENT, '2');
  expect((await withQuota('2').reserve({ ...account, quotaImages: 5 }, 1, LAST_MOMENT)).kind).toBe(
    'quota_exceeded',
  );
  const unlimited = await withQuota('2').reserve({ ...account, quotaImages: 0 }, 1, LAST_MOMENT);
  expect(unlimited).toMatchObject({ kind: 'reserved' });
  expect(unlimited).not.toHaveProperty('quota');
});

it('returns what was not made, and charges the rest in the month of the reservation', async () => {
  const reservation = await reserve(account, 6);
  reservation.charge(image);
  reservation.charge(image, true);
  reservation.close(true);
  expect(counted).toEqual(new Map([['2026-11', 2]]));
  expect(
    recorded.map(({ month, images, variants, returned }) => [month, images, variants, returned]),
  ).toEqual([
    ['2026-11', 1, 0, 0],
    ['2026-11', 1, 1, 0],
    ['2026-11', 0, 0, 4],
  ]);
});

it('counts an image once if the client disconnects before it is charged', async () => {
  const reservation = await reserve(account);
  reservation.close(true);
  expect(counted.get('2026-11')).toBe(0);
  reservation.charge(image);
  expect(counted.get('2026-11')).toBe(1);
});

it('lets a trial pay for the work of a worker, but not for a refused body', async () => {
  (await reserve(trial)).close(false);
  expect(trialImages).toBe(3);
  const failed = await reserve(trial);
  failed.close(true);
  expect(trialImages).toBe(2);
  failed.charge(image);
  expect(trialImages).toBe(2);
  const set = await reserve(trial, 2);
  expect((await withQuota('10').reserve(trial, 1, LAST_MOMENT)).kind).toBe('trial_used_up');
  set.charge(image);
  set.close(true);
  expect(trialImages).toBe(1);
});

it('returns nothing to an account without a quota', async () => {
  const reservation = await reserve(account, 1, LAST_MOMENT, '0');
  reservation.close(false);
  expect(recorded).toEqual([]);
});
