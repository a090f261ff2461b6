/** How the pixels of a result came from those of its upload: what metadata say about pixels is adjusted accordingly. */
import type { KeptMetadata } from '../domain/compression-policy';
import { uprightSize, type Crop, type Dimensions, type Orientation } from '../domain/dimensions';

export interface Reshaping {
  /** The orientation that was applied to the pixels; 1 if they were not rotated. */
  readonly applied: Orientation;
  /** Pixels of the result per pixel of the upload, at most 1. */
  readonly scale: number;
  /** Whether edges were cut off or extended. */
  readonly isCropped: boolean;
}

/** What is kept of the metadata, and what they describe now. */
export interface WrittenMetadata {
  readonly keep: KeptMetadata;
  /** EXIF orientation of the new pixels; 1 if they are upright. */
  readonly orientation: Orientation;
  /** Size of the new pixels as stored. */
  readonly dimensions: Dimensions;
  /** Absent if the pixels are where they were. */
  readonly reshaped?: Reshaping;
}

/**
 * Returns how an image of one stored size got another. A thumbnail whose background was extended counts as cropped: it shows
 * the upload smaller than `scale` says.
 */
export function reshapingOf(from: Dimensions, to: Dimensions, applied: Orientation, crop?: Crop): Reshaping {
  const whole = uprightSize(from, applied);
  const [across, down] = [to.width / whole.width, to.height / whole.height];
  const isCropped = crop !== undefined && !isScaledEvenly(whole, to);
  // The longer side is scaled most precisely.
  const even = whole.width >= whole.height ? across : down;
  return { applied, scale: isCropped ? Math.max(across, down) : even, isCropped };
}

function isScaledEvenly(from: Dimensions, to: Dimensions): boolean {
  const scaled = (side: number, scale: number) => Math.max(1, Math.round(side * scale));
  return (
    scaled(from.height, to.width / from.width) === to.height ||
    scaled(from.width, to.height / from.height) === to.width
  );
}

/** Returns whether what was at a position is at another one now, also in shares of width and height. */
export function isRearranged(reshaped: Reshaping | undefined): boolean {
  return reshaped !== undefined && (reshaped.applied !== 1 || reshaped.isCropped);
}

/** Returns whether a position in pixels means another place now. */
export function isReshaped(reshaped: Reshaping | undefined): boolean {
  return isRearranged(reshaped) || (reshaped?.scale ?? 1) !== 1;
}
