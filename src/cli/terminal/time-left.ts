/**
 * How long the rest of the images will take, measured on those that are done, by format and pixels. Counting images
 * instead would promise the end of a folder of icons just when its one poster begins.
 *
 * The first images mislead: a worker is slow at first, and an icon says little about photos. So nothing is said before
 * enough work is done, and a new estimate is approached in steps.
 */
import type { UploadFormat } from '../../contract/formats';

export interface Work {
  readonly format: UploadFormat;
  readonly pixels: number;
}

interface Pace {
  ms: number;
  pixels: number;
}

/** An image that takes longer than expected is expected to need at least this share of its time once more. */
const LEAST_SHARE = 0.1;
/** Work that every image needs, whatever its size, in pixels. */
const BASE_PIXELS = 50_000;
/** Weight of an image in the pace, compared with the next image of its format. */
const MEMORY = 0.8;
/** A time is said when this share of all work is done, or work of this time. */
const TELLING_SHARE = 0.05;
const TELLING_MS = 5000;
/** A new estimate is approached in this share of the time that is left, but at least in this time. */
const SETTLING_SHARE = 1 / 8;
const SETTLING_MS = 1000;

export class TimeLeft<Key> {
  private readonly waiting: Map<Key, Work>;
  private readonly running = new Map<Key, { readonly work: Work; readonly since: number }>();
  private readonly paces = new Map<UploadFormat, Pace>();
  /** Time of all images that are done. */
  private doneMs = 0;
  /** What was said last, and when. */
  private said: { readonly end: number; readonly at: number } | undefined;

  /** @param lanes images at a time */
  constructor(
    works: readonly (readonly [Key, Work])[],
    private readonly lanes: number,
  ) {
    this.waiting = new Map(works);
  }

  /** @param now milliseconds on any clock, the same for all calls */
  began(key: Key, now: number): void {
    const work = this.waiting.get(key);
    this.waiting.delete(key);
    if (work) this.running.set(key, { work, since: now });
  }

  /** @param wasCompressed false for an image that no worker compressed: it says nothing about the others */
  ended(key: Key, now: number, wasCompressed: boolean): void {
    const run = this.running.get(key);
    this.waiting.delete(key);
    this.running.delete(key);
    if (!run || !wasCompressed) return;
    const pace = this.paces.get(run.work.format) ?? { ms: 0, pixels: 0 };
    const ms = now - run.since;
    this.doneMs += ms;
    pace.ms = pace.ms * MEMORY + ms;
    pace.pixels = pace.pixels * MEMORY + run.work.pixels + BASE_PIXELS;
    this.paces.set(run.work.format, pace);
  }

  /** Undefined until enough is known, and when all images are done. */
  milliseconds(now: number): number | undefined {
    const estimate = this.estimate(now);
    if (estimate === undefined) return undefined;
    const end = now + estimate;
    if (this.said === undefined) {
      this.said = { end, at: now };
      return estimate;
    }
    const settling = Math.max(SETTLING_MS, estimate * SETTLING_SHARE);
    const share = 1 - Math.exp((this.said.at - now) / settling);
    this.said = { end: this.said.end + (end - this.said.end) * share, at: now };
    // What was said before may be over by now, but something is left.
    return Math.max(this.said.end - now, Math.min(estimate, SETTLING_MS));
  }

  private estimate(now: number): number | undefined {
    if (this.paces.size === 0 || this.waiting.size + this.running.size === 0) return undefined;
    let [all, longest] = [0, 0];
    const count = (ms: number) => {
      all += ms;
      longest = Math.max(longest, ms);
    };
    for (const { work, since } of this.running.values()) {
      const expected = this.expected(work);
      count(Math.max(expected - (now - since), expected * LEAST_SHARE));
    }
    for (const work of this.waiting.values()) count(this.expected(work));
    const isTelling = this.doneMs >= TELLING_MS || this.doneMs >= TELLING_SHARE * (this.doneMs + all);
    if (!isTelling) return undefined;
    // No image is split between workers, so the longest one is a lower bound.
    return Math.max(all / this.lanes, longest);
  }

  private expected({ format, pixels }: Work): number {
    const pace = this.paces.get(format) ?? total([...this.paces.values()]);
    return (pace.ms / pace.pixels) * (pixels + BASE_PIXELS);
  }
}

function total(paces: readonly Pace[]): Pace {
  return paces.reduce((a, b) => ({ ms: a.ms + b.ms, pixels: a.pixels + b.pixels }));
}
