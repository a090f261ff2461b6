/** Prints what clients of one account see on one simulated replica when two of fifteen images are slow. */
import { mean, percentile, simulate } from './simulation.mjs';

const SIZE = { replicas: 1, workers: 2, queueLimit: 16, choice: /** @type {const} */ ('random') };
const CLIENTS = [2, 4, 8, 16];
const IMAGES = 15;
const SLOW_MS = 4_000;
/** As in one-machine.mjs. */
const SEEDS = 20;

/** @param {readonly import('./replica.mjs').Work[]} measured what the other images take, in turn */
export function mixSlowImages(measured) {
  const mixed = Array.from({ length: IMAGES }, (_, i) => {
    const isSlow = i === Math.floor(IMAGES / 2) || i === IMAGES - 1;
    return isSlow ? { serviceMs: SLOW_MS } : measured[i % measured.length];
  });
  console.log(`\nSimulated: one replica, one account; 2 of ${IMAGES} images take ${SLOW_MS} ms.\n`);
  console.log('clients  images/s   p50 ms     p95     max');
  for (const clients of CLIENTS) {
    const runs = Array.from({ length: SEEDS }, (_, seed) => {
      let sent = 0;
      const nextImage = () => mixed[sent++ % IMAGES];
      return simulate({ ...SIZE, nextImage, images: 2_000, clients, seed });
    });
    const latencies = runs.flatMap(({ heavy }) => heavy.latencies);
    const rate = mean(runs.map(({ imagesPerSecond }) => imagesPerSecond));
    const cells = [percentile(latencies, 0.5), percentile(latencies, 0.95), percentile(latencies, 1)];
    console.log(
      String(clients).padStart(7),
      rate.toFixed(2).padStart(9),
      ...cells.map((ms, i) => ms.toFixed(0).padStart(i === 0 ? 8 : 7)),
    );
  }
}
