/**
 * The EXIF block of a new file. Most of EXIF describes the camera, the place and the person, and is removed. Entries that determine how
 * the image is displayed always stay: an orientation that was not applied to the pixels, Adobe RGB as declared by DCF cameras, and the
 * headroom of Apple's gain maps.
 */
import { keepsPart, type KeptMetadata } from '../domain/compression-policy';
import { COLOUR_SPACE, CREATION, exifResolution, INCH, INTEROPERABILITY_INDEX, TAG } from './exif';
import {
  isReshaped,
  reshapedResolution,
  saysSomething,
  type Resolution,
  type WrittenMetadata,
} from './reshaping';
import {
  asciiField,
  copiedField,
  ENTRY_BYTES,
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

const MAX_DATE_BYTES = 64;
/** Time and date of a position: they belong to the time, not to the place. */
const GPS_TIME = [0x07, 0x1d];
const LAST_GPS_TAG = 0x1f;
const MAX_GPS_BYTES = 256;
const UNCALIBRATED = 0xffff;
/** DCF 2.0 declares Adobe RGB without a profile by this value of the index. */
const DCF_OPTIONAL_COLOUR = 'R03';

export interface ExifOptions extends WrittenMetadata {
  /** Author and copyright, for a new block. */
  readonly rights?: readonly TiffField[];
  /** Whether the file keeps an Apple gain map that does not state its headroom. */
  readonly needsAppleHeadroom?: boolean;
  /** Resolution of the new pixels, for files that can state it only in EXIF. */
  readonly resolution?: Resolution | undefined;
  /** Whether the file must have a block, because readers would not recognise any other start. */
  readonly isRequired?: boolean;
}

/**
 * Returns the EXIF block of the new file; undefined if nothing is left.
 * @param source the old block, starting with its byte order
 */
export function exifToKeep(source: Uint8Array | undefined, options: ExifOptions): Uint8Array | undefined {
  const { keep, orientation, rights = [], resolution, isRequired = false } = options;
  const reader = source && TiffReader.open(source);
  if (reader && keep === 'all') return updatedExif(source, options);
  const fields = orientation === 1 ? [...rights] : [shortField(TAG.orientation, orientation), ...rights];
  if (reader) fields.push(...displayFields(reader, options));
  if (resolution && saysSomething(resolution) && (fields.length > 0 || isRequired))
    fields.push(...resolutionFields(resolution));
  // A directory needs at least one entry.
  if (isRequired && fields.length === 0) fields.push(shortField(TAG.orientation, 1));
  return fields.length > 0 ? writeTiff(fields) : undefined;
}

function resolutionFields({ unit, x, y }: Resolution): TiffField[] {
  const perUnit = unit === 'metre' ? 0.0254 : 1;
  const code = { aspect: 1, inch: INCH, centimetre: 3, metre: INCH }[unit];
  return [
    rationalField(TAG.xResolution, x * perUnit),
    rationalField(TAG.yResolution, y * perUnit),
    shortField(TAG.resolutionUnit, code),
  ];
}

/** Returns what displays need of the old block, and its date and position if they are kept. */
function displayFields(reader: TiffReader, { keep, needsAppleHeadroom }: ExifOptions): TiffField[] {
  const { entries } = reader.directory();
  const exif = reader.subdirectory(entries.get(TAG.exif));
  const inside = exif && keepsPart(keep, 'creation') ? creationOf(reader, exif) : [];
  if (exif && isDcfAdobeRgb(reader, exif)) {
    const index = asciiField(INTEROPERABILITY_INDEX, DCF_OPTIONAL_COLOUR);
    inside.push(shortField(COLOUR_SPACE, UNCALIBRATED), { tag: TAG.interoperability, directory: [index] });
  }
  const note = exif && needsAppleHeadroom ? appleHeadroomNote(reader, exif) : undefined;
  if (note) inside.push({ tag: MAKER_NOTE, type: TYPE.undefined, value: note });
  return [
    ...(keepsPart(keep, 'location') ? positionOf(reader, entries.get(TAG.gps), keep) : []),
    ...(note ? [asciiField(TAG.make, 'Apple')] : []),
    ...(inside.length > 0 ? [{ tag: TAG.exif, directory: inside }] : []),
  ];
}

function creationOf(reader: TiffReader, { entries }: TiffDirectory): TiffField[] {
  return CREATION.flatMap((tag) => {
    const entry = entries.get(tag);
    const isDate = entry?.type === TYPE.ascii && entry.byteLength <= MAX_DATE_BYTES;
    return isDate ? [copiedField(reader, tag, entry)] : [];
  });
}

function positionOf(reader: TiffReader, pointer: TiffEntry | undefined, keep: KeptMetadata): TiffField[] {
  const fields = [...(reader.subdirectory(pointer)?.entries ?? [])]
    .filter(([tag]) => tag <= LAST_GPS_TAG && (keepsPart(keep, 'creation') || !GPS_TIME.includes(tag)))
    .filter(([, { byteLength }]) => byteLength > 0 && byteLength <= MAX_GPS_BYTES)
    .map(([tag, entry]) => copiedField(reader, tag, entry));
  return fields.length > 0 ? [{ tag: TAG.gps, directory: fields }] : [];
}

function isDcfAdobeRgb(reader: TiffReader, { entries }: TiffDirectory): boolean {
  const index = reader.subdirectory(entries.get(TAG.interoperability))?.entries.get(INTEROPERABILITY_INDEX);
  return (
    index !== undefined && Buffer.from(reader.value(index)).toString('latin1').startsWith(DCF_OPTIONAL_COLOUR)
  );
}

const MAKER_NOTE = 0x927c;
const APPLE_HEADER = Buffer.from('Apple iOS\0\0\x01MM', 'latin1');
const APPLE_NAME_BYTES = 9;
/** HDR headroom and HDR gain; Apple's software scales the gain map by them. */
const APPLE_HDR = [0x21, 0x30];

/** Returns an Apple maker note with only these two numbers. Its offsets are relative to the note. */
function appleHeadroomNote(reader: TiffReader, { entries }: TiffDirectory): Uint8Array | undefined {
  const entry = entries.get(MAKER_NOTE);
  if (!entry) return undefined;
  const note = Buffer.from(reader.value(entry));
  const isApple = note.subarray(0, APPLE_NAME_BYTES).equals(APPLE_HEADER.subarray(0, APPLE_NAME_BYTES));
  const inside = isApple ? TiffReader.open(note, APPLE_HEADER.length - 2, APPLE_HEADER.length) : undefined;
  if (!inside) return undefined;
  const numbers = APPLE_HDR.flatMap((tag) => {
    const number = inside.directory().entries.get(tag);
    return number?.type === TYPE.signedRational && number.count === 1
      ? [copiedField(inside, tag, number)]
      : [];
  });
  return numbers.length > 0
    ? Buffer.concat([APPLE_HEADER, writeDirectory(numbers, APPLE_HEADER.length)])
    : undefined;
}

const [IMAGE_WIDTH, IMAGE_LENGTH] = [0x0100, 0x0101];
const [PIXEL_X_DIMENSION, PIXEL_Y_DIMENSION] = [0xa002, 0xa003];
const [RELATED_WIDTH, RELATED_LENGTH] = [0x1001, 0x1002];
/** Area and position of the subject in pixels, and pixels per unit of the sensor. */
const IN_PIXELS = [0x9214, 0xa214, 0xa20e, 0xa20f];
const MAX_SHORT = 0xffff;
/** Position and length of a thumbnail, and of one that is stored as uncompressed strips. */
const [THUMBNAIL_OFFSET, THUMBNAIL_LENGTH] = [0x0201, 0x0202];
const [STRIP_OFFSETS, STRIP_BYTE_COUNTS] = [0x0111, 0x0117];

/**
 * Returns a copy of the block that describes the new pixels, without the thumbnail of others. Values are changed in place, because maker
 * notes contain offsets into the block.
 */
function updatedExif(source: Uint8Array, now: WrittenMetadata): Uint8Array {
  const bytes = Buffer.from(source);
  const reader = TiffReader.open(bytes);
  if (!reader) return bytes;
  const first = reader.directory();
  const exif = reader.subdirectory(first.entries.get(TAG.exif));
  const interoperability = reader.subdirectory(exif?.entries.get(TAG.interoperability));
  const end = isReshaped(now.reshaped) ? dropThumbnail(bytes, reader, first) : bytes.length;
  const { width, height } = now.dimensions;
  const numbers = [
    [first, TAG.orientation, now.orientation],
    [first, IMAGE_WIDTH, width],
    [first, IMAGE_LENGTH, height],
    [exif, PIXEL_X_DIMENSION, width],
    [exif, PIXEL_Y_DIMENSION, height],
    [interoperability, RELATED_WIDTH, width],
    [interoperability, RELATED_LENGTH, height],
  ] as const;
  for (const [directory, tag, value] of numbers) setNumber(bytes, reader, directory?.entries.get(tag), value);
  if (!isReshaped(now.reshaped)) return bytes;
  const stated = exifResolution(source);
  const resolution = stated && reshapedResolution(stated, now.reshaped);
  setRational(bytes, reader, first.entries.get(TAG.xResolution), resolution?.x);
  setRational(bytes, reader, first.entries.get(TAG.yResolution), resolution?.y);
  if (exif) dropEntries(bytes, reader, exif, IN_PIXELS);
  return bytes.subarray(0, end);
}

function put(bytes: Buffer, { isLittleEndian }: TiffReader, at: number, size: 2 | 4, value: number): void {
  if (isLittleEndian) bytes.writeUIntLE(value, at, size);
  else bytes.writeUIntBE(value, at, size);
}

/** Sets a number of one value; a 16-bit one becomes 32-bit if necessary. */
function setNumber(bytes: Buffer, reader: TiffReader, entry: TiffEntry | undefined, value: number): void {
  if (entry?.count !== 1) return;
  if (entry.type === TYPE.long || (entry.type === TYPE.short && value > MAX_SHORT)) {
    put(bytes, reader, entry.entryAt + 2, 2, TYPE.long);
    put(bytes, reader, entry.at, 4, value);
  } else if (entry.type === TYPE.short) {
    put(bytes, reader, entry.at, 2, value);
  }
}

/** Sets an existing rational, if there is a value. */
function setRational(bytes: Buffer, reader: TiffReader, entry: TiffEntry | undefined, value?: number): void {
  if (!entry || value === undefined) return;
  fraction(value).forEach((number, i) => put(bytes, reader, entry.at + i * 4, 4, number));
}

/** Removes entries of a directory; nothing else moves. */
function dropEntries(
  bytes: Buffer,
  reader: TiffReader,
  { start, entries, nextAt }: TiffDirectory,
  tags: readonly number[],
): void {
  if (nextAt === undefined) return;
  const dropped = tags.flatMap((tag) => entries.get(tag) ?? []).sort((a, b) => b.entryAt - a.entryAt);
  for (const { entryAt } of dropped) bytes.copyWithin(entryAt, entryAt + ENTRY_BYTES, nextAt + 4);
  // In a hostile block, the count may be part of a value that has just been changed.
  put(bytes, reader, start, 2, Math.max(0, reader.uint16(start) - dropped.length));
}

/** Unlinks the second directory, the thumbnail's, and zeroes its image. Returns the new end of the block. */
function dropThumbnail(bytes: Buffer, reader: TiffReader, { nextAt }: TiffDirectory): number {
  const second = nextAt === undefined ? 0 : reader.uint32(nextAt);
  if (nextAt === undefined || second === 0) return bytes.length;
  const { entries } = reader.directory(second);
  bytes.fill(0, nextAt, nextAt + 4);
  const number = (tag: number) => {
    const entry = entries.get(tag);
    return entry?.byteLength === 4 ? reader.uint32(entry.at) : undefined;
  };
  const start = number(THUMBNAIL_OFFSET) ?? number(STRIP_OFFSETS);
  const length = number(THUMBNAIL_LENGTH) ?? number(STRIP_BYTE_COUNTS);
  const isInside = start !== undefined && length !== undefined && start > nextAt && start < bytes.length;
  if (!isInside) return bytes.length;
  const end = start + length;
  // The thumbnail is usually last, so the block becomes shorter.
  if (end >= bytes.length) return start;
  bytes.fill(0, start, end);
  return bytes.length;
}
