/**
 * A discrete-event simulation of replicas behind a balancer. Nothing is random except by the seed.
 *
 * @typedef {import('./replica.mjs').Image} Image
 * @typedef {Parameters<Replica['end']>[0]} Task
 * @typedef {'least-connections' | 'round-robin' | 'random'} Choice
 * @typedef {object} Fleet
 * @property {number} replicas
 * @property {number} workers of each replica
 * @property {number} queueLimit of each replica
 * @property {Choice} choice of the balancer
 * @property {(random: () => number) => import('./replica.mjs').Work} nextImage draws what the next image takes
 * @property {number} [overheadMs] of each request besides queue and worker: upload, parsing, response; 0 by default
 * @property {number} [refusalMs] processor time of a refusal, which the workers of a machine without spare cores lack; 0 by default
 * @property {number} [heavyShare] share of the images that account 0 sends; the others come from many accounts
 * @property {number} images that arrive; those that are sent again after a refusal count once
 * @property {number} [seed]
 * @property {number} [ratePerSecond] of a Poisson stream from outside ...
 * @property {number} [clients] ... or clients that each send the next image after the answer to the last
 */
import { EventQueue } from './event-queue.mjs';
import { exponential, randomFrom } from './random.mjs';
import { Replica } from './replica.mjs';

const { ceil, floor, max, min } = Math;

/** Accounts besides the heavy one. */
const ACCOUNTS = 1_000;
/** How soon a refused client of a closed loop sends its image again, as in load-generator.mjs. */
const RETRY_MS = 250;
/** The first part is not counted, because the queues are still filling. */
const WARM_UP = 0.1;

/**
 * @param {Fleet} fleet
 * @returns waits in the queue and latencies in ms of finished images, by account kind; refusals; images a second;
 *   the busiest and the idlest replica's share of their workers' time
 */
export function simulate(fleet) {
  const {
    workers,
    queueLimit,
    images,
    nextImage,
    overheadMs = 0,
    refusalMs = 0,
    heavyShare = 0,
    clients,
  } = fleet;
  const random = randomFrom(fleet.seed ?? 1);
  const replicas = Array.from(
    { length: fleet.replicas },
    (_, at) => new Replica({ workers, queueLimit, onRun: (task) => run(task, at) }),
  );
  const busyMs = replicas.map(() => 0);
  /** Processor time of refusals that no image has been delayed by yet. */
  const owedMs = replicas.map(() => 0);
  const choose = chooser(fleet.choice, replicas, random);
  const events = new EventQueue();
  const kinds = { heavy: tally(), light: tally() };
  let sent = 0;
  let startedAt = 0;
  let lastAt = 0;
  const isCounted = () => sent > images * WARM_UP;
  const kindOf = (/** @type {Image} */ { account }) => (account === 0 ? kinds.heavy : kinds.light);

  const arrive = (/** @type {number} */ now, /** @type {number | undefined} */ client) => {
    if (sent >= images) return;
    if (++sent === ceil(images * WARM_UP)) startedAt = now;
    const account = random() < heavyShare ? 0 : 1 + floor(random() * ACCOUNTS);
    // A measured machine serves a single account.
    send(now, { ...nextImage(random), account: clients ? 0 : account, arrivedAt: now, client });
    if (fleet.ratePerSecond) events.add(now + exponential(random, 1000 / fleet.ratePerSecond), arrive);
  };

  const send = (/** @type {number} */ now, /** @type {Image} */ image) => {
    const at = choose();
    const refused = replicas[at].offer(image);
    if (refused) refuse(refused, at, now);
    assign(at, now);
  };

  const refuse = (/** @type {Image} */ image, /** @type {number} */ at, /** @type {number} */ now) => {
    owedMs[at] += refusalMs;
    if (isCounted()) kindOf(image).refused++;
    if (clients) events.add(now + RETRY_MS, (later) => send(later, { ...image, arrivedAt: later }));
  };

  /** The number of the latest event that assigns workers of a replica; earlier ones are void. */
  const nextCheck = replicas.map(() => 0);
  const assign = (/** @type {number} */ at, /** @type {number} */ now) => {
    const check = ++nextCheck[at];
    const ms = replicas[at].assign();
    if (ms !== undefined) events.add(now + ms, (later) => check === nextCheck[at] && assign(at, later));
  };

  const run = (/** @type {Task} */ task, /** @type {number} */ at) => {
    const { image } = task;
    image.serviceMs += owedMs[at];
    owedMs[at] = 0;
    events.add(performance.now() + task.msToGo, (end) => {
      // It was suspended meanwhile.
      if (task.state !== 'running' || task.msToGo > 1e-6) return;
      replicas[at].end(task);
      busyMs[at] += image.serviceMs;
      lastAt = end;
      if (isCounted()) {
        const kind = kindOf(image);
        kind.waits.push(max(0, end - image.arrivedAt - image.serviceMs));
        kind.latencies.push(end - image.arrivedAt + overheadMs);
      }
      if (clients) events.add(end + overheadMs, (later) => arrive(later, image.client));
      assign(at, end);
    });
  };

  for (let client = 0; client < (clients ?? 1); client++) events.add(0, (now) => arrive(now, client));
  events.run();
  const shares = busyMs.map((ms) => ms / (lastAt * workers));
  const done = kinds.heavy.waits.length + kinds.light.waits.length;
  return {
    ...kinds,
    imagesPerSecond: (1000 * done) / (lastAt - startedAt),
    idlest: min(...shares),
    busiest: max(...shares),
  };
}

/** @returns {{ waits: number[], latencies: number[], refused: number }} */
const tally = () => ({ waits: [], latencies: [], refused: 0 });

/**
 * Returns a function that picks the replica of the next image.
 * @param {Choice} choice @param {readonly Replica[]} replicas @param {() => number} random
 */
function chooser(choice, replicas, random) {
  let turn = 0;
  const next = () => turn++ % replicas.length;
  if (choice === 'round-robin') return next;
  if (choice === 'random') return () => floor(random() * replicas.length);
  return () => {
    // Equal ones take turns.
    let best = next();
    for (let i = 1; i < replicas.length; i++) {
      const other = (best + i) % replicas.length;
      if (replicas[other].inFlight < replicas[best].inFlight) best = other;
    }
    return best;
  };
}

/** The value below which a share of the numbers lies; 0 without numbers. @param {number[]} numbers @param {number} share */
export function percentile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[min(sorted.length - 1, floor(sorted.length * share))] ?? 0;
}

/** @param {number[]} numbers */
export const mean = (numbers) => numbers.reduce((sum, n) => sum + n, 0) / max(1, numbers.length);
