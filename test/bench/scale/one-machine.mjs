/** Measures one machine: what an image costs in each part, and how closely the simulation reproduces the load. */
import { availableParallelism } from 'node:os';
import { bodiesOf, sendWith } from '../load-generator.mjs';
import { startService } from '../service-process.mjs';
import { median } from '../support.mjs';
import { measureCosts } from './costs.mjs';
import { mean, percentile, simulate } from './simulation.mjs';
import { openStores } from './stores.mjs';

const CLIENTS = [2, 8, 16, 32];
const QUEUED_PER_WORKER = 8;
/** The seeds whose results are averaged, because a short step is a matter of chance. */
const SEEDS = 20;

/** @returns what all images took, as measured */
export async function measureMachine(images, seconds) {
  const workers = availableParallelism();
  const stores = await openStores();
  const service = await startService(workers, { ...stores.env, RATE_LIMIT_PER_MINUTE: '1000000' });
  const bodies = bodiesOf(images);
  try {
    const { seconds: taken } = await sendWith(service, workers, inTurn(bodies, 1));
    const passes = Math.max(1, Math.ceil(seconds / taken));
    await measureCosts(service, stores, images, () => sendWith(service, workers, inTurn(bodies, passes)));
    console.log('\nclients         images/s               p50 ms               p95 ms             refused');
    console.log(
      '          measured simulated   measured simulated   measured simulated   measured simulated',
    );
    const all = [];
    let overheadMs;
    for (const clients of CLIENTS) {
      const run = await sendWith(
        service,
        clients,
        inTurn(bodies, Math.max(passes, Math.ceil((3 * clients) / bodies.length))),
      );
      const timesOf = bodies.map((sent) =>
        run.timings
          .filter(({ body }) => body === sent)
          .map(({ timing }) => ({ serviceMs: workerMs(timing) })),
      );
      all.push(...timesOf.flat());
      // Upload, parsing and response: with as many clients as workers nothing waits.
      overheadMs ??= median(run.latencies.map((ms, i) => ms - totalMs(run.timings[i].timing)));
      printComparison(clients, run, simulatedRuns({ clients, workers, timesOf, overheadMs }));
    }
    return all;
  } finally {
    await service.stop();
    await stores.close();
  }
}

/** The same load in the simulation: the images in the same order, with their worker times of the measured run. */
function simulatedRuns({ clients, workers, timesOf, overheadMs }) {
  const runs = Array.from({ length: SEEDS }, (_, seed) => {
    const next = inTurn(timesOf, Infinity);
    return simulate({
      replicas: 1,
      workers,
      queueLimit: QUEUED_PER_WORKER * workers,
      choice: 'random',
      nextImage: (random) => oneOf(next(), random),
      overheadMs,
      images: 2_000,
      clients,
      seed,
    });
  });
  const latencies = runs.flatMap(({ heavy }) => heavy.latencies);
  const refused = mean(runs.map(({ heavy }) => heavy.refused / (heavy.refused + heavy.waits.length)));
  return { rate: mean(runs.map(({ imagesPerSecond }) => imagesPerSecond)), latencies, refused };
}

function printComparison(clients, { latencies, seconds, refusals }, simulated) {
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  const pairs = [
    [latencies.length / seconds, simulated.rate, 2],
    [percentile(latencies, 0.5), percentile(simulated.latencies, 0.5), 0],
    [percentile(latencies, 0.95), percentile(simulated.latencies, 0.95), 0],
  ].map(([measured, predicted, digits]) => {
    const off = (100 * (predicted / measured - 1)).toFixed(0);
    return `${measured.toFixed(digits).padStart(9)} ${predicted.toFixed(digits).padStart(6)} ${`(${off}%)`.padStart(6)}`;
  });
  const share = (n) => `${(100 * n).toFixed(0)}%`;
  console.log(
    String(clients).padStart(7),
    ...pairs,
    share(refused / (refused + latencies.length)).padStart(8),
    share(simulated.refused).padStart(8),
  );
}

/** "queue;dur=0.1, decode;dur=12.0" as pairs. */
const stagesOf = (timing) =>
  [...timing.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, ms]) => [name, Number(ms)]);
const totalMs = (timing) => stagesOf(timing).reduce((sum, [, ms]) => sum + ms, 0);
const workerMs = (timing) =>
  stagesOf(timing).reduce((sum, [name, ms]) => sum + (name === 'queue' ? 0 : ms), 0);

const oneOf = (times, random) => times[Math.floor(random() * times.length)];

function inTurn(items, passes) {
  let given = 0;
  return () => (given < items.length * passes ? items[given++ % items.length] : undefined);
}
