/** How the pixels of a result derive from its upload; metadata about pixels are adjusted accordingly. */
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

/** The metadata to keep, and the image that they now describe. */
export interface WrittenMetadata {
  readonly keep: KeptMetadata;
  /** EXIF orientation of the new pixels; 1 if they are upright. */
  readonly orientation: Orientation;
  /** Size of the new pixels as stored. */
  readonly dimensions: Dimensions;
  /** Absent if no pixel moved. */
  readonly reshaped?: Reshaping;
}

/**
 * Returns how an image got from one stored size to another. A thumbnail with an extended background counts as cropped: it shows
 * the upload smaller than `scale` says.
 */
export function reshapingOf(from: Dimensions, to: Dimensions, applied: Orientation, crop?: Crop): Reshaping {
  const whole = uprightSize(from, applied);
  const [across, down] = [to.width / whole.width, to.height / whole.height];
  const isCropped = crop !== undefined && !isScaledEvenly(whole, to);
  // The scale is most precise along the longer side.
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

/** Returns whether content moved relative to width and height. */
export function isRearranged(reshaped: Reshaping | undefined): boolean {
  return reshaped !== undefined && (reshaped.applied !== 1 || reshaped.isCropped);
}

/** Returns whether positions in pixels have changed. */
export function isReshaped(reshaped: Reshaping | undefined): boolean {
  return isRearranged(reshaped) || (reshaped?.scale ?? 1) !== 1;
}
