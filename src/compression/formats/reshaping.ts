/** What becomes of metadata about size, resolution and orientation when the pixels are rotated, scaled or cropped. */
import type { KeptMetadata } from '../domain/compression-policy';
import { uprightSize, type Crop, type Dimensions, type Orientation } from '../domain/dimensions';

export interface Reshaping {
  readonly applied: Orientation;
  readonly scale: number;
  readonly isCropped: boolean;
}

export interface WrittenMetadata {
  readonly keep: KeptMetadata;
  readonly orientation: Orientation;
  readonly dimensions: Dimensions;
  readonly reshaped?: Reshaping;
}

/** A thumbnail with an extended background counts as cropped. */
export function planReshaping(
  from: Dimensions,
  to: Dimensions,
  applied: Orientation,
  crop?: Crop,
): Reshaping {
  const whole = uprightSize(from, applied);
  const [across, down] = [to.width / whole.width, to.height / whole.height];
  const isCropped = crop !== undefined && !isScaledEvenly(whole, to);
  // The scale is most precise along the longer side.
  const even = whole.width >= whole.height ? across : down;
  return { applied, scale: isCropped ? Math.max(across, down) : even, isCropped };
}

function isScaledEvenly(from: Dimensions, to: Dimensions) {
  const scaled = (side: number, scale: number) => Math.max(1, Math.round(side * scale));
  return (
    scaled(from.height, to.width / from.width) === to.height ||
    scaled(from.width, to.height / from.height) === to.width
  );
}

export function isReshaped(reshaped: Reshaping | undefined): boolean {
  return reshaped !== undefined && (reshaped.applied !== 1 || reshaped.isCropped || reshaped.scale !== 1);
}

export interface Resolution {
  /** With `aspect`, only the ratio of the numbers counts. */
  readonly unit: 'aspect' | 'inch' | 'centimetre' | 'metre';
  readonly x: number;
  readonly y: number;
}

/** In the order in which JFIF and TIFF number them. */
export const UNITS: readonly Resolution['unit'][] = ['aspect', 'inch', 'centimetre'];
const UNITS_PER_INCH = { inch: 1, centimetre: 2.54, metre: 0.0254 } as const;
/** Programs write these as defaults. */
const DEFAULT_DPI = [72, 96];
/** Other formats round 72 dpi to 28 per centimetre, which is 71.1 dpi. */
const DPI_TOLERANCE = 0.9;
/** Square pixels differ by less after rounding; pixels of video and fax differ by 4% and more. */
const SQUARE_TOLERANCE = 0.005;
const MAX_JFIF = 65_535;
const MAX_UINT32 = 2 ** 32 - 1;

/** Returns whether readers would place or show the image differently without it: pixels are not square, or not 72 or 96 dpi. */
export function saysSomething({ unit, x, y }: Resolution): boolean {
  if (Math.abs(x - y) > SQUARE_TOLERANCE * Math.max(x, y)) return true;
  return unit !== 'aspect' && DEFAULT_DPI.every((dpi) => Math.abs(perInch(unit, x) - dpi) > DPI_TOLERANCE);
}

/** The resolution at which print size and shape stay. A meaningless one stays unchanged. */
export function reshapedResolution(resolution: Resolution, reshaped: Reshaping | undefined): Resolution {
  if (!reshaped || !saysSomething(resolution)) return resolution;
  const { applied, scale } = reshaped;
  const { unit, x, y } = resolution;
  const [across, down] = applied >= 5 ? [y, x] : [x, y];
  if (unit === 'aspect') return { unit, x: across, y: down };
  return { unit, x: across * scale, y: down * scale };
}

/** Returns the numbers of a JFIF header: the unit (none, inch, centimetre) and two integers of 16 bits. */
export function jfifDensity(resolution: Resolution | undefined): readonly [number, number, number] {
  if (!resolution) return [0, 1, 1];
  const { unit, x, y } = resolution;
  if (unit === 'aspect') return [0, ...integers(x, y, MAX_JFIF)];
  if (unit === 'centimetre' && Number.isInteger(x) && Number.isInteger(y))
    return [2, ...integers(x, y, MAX_JFIF)];
  return [1, ...integers(perInch(unit, x), perInch(unit, y), MAX_JFIF)];
}

/** Returns the numbers of a pHYs chunk: two integers of 32 bits, and the unit (none, metre). */
export function physicalSize({ unit, x, y }: Resolution): readonly [number, number, number] {
  if (unit === 'aspect') return [...integers(x, y, MAX_UINT32), 0];
  const perMetre = (value: number) => perInch(unit, value) / UNITS_PER_INCH.metre;
  return [...integers(perMetre(x), perMetre(y), MAX_UINT32), 1];
}

function perInch(unit: keyof typeof UNITS_PER_INCH, value: number) {
  return value * UNITS_PER_INCH[unit];
}

function integers(x: number, y: number, most: number): [number, number] {
  const reduce = Math.min(1, most / Math.max(x, y));
  return [Math.max(1, Math.round(x * reduce)), Math.max(1, Math.round(y * reduce))];
}
