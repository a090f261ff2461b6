/** Clients that send many images at once and wait as long as they are told, in simulated time. */
import { clock, Machine, simulateTime } from '../../../../support/simulated-machine';

simulateTime();

const STEP_MS = 10;

/** Sends the images again until each has a place. Returns how often each was refused. */
function sendAll(machine: Machine, names: readonly string[], tookMs: number) {
  const { scheduler } = machine;
  const clients = names.map((name) => ({ name, account: name[0], at: 0, refusals: 0, isIn: false }));
  while (clients.some(({ isIn }) => !isIn)) {
    for (const client of clients.filter(({ isIn, at }) => !isIn && at <= clock.now)) {
      if (scheduler.hasPlaceFor(client)) {
        machine.send(client.name, tookMs);
        client.isIn = true;
      } else {
        client.refusals++;
        client.at = clock.now + Math.ceil(scheduler.promisePlace(client) / 1000) * 1000;
      }
    }
    machine.pass(STEP_MS);
  }
  return clients.map(({ refusals }) => refusals);
}

const names = (account: string, count: number) => Array.from({ length: count }, (_, i) => `${account}${i}`);

it.each([100, 700, 5_000])(
  'fifty images of %i ms, sent at once, have a place after at most five refusals',
  (tookMs) => {
    const refusals = sendAll(new Machine({ workers: 2, queueLimit: 16 }), names('a', 50), tookMs);
    expect(refusals.filter((count) => count > 0).length).toBeGreaterThan(20);
    expect(Math.max(...refusals)).toBeLessThanOrEqual(5);
  },
);

it('workers are seldom idle while images are sent away', () => {
  const machine = new Machine({ workers: 2, queueLimit: 16 });
  sendAll(machine, names('a', 100), 1_000);
  // Work of 50 s for two workers; the last 16 have not run.
  expect(clock.now).toBeLessThan(60_000);
});

it('promises the places of an account one after the other, and as many as the workers can serve', () => {
  const { scheduler } = new Machine({ workers: 2, queueLimit: 0 });
  const promised = Array.from({ length: 10 }, () => scheduler.promisePlace({ account: 'a' }));
  for (const [i, ms] of promised.entries()) {
    expect(ms).toBeGreaterThanOrEqual((i + 1) * 500 * 0.75);
    expect(ms).toBeLessThanOrEqual((i + 1) * 500);
  }
  expect(scheduler.promisePlace({ account: 'b' })).toBeLessThan(1_000);
  clock.now += 5_000;
  expect(scheduler.promisePlace({ account: 'a' })).toBeLessThan(1_000);
});

it('follows the images: those that finished, those that run, and the accounts that take turns', () => {
  const machine = new Machine({ workers: 1, queueLimit: 100 });
  const wait = (account: string) => machine.scheduler.promisePlace({ account });
  machine.play('a 8000', 6_000);
  expect(wait('a')).toBeGreaterThanOrEqual(4_500);
  machine.pass(3_000);
  expect(wait('b')).toBeGreaterThanOrEqual(6_000);
  machine.play('a 8000', 'c 8000');
  expect(wait('d')).toBeGreaterThanOrEqual(3 * 6_000);
});

it('sends no client away for more than two minutes, and without a name promises nothing', () => {
  const { scheduler } = new Machine({ workers: 1, queueLimit: 0 });
  for (let i = 0; i < 1_000; i++) expect(scheduler.promisePlace({})).toBeLessThanOrEqual(1_000);
  for (let i = 0; i < 1_000; i++)
    expect(scheduler.promisePlace({ account: 'a' })).toBeLessThanOrEqual(120_000);
});
