/** The simulated replica keeps the rules of the workers' queue. */

const loadReplica = () => import('./replica.mjs');
const loadEvents = () => import('./event-queue.mjs');
let Replica: Awaited<ReturnType<typeof loadReplica>>['Replica'];
let EventQueue: Awaited<ReturnType<typeof loadEvents>>['EventQueue'];
beforeAll(async () => {
  ({ Replica } = await loadReplica());
  ({ EventQueue } = await loadEvents());
});

const imageOf = (cost: number, account = 1) => ({ cost, serviceMs: cost, account, arrivedAt: 0 });

/** Runs actions at simulated times. */
function at(...steps: readonly (readonly [number, () => unknown])[]): void {
  const events = new EventQueue();
  for (const [ms, action] of steps) events.add(ms, action);
  events.run();
}

it('a long image leaves the last worker to a shorter one behind it', () => {
  expect.assertions(2);
  at([
    0,
    () => {
      const replica = new Replica({ workers: 2, queueLimit: 8 });
      for (const cost of [4_000, 5_000, 600]) replica.offer(imageOf(cost));
      const begun = [replica.begin(), replica.begin(), replica.begin()];
      expect(begun.map((task) => task?.image.cost)).toEqual([4_000, 600, undefined]);
      expect(replica.inFlight).toBe(3);
    },
  ]);
});

it('a long image is passed by no more work than its own, then takes the last worker', () => {
  expect.assertions(2);
  at([
    0,
    () => {
      const replica = new Replica({ workers: 2, queueLimit: 16 });
      for (const cost of [9_000, 4_000, ...Array<number>(5).fill(1_500)]) replica.offer(imageOf(cost));
      replica.begin();
      const next = () => {
        const task = replica.begin();
        if (task) replica.end(task);
        return task?.image.cost;
      };
      // 4 500 ms have passed it after three of them.
      expect([next(), next(), next(), next()]).toEqual([1_500, 1_500, 1_500, 4_000]);
      expect(next()).toBe(1_500);
    },
  ]);
});

it('an account with a long image that was passed often still leaves a worker to other accounts', () => {
  expect.assertions(1);
  at([
    0,
    () => {
      const replica = new Replica({ workers: 2, queueLimit: 16 });
      for (const cost of [9_000, 4_000]) replica.offer(imageOf(cost));
      for (let i = 0; i < 6; i++) replica.offer(imageOf(1_500, 2));
      replica.begin();
      const begun = Array.from({ length: 7 }, () => {
        const task = replica.begin();
        if (task) replica.end(task);
        return task?.image.account;
      });
      expect(begun).toEqual([2, 2, 2, 2, 2, 2, undefined]);
    },
  ]);
});

it('on the command line, a worker is not idle while long images wait', () => {
  expect.assertions(2);
  at([
    0,
    () => {
      const replica = new Replica({ workers: 2, queueLimit: 8 });
      const account = '' as never;
      for (const cost of [5_000, 4_000, 600]) replica.offer(imageOf(cost, account));
      const [, short] = [replica.begin(), replica.begin()];
      expect(short?.image.cost).toBe(600);
      if (short) replica.end(short);
      expect(replica.begin()?.image.cost).toBe(4_000);
    },
  ]);
});

it('an image that takes longer than predicted makes the next ones long, until others are as quick as predicted', () => {
  const replica = new Replica({ workers: 2, queueLimit: 8 });
  let begun: ReturnType<typeof replica.begin>[] = [];
  const begin = () => (begun = [replica.begin(), replica.begin()]);
  const costs = () => begun.map((task) => task?.image.cost);
  const end = () => begun.forEach((task) => task && replica.end(task));
  const offer = (...sent: number[]) => sent.forEach((cost) => replica.offer(imageOf(cost)));
  at(
    [0, () => (offer(1_000), begin())],
    [9_000, () => (end(), offer(1_001, 1_002, 100), begin())],
    // The prediction was five times too short, so 1 001 and 1 002 count as 5 s.
    [9_100, () => (expect(costs()).toEqual([1_001, 100]), end(), begin())],
    [9_200, () => (expect(costs()).toEqual([1_002, undefined]), end())],
    [9_300, () => (offer(1_003, 1_004), begin(), expect(costs()).toEqual([1_003, 1_004]))],
  );
  expect.assertions(3);
});

it('an account with costly images leaves a worker free if others had images recently', () => {
  const replica = new Replica({ workers: 2, queueLimit: 8 });
  const begin = () => replica.begin()?.image.account;
  let first: ReturnType<typeof replica.begin>;
  const offer = (...accounts: number[]) =>
    accounts.forEach((account) => replica.offer(imageOf(1_000, account)));
  at(
    [0, () => (offer(2), (first = replica.begin()))],
    [1_000, () => first && replica.end(first)],
    [2_000, () => (offer(1, 1), expect([begin(), begin()]).toEqual([1, undefined]))],
    [3_000, () => (offer(2), expect(begin()).toBe(2))],
  );
  expect.assertions(2);
});

it('the clock is the real one after a simulation', () => {
  const before = performance.now();
  at([before + 1e9, () => undefined]);
  expect(performance.now()).toBeLessThan(before + 1e9);
});
