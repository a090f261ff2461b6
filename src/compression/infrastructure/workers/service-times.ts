/** How long images have lately been in work, so that one that cannot be done in time is not begun. */
import type { ImageFormat } from '../../domain/compression-report';

/** Weight of the newest image in the running mean. */
const NEWEST = 0.2;
/** What an image takes whatever its size, in pixels' worth. */
const BASE_PIXELS = 50_000;
/** In a hurry, or for an easy picture, this share of the mean has been enough. */
const LEAST_SHARE = 0.25;

export class ServiceTimes {
  /** Milliseconds a pixel. */
  private readonly mean = new Map<ImageFormat, number>();

  /** @param pixels of the result */
  record(format: ImageFormat, pixels: number, ms: number): void {
    const now = ms / (BASE_PIXELS + pixels);
    const before = this.mean.get(format) ?? now;
    this.mean.set(format, before + NEWEST * (now - before));
  }

  /** The least that a picture is expected to take, in milliseconds; 0 while nothing is known. */
  least(format: ImageFormat, pixels: number): number {
    return LEAST_SHARE * (this.mean.get(format) ?? 0) * (BASE_PIXELS + pixels);
  }
}
