/** The simulated replica runs the scheduler in simulated time. */

const loadReplica = () => import('./replica.mjs');
const loadEvents = () => import('./event-queue.mjs');
let Replica: Awaited<ReturnType<typeof loadReplica>>['Replica'];
let EventQueue: Awaited<ReturnType<typeof loadEvents>>['EventQueue'];
beforeAll(async () => {
  ({ Replica } = await loadReplica());
  ({ EventQueue } = await loadEvents());
});

/** Runs actions at simulated times. */
function at(...steps: readonly (readonly [number, () => unknown])[]): void {
  const events = new EventQueue();
  for (const [ms, action] of steps) events.add(ms, action);
  events.run();
}

it('a long image is suspended for one of another account, and goes on with what it still takes', () => {
  const runs: (readonly [number | '', number])[] = [];
  const tasks: { readonly msToGo: number }[] = [];
  const onRun = (task: { readonly image: { readonly account: number | '' }; readonly msToGo: number }) => {
    runs.push([task.image.account, task.msToGo]);
    tasks.push(task);
  };
  const replica = new Replica({ workers: 1, queueLimit: 8, onRun });
  const offer = (account: number, serviceMs: number) =>
    replica.offer({ account, serviceMs, arrivedAt: performance.now() });
  at(
    [0, () => (offer(1, 5_000), replica.assign())],
    [1_000, () => (offer(2, 300), replica.assign())],
    [1_500, () => replica.assign()],
    [1_800, () => (replica.end(tasks[1] as never), replica.assign())],
  );
  expect(runs).toEqual([
    [1, 5_000],
    [2, 300],
    [1, 3_500],
  ]);
  expect(replica.inFlight).toBe(1);
});

it('the clock is the real one after a simulation', () => {
  const before = performance.now();
  at([before + 1e9, () => undefined]);
  expect(performance.now()).toBeLessThan(before + 1e9);
});
