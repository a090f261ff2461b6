/**
 * A replica in the simulation: the queue, the shares of the workers and the predictions of src/compression/infrastructure/workers
 * themselves, as built, around workers that only take time. What worker-pool.ts adds is repeated here: the first image that is
 * allowed to begin does. Left out: memory, deadlines and lost workers.
 *
 * @typedef {object} Work
 * @property {number} serviceMs worker time
 * @property {number} cost that the header predicts; see compressionCost()
 * @property {string} [target] format of the result, for which the replica learns how wrong predictions are; one for all by default
 * @typedef {Work & { account: number, arrivedAt: number, client?: number }} Image
 */
import { load } from '../support.mjs';

const { FairQueue } = load('compression/infrastructure/workers/fair-queue.js');
const { QueuePlaces } = load('compression/infrastructure/workers/queue-places.js');
const { ServiceTimes } = load('compression/infrastructure/workers/service-times.js');
const { WorkerShares } = load('compression/infrastructure/workers/worker-shares.js');

const { max } = Math;

/** The budget has room for all images. */
const MEMORY = { isLarge: () => false };

/** What the queue sees of task.ts. */
class Task {
  options = {};
  passedMs = 0;
  #startedAt = Infinity;

  /** @param {Image} image @param {number} expectedMs */
  constructor(image, expectedMs) {
    this.image = image;
    this.account = String(image.account);
    this.expectedMs = expectedMs;
  }

  start() {
    this.#startedAt = performance.now();
  }

  get workedMs() {
    return performance.now() - this.#startedAt;
  }

  get overrunMs() {
    return max(0, this.workedMs - this.expectedMs);
  }
}

/** Its methods use performance.now(): call them in events of an EventQueue. */
export class Replica {
  #queue = new FairQueue();
  #serviceTimes = new ServiceTimes();
  /** @type {Set<Task>} */
  #inProgress = new Set();
  #places;
  #shares;

  /** @param {{ workers: number, queueLimit: number }} size */
  constructor({ workers, queueLimit }) {
    this.workers = workers;
    this.#places = new QueuePlaces(queueLimit, this.#queue, () => this.#isIdle);
    this.#shares = new WorkerShares(workers, this.#queue, MEMORY, this.#inProgress);
  }

  /** Images in progress and in the queue: what a balancer counts as connections. */
  get inFlight() {
    return this.#queue.length + this.#inProgress.size;
  }

  /**
   * Adds an image to the queue.
   * @param {Image} image
   * @returns {Image | undefined} the image that is refused instead: this one or another, or none
   */
  offer(image) {
    const { cost, target = '' } = image;
    const task = new Task(image, this.#serviceTimes.expected(target, cost));
    if (!this.#places.hasOneFor(task.account)) return image;
    const dropped = this.#places.taskToDrop;
    if (dropped) this.#queue.remove(dropped);
    this.#queue.add(task);
    return dropped?.image;
  }

  /** Takes the next image for an idle worker. @returns {Task | undefined} undefined if no worker or no image is free */
  begin() {
    if (!this.#isIdle) return undefined;
    const waiting = this.#queue.inOrder();
    const task = waiting.find((/** @type {Task} */ one) => this.#shares.allow(one, waiting));
    if (!task) return undefined;
    this.#queue.start(task, waiting);
    this.#inProgress.add(task);
    task.start();
    return task;
  }

  /** A worker has finished what it began. @param {Task} task */
  end(task) {
    const { cost, target = '' } = task.image;
    this.#queue.finished(task, task.workedMs);
    this.#serviceTimes.record(target, cost, task.workedMs);
    this.#inProgress.delete(task);
  }

  get #isIdle() {
    return this.#inProgress.size < this.workers;
  }
}
