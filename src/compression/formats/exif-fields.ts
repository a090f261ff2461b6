/** EXIF fields that several modules read: orientation, resolution, pointers to nested directories. */
import { saysSomething, type Resolution } from './reshaping';
import { rational, shortField, TiffReader, TYPE, type TiffDirectory, type TiffField } from './tiff';
import type { Orientation } from '../domain/dimensions';

export const ORIENTATION_TAG = 0x0112;
/** Pointers to the nested directories. */
export const EXIF_DIRECTORY = 0x8769;
export const INTEROPERABILITY_DIRECTORY = 0xa005;

/** Returns the orientation in an EXIF block (TIFF 6.0, tag 274). Like viewers, returns 1 (upright) if it is missing, damaged or invalid. */
export function orientationOf(tiff: Uint8Array): Orientation {
  const reader = TiffReader.open(tiff);
  const entry = reader?.directory().entries.get(ORIENTATION_TAG);
  if (!reader || entry?.type !== TYPE.short) return 1;
  const value = reader.uint16(entry.at);
  return value >= 1 && value <= 8 ? (value as Orientation) : 1;
}

export const X_RESOLUTION = 0x011a;
export const Y_RESOLUTION = 0x011b;
const UNIT = 0x0128;
/** Units by value. TIFF's default is the inch. */
const UNITS: Readonly<Partial<Record<number, Resolution['unit']>>> = {
  1: 'aspect',
  2: 'inch',
  3: 'centimetre',
};
const INCH = 2;

/** Returns the resolution that a block states (TIFF 6.0, section 8); undefined if it states none, or a meaningless one. */
export function exifResolution(tiff: Uint8Array): Resolution | undefined {
  const reader = TiffReader.open(tiff);
  if (!reader) return undefined;
  const first = reader.directory();
  const x = rationalOf(reader, first, X_RESOLUTION);
  const y = rationalOf(reader, first, Y_RESOLUTION);
  const entry = first.entries.get(UNIT);
  const unit = UNITS[entry?.type === TYPE.short ? reader.uint16(entry.at) : INCH];
  const resolution = unit && x && y ? { unit, x, y } : undefined;
  return resolution && saysSomething(resolution) ? resolution : undefined;
}

/** Returns the fields that state a resolution. */
export function resolutionFields({ unit, x, y }: Resolution): TiffField[] {
  const [perUnit, code] =
    unit === 'metre'
      ? ([0.0254, INCH] as const)
      : ([1, { aspect: 1, inch: INCH, centimetre: 3 }[unit]] as const);
  return [
    { tag: X_RESOLUTION, type: TYPE.rational, value: rational(x * perUnit) },
    { tag: Y_RESOLUTION, type: TYPE.rational, value: rational(y * perUnit) },
    shortField(UNIT, code),
  ];
}

/** Returns a positive rational; undefined if it is missing or not a number. */
export function rationalOf(reader: TiffReader, { entries }: TiffDirectory, tag: number): number | undefined {
  const entry = entries.get(tag);
  if (entry?.type !== TYPE.rational || entry.count !== 1) return undefined;
  const value = reader.uint32(entry.at) / reader.uint32(entry.at + 4);
  return value > 0 && value < Infinity ? value : undefined;
}
