/** Reads EXIF blocks, and writes those of new files. With every option, what displays need stays. */
import { text } from './bytes';
import { keepsPart, type KeptMetadata } from '../domain/compression-policy';
import type { Orientation } from '../domain/dimensions';
import {
  isReshaped,
  reshapedResolution,
  saysSomething,
  UNITS,
  type Resolution,
  type WrittenMetadata,
} from './reshaping';
import {
  asciiField,
  copiedField,
  fraction,
  rationalField,
  shortField,
  TiffReader,
  TYPE,
  writeDirectory,
  writeTiff,
  type TiffDirectory,
  type TiffEntry,
  type TiffField,
} from './tiff';

export const TAG = {
  description: 0x010e,
  make: 0x010f,
  model: 0x0110,
  orientation: 0x0112,
  xResolution: 0x011a,
  yResolution: 0x011b,
  resolutionUnit: 0x0128,
  artist: 0x013b,
  copyright: 0x8298,
  userComment: 0x9286,
  windowsComment: 0x9c9c,
  windowsAuthor: 0x9c9d,
  exif: 0x8769,
  gps: 0x8825,
  interoperability: 0xa005,
} as const;
const COLOUR_SPACE = 0xa001;
/** When the image was taken and digitized: date and time, offset from UTC, fractions of a second. */
const CREATION: readonly number[] = [0x9003, 0x9004, 0x9011, 0x9012, 0x9291, 0x9292];
const INTEROPERABILITY_INDEX = 0x0001;
const INTEROPERABILITY_VERSION = 0x0002;
const OF_DISPLAY: readonly number[] = [
  ...[TAG.orientation, TAG.xResolution, TAG.yResolution, TAG.resolutionUnit, TAG.exif],
  ...[COLOUR_SPACE, TAG.interoperability, INTEROPERABILITY_INDEX, INTEROPERABILITY_VERSION],
];

/** TIFF counts units from 1; its default is the inch. */
const INCH = 2;

/** TIFF 6.0, tag 274; like viewers, 1 (upright) if it or the block is missing or invalid. */
export function readOrientation(tiff: Uint8Array | undefined): Orientation {
  const reader = tiff && TiffReader.open(tiff);
  const entry = reader?.directory().entries.get(TAG.orientation);
  if (!reader || entry?.type !== TYPE.short) return 1;
  const value = reader.uint16(entry.at);
  return value >= 1 && value <= 8 ? (value as Orientation) : 1;
}

/** TIFF 6.0, section 8; undefined if the block states none, or a meaningless one. */
export function exifResolution(tiff: Uint8Array | undefined): Resolution | undefined {
  const reader = tiff && TiffReader.open(tiff);
  if (!reader) return undefined;
  const { entries } = reader.directory();
  const [x, y] = [TAG.xResolution, TAG.yResolution].map((tag) => readRational(reader, entries.get(tag)));
  const entry = entries.get(TAG.resolutionUnit);
  const unit = UNITS.at((entry?.type === TYPE.short ? reader.uint16(entry.at) : INCH) - 1);
  const resolution = unit && x && y ? { unit, x, y } : undefined;
  return resolution && saysSomething(resolution) ? resolution : undefined;
}

function readRational(reader: TiffReader, entry: TiffEntry | undefined) {
  if (entry?.type !== TYPE.rational || entry.count !== 1) return undefined;
  const value = reader.uint32(entry.at) / reader.uint32(entry.at + 4);
  return value > 0 && value < Infinity ? value : undefined;
}

/** Returns whether a block is unreadable, or holds more than orientation, resolution, colours and the parts to keep. */
export function holdsMoreThan(keep: KeptMetadata, tiff: Uint8Array): boolean {
  const reader = TiffReader.open(tiff);
  if (!reader) return true;
  const directories = directoriesIn(reader);
  const [{ nextAt }] = directories;
  // The second directory describes a thumbnail.
  if (nextAt !== undefined && reader.uint32(nextAt) !== 0) return true;
  const kept = [
    ...OF_DISPLAY,
    ...(keepsPart(keep, 'copyright') ? [TAG.artist, TAG.copyright] : []),
    ...(keepsPart(keep, 'location') ? [TAG.gps] : []),
    ...(keepsPart(keep, 'creation') ? CREATION : []),
  ];
  const tags = directories.flatMap((directory) => [...(directory?.entries.keys() ?? [])]);
  return !tags.every((tag) => kept.includes(tag));
}

function directoriesIn(reader: TiffReader) {
  const first = reader.directory();
  const exif = reader.subdirectory(first.entries.get(TAG.exif));
  return [first, exif, reader.subdirectory(exif?.entries.get(TAG.interoperability))] as const;
}

const MAX_DATE_BYTES = 64;
/** Time and date of a position: they belong to the time, not to the place. */
const GPS_TIME = [0x07, 0x1d];
const LAST_GPS_TAG = 0x1f;
const MAX_GPS_BYTES = 256;
const UNCALIBRATED = 0xffff;
/** DCF 2.0 declares Adobe RGB without a profile by this value of the index. */
const DCF_OPTIONAL_COLOUR = 'R03';

export interface ExifOptions extends WrittenMetadata {
  readonly rights?: readonly TiffField[];
  /** Whether the file keeps an Apple gain map that does not state its headroom. */
  readonly needsAppleHeadroom?: boolean;
  readonly resolution?: Resolution | undefined;
  readonly isRequired?: boolean;
}

export function exifToKeep(source: Uint8Array | undefined, options: ExifOptions): Uint8Array | undefined {
  const { keep, orientation, rights = [], resolution, isRequired = false } = options;
  const reader = source && TiffReader.open(source);
  if (reader && keep === 'all') return updatedExif(source, options);
  const fields = orientation === 1 ? [...rights] : [shortField(TAG.orientation, orientation), ...rights];
  if (reader) fields.push(...displayFields(reader, options));
  if (resolution && saysSomething(resolution) && (fields.length > 0 || isRequired))
    fields.push(...resolutionFields(resolution));
  if (isRequired && fields.length === 0) fields.push(shortField(TAG.orientation, 1));
  return fields.length > 0 ? writeTiff(fields) : undefined;
}

function resolutionFields({ unit, x, y }: Resolution) {
  const perUnit = unit === 'metre' ? 0.0254 : 1;
  const code = { aspect: 1, inch: INCH, centimetre: 3, metre: INCH }[unit];
  return [
    rationalField(TAG.xResolution, x * perUnit),
    rationalField(TAG.yResolution, y * perUnit),
    shortField(TAG.resolutionUnit, code),
  ];
}

function displayFields(reader: TiffReader, { keep, needsAppleHeadroom }: ExifOptions) {
  const { entries } = reader.directory();
  const exif = reader.subdirectory(entries.get(TAG.exif));
  const isDate = (tag: number, { type, byteLength }: TiffEntry) =>
    CREATION.includes(tag) && type === TYPE.ascii && byteLength <= MAX_DATE_BYTES;
  const isPlace = (tag: number, { byteLength }: TiffEntry) =>
    tag <= LAST_GPS_TAG &&
    (keepsPart(keep, 'creation') || !GPS_TIME.includes(tag)) &&
    byteLength > 0 &&
    byteLength <= MAX_GPS_BYTES;
  const inside = keepsPart(keep, 'creation') ? readFields(reader, exif, isDate) : [];
  if (exif && isDcfAdobeRgb(reader, exif)) {
    const index = asciiField(INTEROPERABILITY_INDEX, DCF_OPTIONAL_COLOUR);
    inside.push(shortField(COLOUR_SPACE, UNCALIBRATED), { tag: TAG.interoperability, directory: [index] });
  }
  const note = exif && needsAppleHeadroom ? appleHeadroomNote(reader, exif) : undefined;
  if (note) inside.push({ tag: MAKER_NOTE, type: TYPE.undefined, value: note });
  const gps = reader.subdirectory(entries.get(TAG.gps));
  const place = keepsPart(keep, 'location') ? readFields(reader, gps, isPlace) : [];
  return [
    ...(place.length > 0 ? [{ tag: TAG.gps, directory: place }] : []),
    ...(note ? [asciiField(TAG.make, 'Apple')] : []),
    ...(inside.length > 0 ? [{ tag: TAG.exif, directory: inside }] : []),
  ];
}

function readFields(
  reader: TiffReader,
  directory: TiffDirectory | undefined,
  isKept: (tag: number, entry: TiffEntry) => boolean,
) {
  const entries = [...(directory?.entries ?? [])].filter(([tag, entry]) => isKept(tag, entry));
  return entries.map(([tag, entry]) => copiedField(reader, tag, entry));
}

function isDcfAdobeRgb(reader: TiffReader, { entries }: TiffDirectory) {
  const index = reader.subdirectory(entries.get(TAG.interoperability))?.entries.get(INTEROPERABILITY_INDEX);
  return index !== undefined && text(reader.value(index)).startsWith(DCF_OPTIONAL_COLOUR);
}

const MAKER_NOTE = 0x927c;
const APPLE_HEADER = Buffer.from('Apple iOS\0\0\x01MM', 'latin1');
const APPLE_NAME_BYTES = 9;
const APPLE_HDR = [0x21, 0x30];

/** Returns an Apple maker note with only HDR headroom and HDR gain. Its offsets are relative to the note. */
function appleHeadroomNote(reader: TiffReader, { entries }: TiffDirectory): Uint8Array | undefined {
  const entry = entries.get(MAKER_NOTE);
  if (!entry) return undefined;
  const note = Buffer.from(reader.value(entry));
  const isApple = note.subarray(0, APPLE_NAME_BYTES).equals(APPLE_HEADER.subarray(0, APPLE_NAME_BYTES));
  const inside = isApple ? TiffReader.open(note, APPLE_HEADER.length - 2, APPLE_HEADER.length) : undefined;
  if (!inside) return undefined;
  const isOfHdr = (tag: number, { type, count }: TiffEntry) =>
    APPLE_HDR.includes(tag) && type === TYPE.signedRational && count === 1;
  const numbers = readFields(inside, inside.directory(), isOfHdr);
  return numbers.length > 0
    ? Buffer.concat([APPLE_HEADER, writeDirectory(numbers, APPLE_HEADER.length)])
    : undefined;
}

/** Width and height in the directories of the image, of EXIF and of interoperability. */
const SIZES = [
  [0x0100, 0x0101],
  [0xa002, 0xa003],
  [0x1001, 0x1002],
] as const;
const [THUMBNAIL_OFFSET, THUMBNAIL_LENGTH] = [0x0201, 0x0202];
const MAX_SHORT = 0xffff;

/** Values are changed in place, because maker notes contain offsets into the block. */
function updatedExif(source: Uint8Array, now: WrittenMetadata): Uint8Array {
  const bytes = Buffer.from(source);
  const reader = TiffReader.open(bytes);
  if (!reader) return bytes;
  const { isLittleEndian } = reader;
  const put = (at: number, size: number, value: number) =>
    isLittleEndian ? bytes.writeUIntLE(value, at, size) : bytes.writeUIntBE(value, at, size);
  const setNumber = (directory: TiffDirectory | undefined, tag: number, value: number) => {
    const { type, count, at = 0 } = directory?.entries.get(tag) ?? {};
    if (count === 1 && type === TYPE.long) put(at, 4, value);
    // Only an animation, which keeps its size, can be larger.
    if (count === 1 && type === TYPE.short && value <= MAX_SHORT) put(at, 2, value);
  };
  const directories = directoriesIn(reader);
  const [first] = directories;
  const end = isReshaped(now.reshaped) ? dropThumbnail(bytes, reader, first) : bytes.length;
  setNumber(first, TAG.orientation, now.orientation);
  directories.forEach((directory, i) => {
    setNumber(directory, SIZES[i][0], now.dimensions.width);
    setNumber(directory, SIZES[i][1], now.dimensions.height);
  });
  const stated = exifResolution(source);
  if (!stated || !isReshaped(now.reshaped)) return bytes.subarray(0, end);
  const { x, y } = reshapedResolution(stated, now.reshaped);
  for (const [tag, value] of [[TAG.xResolution, x] as const, [TAG.yResolution, y] as const]) {
    const { at = 0 } = first.entries.get(tag) ?? {};
    fraction(value).forEach((number, i) => put(at + i * 4, 4, number));
  }
  return bytes.subarray(0, end);
}

/** Returns where the block ends without the second directory, which describes a thumbnail: it is usually last. */
function dropThumbnail(bytes: Buffer, reader: TiffReader, { nextAt = 0 }: TiffDirectory) {
  const second = nextAt > 0 ? reader.uint32(nextAt) : 0;
  if (second === 0) return bytes.length;
  const { entries } = reader.directory(second);
  bytes.fill(0, nextAt, nextAt + 4);
  const [start, length] = [THUMBNAIL_OFFSET, THUMBNAIL_LENGTH].map((tag) => {
    const entry = entries.get(tag);
    return entry?.byteLength === 4 ? reader.uint32(entry.at) : 0;
  });
  if (start <= nextAt || start + length < bytes.length) return bytes.length;
  return Math.min(start, bytes.length);
}
