/**
 * The EXIF block of a rewritten file. Most of EXIF describes the camera, the place and the person, and is removed; the requested
 * parts are copied. Entries that determine how the image is displayed always stay: an orientation that was not applied to
 * the pixels, Adobe RGB as declared by DCF cameras, and the headroom of Apple's gain maps.
 */
import { keepsPart, type MetadataPart } from '../domain/compression-policy';
import { EXIF_DIRECTORY, INTEROPERABILITY_DIRECTORY, resolutionFields, ORIENTATION_TAG } from './exif-fields';
import { updatedExif } from './exif-update';
import { saysSomething, type Resolution, type WrittenMetadata } from './reshaping';
import {
  asciiField,
  copiedField,
  shortField,
  TiffReader,
  TYPE,
  writeDirectory,
  writeTiff,
  type TiffDirectory,
  type TiffField,
} from './tiff';

const ARTIST = 0x013b;
const COPYRIGHT = 0x8298;
/** Longer values are not names, and two of them might not fit into a segment. */
const MAX_RIGHTS_BYTES = 16 * 1024;
/** When the image was taken and digitized: date and time, offset from UTC, fractions of a second. */
const CREATION = [0x9003, 0x9004, 0x9011, 0x9012, 0x9291, 0x9292];
const MAX_DATE_BYTES = 64;
const GPS_DIRECTORY = 0x8825;
/** Time and date of a position: they belong to the time, not to the place. */
const GPS_TIME = [0x07, 0x1d];
const LAST_GPS_TAG = 0x1f;
const MAX_GPS_BYTES = 1024;
const MAKE = 0x010f;
const COLOUR_SPACE = 0xa001;
const UNCALIBRATED = 0xffff;
const INTEROPERABILITY_INDEX = 0x0001;
/** DCF 2.0 declares Adobe RGB without a profile by this value. */
const DCF_OPTIONAL_COLOUR = 'R03';
const MAKER_NOTE = 0x927c;
const APPLE_HEADER = Buffer.from('Apple iOS\0\0\x01MM', 'latin1');
/** HDR headroom and HDR gain; Apple's software scales the gain map by them. */
const APPLE_HDR = [0x21, 0x30];

export interface ExifOptions extends WrittenMetadata {
  /** Whether the file keeps an Apple gain map that does not state its headroom. */
  readonly needsAppleHeadroom?: boolean;
  /** Resolution of the new pixels, for files that can state it only in EXIF. */
  readonly resolution?: Resolution | undefined;
  /** Whether the file must have a block, because readers would not recognise any other start. */
  readonly isRequired?: boolean;
}

/**
 * Returns the EXIF block of the new file; undefined if nothing is left. It is no longer than the old one, apart from a resolution.
 * @param source the old block, starting with its byte order
 */
export function exifToKeep(source: Uint8Array | undefined, shown: ExifOptions): Uint8Array | undefined {
  const reader = source && TiffReader.open(source);
  if (source && reader && shown.keep === 'all') return updatedExif(source, shown);
  const fields: TiffField[] = shown.orientation === 1 ? [] : [shortField(ORIENTATION_TAG, shown.orientation)];
  if (reader) {
    const first = reader.directory();
    const keeps = (part: MetadataPart) => keepsPart(shown.keep, part);
    if (keeps('copyright')) fields.push(...rightsOf(reader, first));
    if (keeps('location')) fields.push(...positionOf(reader, first, keeps('creation')));
    const exif = reader.subdirectory(first.entries.get(EXIF_DIRECTORY));
    if (exif) fields.push(...exifFields(reader, exif, shown));
  }
  const { resolution, isRequired = false } = shown;
  const isStated = resolution && saysSomething(resolution) && (fields.length > 0 || isRequired);
  const stated = isStated ? resolutionFields(resolution) : [];
  // A directory needs at least one entry.
  const least = isRequired && fields.length === 0 && !isStated ? [shortField(ORIENTATION_TAG, 1)] : [];
  if (!source || shown.keep === 'none') return blockOf([...fields, ...stated, ...least]);
  // In a hostile block, many entries share one long value; the copy repeats it for each.
  const isGrown = (blockOf(fields)?.length ?? 0) > source.length;
  return isGrown ? exifToKeep(source, { ...shown, keep: 'none' }) : blockOf([...fields, ...stated, ...least]);
}

function blockOf(fields: readonly TiffField[]): Uint8Array | undefined {
  return fields.length > 0 ? writeTiff(fields) : undefined;
}

function rightsOf(reader: TiffReader, { entries }: TiffDirectory): TiffField[] {
  return [ARTIST, COPYRIGHT].flatMap((tag) => {
    const entry = entries.get(tag);
    if (entry?.type !== TYPE.ascii || entry.byteLength > MAX_RIGHTS_BYTES) return [];
    return [{ tag, type: TYPE.ascii, value: reader.value(entry) }];
  });
}

/** Returns the values of Artist and Copyright, each terminated by a zero. */
export function exifRights(tiff: Uint8Array): Uint8Array[] {
  const reader = TiffReader.open(tiff);
  return reader
    ? rightsOf(reader, reader.directory()).flatMap((field) => ('value' in field ? field.value : []))
    : [];
}

function positionOf(reader: TiffReader, { entries }: TiffDirectory, keepsTime: boolean): TiffField[] {
  const position = reader.subdirectory(entries.get(GPS_DIRECTORY));
  const fields = [...(position?.entries ?? [])]
    .filter(([tag]) => tag <= LAST_GPS_TAG && (keepsTime || !GPS_TIME.includes(tag)))
    .filter(([, { byteLength }]) => byteLength > 0 && byteLength <= MAX_GPS_BYTES)
    .map(([tag, entry]) => copiedField(reader, tag, entry));
  return fields.length > 0 ? [{ tag: GPS_DIRECTORY, directory: fields }] : [];
}

function creationOf(reader: TiffReader, { entries }: TiffDirectory): TiffField[] {
  return CREATION.flatMap((tag) => {
    const entry = entries.get(tag);
    if (entry?.type !== TYPE.ascii || entry.byteLength > MAX_DATE_BYTES) return [];
    return [copiedField(reader, tag, entry)];
  });
}

function exifFields(reader: TiffReader, exif: TiffDirectory, shown: ExifOptions): TiffField[] {
  const inside = keepsPart(shown.keep, 'creation') ? creationOf(reader, exif) : [];
  if (isDcfAdobeRgb(reader, exif)) {
    inside.push(shortField(COLOUR_SPACE, UNCALIBRATED), {
      tag: INTEROPERABILITY_DIRECTORY,
      directory: [asciiField(INTEROPERABILITY_INDEX, DCF_OPTIONAL_COLOUR)],
    });
  }
  const note = shown.needsAppleHeadroom ? appleHeadroomNote(reader, exif) : undefined;
  if (note) inside.push({ tag: MAKER_NOTE, type: TYPE.undefined, value: note });
  if (inside.length === 0) return [];
  const directory: TiffField = { tag: EXIF_DIRECTORY, directory: inside };
  return note ? [asciiField(MAKE, 'Apple'), directory] : [directory];
}

function isDcfAdobeRgb(reader: TiffReader, { entries }: TiffDirectory): boolean {
  const index = reader
    .subdirectory(entries.get(INTEROPERABILITY_DIRECTORY))
    ?.entries.get(INTEROPERABILITY_INDEX);
  return index !== undefined && Buffer.from(reader.value(index)).toString('latin1').startsWith('R03');
}

/** Returns an Apple maker note with only these two numbers. Its offsets are relative to the note. */
function appleHeadroomNote(reader: TiffReader, { entries }: TiffDirectory): Uint8Array | undefined {
  const entry = entries.get(MAKER_NOTE);
  if (!entry) return undefined;
  const note = reader.value(entry);
  const apple = Buffer.from(note).subarray(0, 9).equals(APPLE_HEADER.subarray(0, 9));
  const inside = apple ? TiffReader.open(note, APPLE_HEADER.length - 2, APPLE_HEADER.length) : undefined;
  if (!inside) return undefined;
  const numbers = APPLE_HDR.flatMap((tag) => {
    const number = inside.directory().entries.get(tag);
    if (number?.type !== TYPE.signedRational || number.count !== 1) return [];
    const value = Buffer.alloc(8);
    value.writeUInt32BE(inside.uint32(number.at), 0);
    value.writeUInt32BE(inside.uint32(number.at + 4), 4);
    return [{ tag, type: TYPE.signedRational, value }];
  });
  return numbers.length > 0
    ? Buffer.concat([APPLE_HEADER, writeDirectory(numbers, APPLE_HEADER.length)])
    : undefined;
}
