/** The simulation against queueing theory, with invented service times. */

const loadSimulation = () => import('./simulation.mjs');
const loadRandom = () => import('./random.mjs');
type Simulation = Awaited<ReturnType<typeof loadSimulation>>;

let simulate: Simulation['simulate'];
let mean: Simulation['mean'];
let percentile: Simulation['percentile'];
let exponential: Awaited<ReturnType<typeof loadRandom>>['exponential'];
beforeAll(async () => {
  ({ simulate, mean, percentile } = await loadSimulation());
  ({ exponential } = await loadRandom());
});

const SERVICE_MS = 100;
const anyImage = (random: () => number) => ({ serviceMs: exponential(random, SERVICE_MS) });
const fixedImage = () => ({ serviceMs: SERVICE_MS });
const fleet = {
  replicas: 1,
  workers: 2,
  queueLimit: Infinity,
  choice: 'random',
  nextImage: anyImage,
  images: 30_000,
} as const;
/** As many images as the mean needs to be within some percent of its limit. */
const long = { ...fleet, images: 100_000 };
const rate = (utilisation: number, workers: number) => (utilisation * workers * 1000) / SERVICE_MS;

/** Mean wait in an M/M/c queue, in ms (Erlang's C formula). */
function erlangWait(workers: number, utilisation: number): number {
  const load = workers * utilisation;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < workers; n++) sum += term *= load / n;
  const last = (term * load) / workers / (1 - utilisation);
  return ((last / (sum + last)) * SERVICE_MS) / (workers * (1 - utilisation));
}

it.each([
  [1, 0.5],
  [2, 0.7],
  [8, 0.9],
])('%d workers at a utilisation of %d wait as Erlang computed', (workers, utilisation) => {
  const { light } = simulate({ ...long, workers, ratePerSecond: rate(utilisation, workers) });
  expect(mean(light.waits) / erlangWait(workers, utilisation)).toBeCloseTo(1, 1);
});

it('one worker with fixed service times waits half as long (Pollaczek and Khinchine)', () => {
  const fixed = { ...fleet, workers: 1, nextImage: fixedImage, ratePerSecond: rate(0.7, 1) };
  expect(mean(simulate(fixed).light.waits) / (erlangWait(1, 0.7) / 2)).toBeCloseTo(1, 1);
});

it('a full queue refuses as many as Erlang computed for lost calls', () => {
  const { light } = simulate({ ...long, queueLimit: 0, ratePerSecond: rate(1, 2) });
  // Two servers, two Erlang: B = 2 / (1 + 2 + 2).
  expect(light.refused / (light.refused + light.waits.length)).toBeCloseTo(0.4, 2);
});

it('as many clients as workers never wait; twice as many wait one service time', () => {
  const closed = { ...fleet, nextImage: fixedImage, images: 2_000 };
  expect(mean(simulate({ ...closed, clients: 2 }).heavy.waits)).toBe(0);
  const { heavy, imagesPerSecond } = simulate({ ...closed, clients: 4 });
  expect(mean(heavy.waits)).toBeCloseTo(SERVICE_MS, 0);
  expect(imagesPerSecond).toBeCloseTo(20, 0);
});

it('least connections waits less than round robin, and round robin less than random choice', () => {
  const [least, round, random] = (['least-connections', 'round-robin', 'random'] as const).map((choice) =>
    mean(simulate({ ...fleet, replicas: 12, choice, ratePerSecond: rate(0.8, 24) }).light.waits),
  );
  expect(least).toBeLessThan(round * 0.5);
  expect(round).toBeLessThan(random * 0.9);
});

it('an account that sends more than there is room for does not delay the others much', () => {
  const overloaded = { ...fleet, queueLimit: 16, ratePerSecond: rate(1.5, 2), heavyShare: 0.7 };
  const { heavy, light } = simulate(overloaded);
  expect(light.refused / light.waits.length).toBeLessThan(0.02);
  expect(heavy.refused).toBeGreaterThan(heavy.waits.length * 0.3);
  expect(percentile(light.waits, 0.95)).toBeLessThan(percentile(heavy.waits, 0.5));
});

it('two slow images in fifteen do not wait for all that are shorter', () => {
  const times = [300, 500, 700, 4_000, 200, 600, 400, 800, 500, 900, 300, 3_800, 600, 400, 500];
  let sent = 0;
  const nextImage = () => ({ serviceMs: times[sent++ % times.length] });
  const { heavy } = simulate({ ...fleet, nextImage, images: 2_000, clients: 8 });
  // In the order of arrival, each waits for a half of seven others: 3.6 s on average.
  expect(percentile(heavy.waits, 0.95)).toBeLessThan(8_000);
  expect(percentile(heavy.waits, 0.5)).toBeLessThan(4_000);
});

it('a refused client sends the same image until it is accepted', () => {
  const { heavy } = simulate({
    ...fleet,
    nextImage: fixedImage,
    queueLimit: 2,
    clients: 22,
    images: 1_000,
  });
  expect(heavy.refused).toBeGreaterThan(0);
  // All images after the first tenth, which is not counted.
  expect(heavy.waits.length).toBeGreaterThanOrEqual(900);
});

it('refusals take their processor time from the images', () => {
  const crowded = { ...fleet, queueLimit: 2, clients: 22, images: 8_000, nextImage: fixedImage };
  const free = simulate(crowded);
  const costly = simulate({ ...crowded, refusalMs: 10 });
  // About 18 clients are refused, each four times a second: 0.7 s of two cores.
  expect(costly.imagesPerSecond / free.imagesPerSecond).toBeCloseTo(0.65, 1);
});

it('the same seed gives the same result, another one a different result', () => {
  const run = (seed: number) =>
    mean(simulate({ ...fleet, images: 1_000, ratePerSecond: 15, seed }).light.waits);
  expect(run(1)).toBe(run(1));
  expect(run(1)).not.toBe(run(2));
});
