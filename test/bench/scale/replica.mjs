/**
 * A replica in the simulation: the scheduler of src/compression/infrastructure/queue itself, as built, around workers that only take
 * time. Left out: memory, deadlines and lost workers.
 *
 * @typedef {object} Work
 * @property {number} serviceMs worker time
 * @typedef {Work & { account: number | '', arrivedAt: number, client?: number }} Image
 */
import { load } from '../support.mjs';

const { Job } = load('compression/infrastructure/queue/turns.js');
const { Scheduler } = load('compression/infrastructure/queue/scheduler.js');

class Task extends Job {
  /** @param {Image} image */
  constructor(image) {
    super(String(image.account), 0);
    this.image = image;
  }

  /** Worker time that it still takes. */
  get msToGo() {
    return this.image.serviceMs - this.ranMs;
  }
}

/** Its methods use performance.now(): call them in events of an EventQueue. */
export class Replica {
  #scheduler;

  /**
   * @param {object} options
   * @param {number} options.workers
   * @param {number} options.queueLimit
   * @param {(task: Task) => void} options.onRun called when an image begins or continues
   */
  constructor({ workers, queueLimit, onRun }) {
    this.workers = workers;
    const isIdle = () => this.#scheduler.all().length - this.#scheduler.all('waiting').length < 2 * workers;
    this.#scheduler = new Scheduler(
      { workers, canSuspend: true, memoryBytes: Infinity, queueLimit },
      {
        get isIdle() {
          return isIdle();
        },
        grow: () => false,
        begin: onRun,
        suspend: () => undefined,
        resume: onRun,
      },
    );
  }

  /** Images in progress and in the queue: what a balancer counts as connections. */
  get inFlight() {
    return this.#scheduler.all().length;
  }

  /**
   * Adds an image to the queue.
   * @param {Image} image
   * @returns {Image | undefined} the image that is refused instead: this one or another, or none
   */
  offer(image) {
    const task = new Task(image);
    if (!this.#scheduler.hasPlaceFor(task.account)) return image;
    const dropped = this.#scheduler.isFull ? this.#scheduler.replaceable : undefined;
    if (dropped) this.#scheduler.remove(dropped);
    this.#scheduler.add(task);
    return dropped?.image;
  }

  /** Runs and suspends images. @returns {number | undefined} see Scheduler.assign() */
  assign() {
    return this.#scheduler.assign();
  }

  /** A worker has finished. @param {Task} task */
  end(task) {
    this.#scheduler.remove(task);
  }
}
