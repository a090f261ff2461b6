/**
 * A replica in the simulation: workers behind the bounded queue of src/compression/infrastructure/workers. Accounts take turns
 * by the worker time of their images (start-time fair queuing); a full queue drops the newest image of the account with the most.
 * Left out: memory, deadlines, and the places that are kept free of long images.
 *
 * @typedef {{ account: number, serviceMs: number, arrivedAt: number, client?: number }} Image
 */

/** As in worker-pool.ts. */
const ACCOUNT_SHARE = 0.75;

export class Replica {
  /** @type {Map<number, Image[]>} */
  #waiting = new Map();
  /** Virtual start time of the next image of each account. @type {Map<number, number>} */
  #nextStart = new Map();
  #now = 0;
  queued = 0;
  busy = 0;

  /** @param {{ workers: number, queueLimit: number }} size */
  constructor({ workers, queueLimit }) {
    this.workers = workers;
    this.queueLimit = queueLimit;
  }

  /** Images in progress and in the queue: what a balancer counts as connections. */
  get inFlight() {
    return this.queued + this.busy;
  }

  /**
   * Adds an image to the queue.
   * @param {Image} image
   * @returns {Image | undefined} the image that is refused instead: this one or another, or none
   */
  offer(image) {
    const ownQueue = this.#waiting.get(image.account) ?? [];
    if (this.busy < this.workers && this.queued === 0) return this.#add(image, ownQueue);
    if (this.queued < this.queueLimit) {
      const share = Math.max(1, this.queueLimit * ACCOUNT_SHARE);
      return ownQueue.length < share ? this.#add(image, ownQueue) : image;
    }
    const longest = [...this.#waiting.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (ownQueue.length > 0 || longest.length < 2) return image;
    const dropped = longest.pop();
    this.queued--;
    this.#add(image, ownQueue);
    return dropped;
  }

  /** Takes the next image for an idle worker. @returns {Image | undefined} */
  begin() {
    if (this.busy >= this.workers || this.queued === 0) return undefined;
    const start = (/** @type {number} */ account) => Math.max(this.#now, this.#nextStart.get(account) ?? 0);
    const [first, ...others] = this.#waiting.keys();
    const account = others.reduce((a, b) => (start(b) < start(a) ? b : a), first);
    const queue = this.#waiting.get(account) ?? [];
    const image = queue.shift();
    if (queue.length === 0) this.#waiting.delete(account);
    if (!image) return undefined;
    this.queued--;
    this.busy++;
    this.#now = start(account);
    this.#nextStart.set(account, this.#now + image.serviceMs);
    return image;
  }

  /** A worker has finished. */
  end() {
    this.busy--;
  }

  /** @param {Image} image @param {Image[]} ownQueue */
  #add(image, ownQueue) {
    ownQueue.push(image);
    this.#waiting.set(image.account, ownQueue);
    this.queued++;
    return undefined;
  }
}
