/** Prints what clients of simulated fleets see, for each choice of the balancer and several utilisations. */
import { mean, percentile, simulate } from './simulation.mjs';

const CHOICES = ['least-connections', 'round-robin', 'random'];
const SIZE = { workers: 2, queueLimit: 16 };
const FLEETS = [3, 12, 100];
const UTILISATIONS = [0.5, 0.7, 0.9, 1.2];
const IMAGES = 60_000;
/** One account sends half of the images. */
const HEAVY_SHARE = 0.5;

/** @param {readonly import('./replica.mjs').Work[]} measured what images take, all equally frequent */
export function compareFleets(measured) {
  const nextImage = (random) => measured[Math.floor(random() * measured.length)];
  const meanMs = mean(measured.map(({ serviceMs }) => serviceMs));
  console.log(
    `\nSimulated: ${SIZE.workers} workers and a queue of ${SIZE.queueLimit} a replica, ${IMAGES} images of ${meanMs.toFixed(0)} ms on average,`,
  );
  console.log('half of them from one account, the others from 1 000 accounts.\n');
  console.log(
    'replicas  load  balancer            wait mean    p95    p99 ms   refused: one  others   p95: one  others ms   busiest ÷ idlest',
  );
  for (const replicas of FLEETS) {
    for (const utilisation of UTILISATIONS) {
      for (const choice of CHOICES) {
        const ratePerSecond = (utilisation * replicas * SIZE.workers * 1000) / meanMs;
        const { heavy, light, busiest, idlest } = simulate({
          ...SIZE,
          replicas,
          choice,
          ratePerSecond,
          nextImage,
          heavyShare: HEAVY_SHARE,
          images: IMAGES,
        });
        const waits = [...heavy.waits, ...light.waits];
        const cells = [
          String(replicas).padStart(8),
          `${(utilisation * 100).toFixed(0)}%`.padStart(5),
          ` ${choice.padEnd(18)}`,
          mean(waits).toFixed(0).padStart(10),
          percentile(waits, 0.95).toFixed(0).padStart(6),
          percentile(waits, 0.99).toFixed(0).padStart(9),
          refusedShare(heavy).padStart(14),
          refusedShare(light).padStart(7),
          percentile(heavy.waits, 0.95).toFixed(0).padStart(10),
          percentile(light.waits, 0.95).toFixed(0).padStart(10),
          (busiest / idlest).toFixed(2).padStart(18),
        ];
        console.log(cells.join(' '));
      }
    }
  }
}

function refusedShare({ refused, waits }) {
  return `${((100 * refused) / Math.max(1, refused + waits.length)).toFixed(1)}%`;
}
