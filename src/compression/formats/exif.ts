/** What an EXIF block says: orientation, resolution, and whether there is more. */
import { keepsPart, type KeptMetadata } from '../domain/compression-policy';
import type { Orientation } from '../domain/dimensions';
import { saysSomething, type Resolution } from './reshaping';
import { TiffReader, TYPE, type TiffDirectory, type TiffEntry } from './tiff';

/** Tags of the first directory. */
export const TAG = {
  make: 0x010f,
  orientation: 0x0112,
  xResolution: 0x011a,
  yResolution: 0x011b,
  resolutionUnit: 0x0128,
  artist: 0x013b,
  copyright: 0x8298,
  /** Pointers to nested directories; the last is in the directory `exif`. */
  exif: 0x8769,
  gps: 0x8825,
  interoperability: 0xa005,
} as const;
export const COLOUR_SPACE = 0xa001;
/** When the image was taken and digitized: date and time, offset from UTC, fractions of a second. */
export const CREATION: readonly number[] = [0x9003, 0x9004, 0x9011, 0x9012, 0x9291, 0x9292];
/** Index and version of DCF, in the directory `interoperability`. */
export const INTEROPERABILITY_INDEX = 0x0001;
const INTEROPERABILITY_VERSION = 0x0002;

/** Units of a resolution by value. TIFF's default is the inch. */
const UNITS: Readonly<Partial<Record<number, Resolution['unit']>>> = {
  1: 'aspect',
  2: 'inch',
  3: 'centimetre',
};
export const INCH = 2;

/** Returns the orientation in an EXIF block (TIFF 6.0, tag 274). Like viewers, returns 1 (upright) if it is missing, damaged or invalid. */
export function orientationOf(tiff: Uint8Array): Orientation {
  const reader = TiffReader.open(tiff);
  const entry = reader?.directory().entries.get(TAG.orientation);
  if (!reader || entry?.type !== TYPE.short) return 1;
  const value = reader.uint16(entry.at);
  return value >= 1 && value <= 8 ? (value as Orientation) : 1;
}

/** Returns the resolution that a block states (TIFF 6.0, section 8); undefined if it states none, or a meaningless one. */
export function exifResolution(tiff: Uint8Array): Resolution | undefined {
  const reader = TiffReader.open(tiff);
  if (!reader) return undefined;
  const { entries } = reader.directory();
  const [x, y] = [TAG.xResolution, TAG.yResolution].map((tag) => rationalOf(reader, entries.get(tag)));
  const entry = entries.get(TAG.resolutionUnit);
  const unit = UNITS[entry?.type === TYPE.short ? reader.uint16(entry.at) : INCH];
  const resolution = unit && x && y ? { unit, x, y } : undefined;
  return resolution && saysSomething(resolution) ? resolution : undefined;
}

/** Returns a positive rational; undefined if it is missing or not a number. */
function rationalOf(reader: TiffReader, entry: TiffEntry | undefined): number | undefined {
  if (entry?.type !== TYPE.rational || entry.count !== 1) return undefined;
  const value = reader.uint32(entry.at) / reader.uint32(entry.at + 4);
  return value > 0 && value < Infinity ? value : undefined;
}

/** Returns whether a block is unreadable, or holds more than orientation, resolution, colours and the parts to keep. */
export function holdsMoreThan(keep: KeptMetadata, tiff: Uint8Array): boolean {
  const reader = TiffReader.open(tiff);
  if (!reader) return true;
  const first = reader.directory();
  // The second directory describes a thumbnail.
  if (first.nextAt !== undefined && reader.uint32(first.nextAt) !== 0) return true;
  const exif = reader.subdirectory(first.entries.get(TAG.exif));
  const interoperability = reader.subdirectory(exif?.entries.get(TAG.interoperability));
  const hasOther = (directory: TiffDirectory | undefined, ...tags: readonly number[]) =>
    [...(directory?.entries.keys() ?? [])].some((tag) => !tags.includes(tag));
  const rights = keepsPart(keep, 'copyright') ? [TAG.artist, TAG.copyright] : [];
  const place = keepsPart(keep, 'location') ? [TAG.gps] : [];
  const dates = keepsPart(keep, 'creation') ? CREATION : [];
  const resolution = [TAG.xResolution, TAG.yResolution, TAG.resolutionUnit];
  return (
    hasOther(first, TAG.orientation, ...resolution, TAG.exif, ...rights, ...place) ||
    hasOther(exif, COLOUR_SPACE, TAG.interoperability, ...dates) ||
    hasOther(interoperability, INTEROPERABILITY_INDEX, INTEROPERABILITY_VERSION)
  );
}
