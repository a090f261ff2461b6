/**
 * When a refused image may come back. Each refusal gets the next place of its account, so that images that are refused
 * together return one after the other, as fast as they can be served.
 */

/** Until an image has finished: a photo of 12 megapixels. */
const TYPICAL_MS = 1_000;
/** Of the newest image in the mean. */
const WEIGHT = 0.2;
/** No client is sent away for longer. */
const MAX_WAIT_MS = 120_000;
/** Of the wait, at random: clients return a little early, so that the queue does not run empty before they do. */
const JITTER = 0.25;

export class ExpectedPlaces {
  /** The last promised time by account; only those in the future matter. */
  private readonly promised = new Map<string, number>();
  private meanMs: number | undefined;

  finished(ranMs: number) {
    this.meanMs = ranMs * WEIGHT + (this.meanMs ?? ranMs) * (1 - WEIGHT);
  }

  /**
   * Returns the milliseconds until a place is expected.
   * @param account empty before the credentials: promises nothing, so that a client without a key delays nobody
   * @param share images of the account that the workers finish in the time of one
   * @param runningMs of an image in progress, which may take longer than those before it
   */
  promise(account: string, share: number, runningMs: number): number {
    const now = performance.now();
    for (const [name, at] of this.promised) if (at <= now) this.promised.delete(name);
    const ms = Math.max(this.meanMs ?? TYPICAL_MS, runningMs) / share;
    const next = Math.min(MAX_WAIT_MS, Math.max(0, (this.promised.get(account) ?? now) - now) + ms);
    if (account) this.promised.set(account, now + next);
    return next * (1 - JITTER * Math.random());
  }
}
