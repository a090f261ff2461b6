/**
 * How long the rest of the images will take: measured on those that are done, by format and pixels. Counting images
 * instead would promise the end of a folder of icons just when its one poster begins.
 */
import type { ImageFormat } from '../../contract/image-signature';

export interface Work {
  readonly format: ImageFormat;
  readonly pixels: number;
}

interface Pace {
  ms: number;
  pixels: number;
}

/** Before an image took so long, some work is still expected of it: a share of what was foreseen. */
const LEAST_SHARE = 0.1;
/** Work that every image brings, whatever its size: as much as so many pixels. */
const BASE_PIXELS = 50_000;

export class TimeLeft<Key> {
  private readonly waiting: Map<Key, Work>;
  private readonly running = new Map<Key, { readonly work: Work; readonly since: number }>();
  private readonly paces = new Map<ImageFormat, Pace>();

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

  /** @param wasCompressed false for an image that took no work: it tells nothing about the others */
  ended(key: Key, now: number, wasCompressed: boolean): void {
    const run = this.running.get(key);
    this.running.delete(key);
    if (!run || !wasCompressed) return;
    const pace = this.paces.get(run.work.format) ?? { ms: 0, pixels: 0 };
    pace.ms += now - run.since;
    pace.pixels += run.work.pixels + BASE_PIXELS;
    this.paces.set(run.work.format, pace);
  }

  /** Undefined before the first image is done, and when all are. */
  milliseconds(now: number): number | undefined {
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
    // No image is split between workers: the longest one is a lower bound.
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
