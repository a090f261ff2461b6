import { FairQueue } from '../../../../../src/compression/infrastructure/workers/fair-queue';

it('an account with expensive images waits longer for its next turn, even if only their processing shows the cost', () => {
  const line = new FairQueue();
  const task = (name: string, expectedMs: number) => ({
    name,
    account: name[0],
    expectedMs,
    overrunMs: 0,
    options: {},
  });
  const serve = (tookMs?: number) => {
    const [next] = line.inOrder() as unknown as ReturnType<typeof task>[];
    line.start(next as never, line.inOrder());
    line.finished(next as never, tookMs ?? next.expectedMs);
    return next.name;
  };
  const names = (count: number) => Array.from({ length: count }, () => serve());
  for (const name of ['a1', 'a2']) line.add(task(name, 6_000) as never);
  for (const name of ['b1', 'b2', 'b3', 'b4']) line.add(task(name, 1_000) as never);
  expect(names(6)).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'a2']);
  // Predicted to be cheap but takes long; the next prediction includes that.
  const cheap = task('c1', 1_000);
  line.add(cheap as never);
  serve(9_000);
  const next = task('c2', 1_000);
  line.add(next as never);
  expect(next.expectedMs).toBe(5_000);
});

it('what an image has cost so far counts while it runs', () => {
  const line = new FairQueue();
  const task = (name: string) => ({ name, account: name[0], expectedMs: 100, overrunMs: 0, options: {} });
  const running = task('a1');
  line.add(running as never);
  line.start(running as never, line.inOrder());
  for (const name of ['b1', 'c1', 'b2']) {
    const one = task(name);
    line.add(one as never);
    line.start(one as never, line.inOrder());
    line.finished(one as never, 100);
  }
  const [a2, b3] = [task('a2'), task('b3')];
  for (const one of [a2, b3]) line.add(one as never);
  const names = () => line.inOrder().map((one) => (one as unknown as typeof a2).name);
  expect(names()).toEqual(['a2', 'b3']);
  running.overrunMs = 5_000;
  expect(names()).toEqual(['b3', 'a2']);
  const a3 = task('a3');
  line.add(a3 as never);
  // Its account's images take longer than predicted.
  expect(a3.expectedMs).toBe(2_000);
  line.finished(running as never, 5_100);
  expect(names()).toEqual(['b3', 'a2', 'a3']);
});

it('retries the image of a lost worker first, and does not charge it twice', () => {
  const line = new FairQueue();
  const task = (name: string) => ({
    name,
    account: name[0],
    expectedMs: 1_000,
    overrunMs: 0,
    options: {},
  });
  const lost = { ...task('a1'), hasLostWorker: false };
  for (const one of [lost, task('b1'), task('c1'), task('a2')]) line.add(one as never);
  line.start(lost as never, line.inOrder());
  line.finished(lost as never, 10);
  lost.hasLostWorker = true;
  line.add(lost as never);
  const names = () => line.inOrder().map((one) => (one as unknown as typeof lost).name);
  expect(names()).toEqual(['a1', 'b1', 'c1', 'a2']);
  expect(line.remove(lost as never)).toBe(true);
  expect(names()).toEqual(['b1', 'c1', 'a2']);
});

it('counts the predicted time of images that start before one whose turn it is', () => {
  const line = new FairQueue();
  const task = (name: string, expectedMs: number) => ({
    account: name[0],
    expectedMs,
    passedMs: 0,
    overrunMs: 0,
    options: {},
  });
  const [a1, b1, b2, c1] = [task('a1', 4_000), task('b1', 100), task('b2', 200), task('c1', 300)];
  for (const one of [a1, b1, b2, c1]) line.add(one as never);
  line.start(b1 as never, line.inOrder());
  line.start(c1 as never, line.inOrder());
  line.start(b2 as never, line.inOrder());
  expect([a1, b2, c1].map(({ passedMs }) => passedMs)).toEqual([600, 0, 0]);
});

it('forgets an account a minute after its last image, unless one of its images runs or waits', () => {
  const line = new FairQueue();
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const wait = (account: string) => {
    const task = { account, expectedMs: 100, overrunMs: 0, options: {} };
    line.add(task as never);
    return task;
  };
  const begin = (account: string) => {
    const task = wait(account);
    line.start(task as never, line.inOrder());
    return task;
  };
  const serve = (account: string, tookMs: number) => line.finished(begin(account) as never, tookMs);
  /** Returns how long the account's next image is expected to take: 100 ms, or more if it is known as slow. */
  const expected = (account: string) => {
    const task = wait(account);
    line.remove(task as never);
    return task.expectedMs;
  };
  try {
    // Known for longer than all others, but served again.
    serve('busy', 100);
    begin('running');
    for (const slow of ['gone', 'waiting']) serve(slow, 1_000);
    wait('waiting');
    now = 59_000;
    serve('busy', 100);
    expect([expected('gone'), expected('waiting')]).toEqual([550, 550]);
    now = 60_001;
    begin('other');
    expect([expected('gone'), expected('waiting')]).toEqual([100, 550]);
    expect(line.runningOf('running')).toHaveLength(1);
  } finally {
    clock.mockRestore();
  }
});
