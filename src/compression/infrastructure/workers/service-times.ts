/** Predicts how long images take, from recent ones. The pool uses it to refuse images that cannot meet their deadline. */
import type { ImageFormat } from '../../../contract/image-signature';

/** Initial CPU time in milliseconds per pixel of the result, measured on photos and screenshots. */
const USUAL_MS: Readonly<Record<ImageFormat, number>> = { jpeg: 2.2e-4, png: 4e-4 };
/** Weight of the newest image in the moving average. */
const NEWEST = 0.2;
/** The fixed cost of an image, expressed in pixels. */
const BASE_PIXELS = 50_000;
/** An easy image took as little as this share of the average. */
const MIN_SHARE = 0.25;

export class ServiceTimes {
  /** Milliseconds per pixel. */
  private readonly mean = new Map<ImageFormat, number>();

  /**
   * Adds a finished image.
   * @param pixels number of pixels of the result
   * @param ms time that it took
   */
  record(format: ImageFormat, pixels: number, ms: number): void {
    const now = ms / (BASE_PIXELS + pixels);
    const before = this.mean.get(format) ?? now;
    this.mean.set(format, before + NEWEST * (now - before));
  }

  /** Returns the predicted time of an image in milliseconds. */
  expected(format: ImageFormat, pixels: number): number {
    return (this.mean.get(format) ?? USUAL_MS[format]) * (BASE_PIXELS + pixels);
  }

  /** Returns the shortest likely time of an image in milliseconds; 0 before the first image has finished. */
  minimum(format: ImageFormat, pixels: number): number {
    return MIN_SHARE * (this.mean.get(format) ?? 0) * (BASE_PIXELS + pixels);
  }
}
