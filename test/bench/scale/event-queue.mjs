/**
 * Events by time: a binary heap. Events of the same time run in the order in which they were added.
 * @typedef {(now: number) => void} Action
 */
export class EventQueue {
  /** @type {{ at: number, order: number, action: Action }[]} */
  #heap = [];
  #added = 0;

  /** @param {number} at @param {Action} action */
  add(at, action) {
    const heap = this.#heap;
    let i = heap.push({ at, order: this.#added++, action }) - 1;
    for (let up = (i - 1) >> 1; i > 0 && this.#isBefore(i, up); i = up, up = (i - 1) >> 1) this.#swap(i, up);
  }

  /**
   * Runs events, and those that they add, until none are left. Meanwhile performance.now() returns the time of the event, so that
   * classes of the service run in simulated time.
   */
  run() {
    try {
      for (let event = this.#take(); event; event = this.#take()) {
        const { at, action } = event;
        performance.now = () => at;
        action(at);
      }
    } finally {
      // The method of the prototype is visible again.
      delete performance.now;
    }
  }

  #take() {
    const heap = this.#heap;
    if (heap.length === 0) return undefined;
    this.#swap(0, heap.length - 1);
    const event = heap.pop();
    for (let i = 0; ;) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let first = i;
      if (left < heap.length && this.#isBefore(left, first)) first = left;
      if (right < heap.length && this.#isBefore(right, first)) first = right;
      if (first === i) return event;
      this.#swap(i, first);
      i = first;
    }
  }

  /** @param {number} a @param {number} b */
  #isBefore(a, b) {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  /** @param {number} a @param {number} b */
  #swap(a, b) {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b], this.#heap[a]];
  }
}
