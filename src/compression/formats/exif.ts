/**
 * The EXIF block of a rewritten file. Most of EXIF speaks of the camera, the place and the person, and goes. A few
 * entries say how the picture is to be shown, and stay whatever the settings are: the orientation where it has not
 * been applied to the pixels, Adobe RGB as DCF cameras declare it, and the headroom of Apple's gain maps.
 */
import type { KeptMetadata } from '../domain/compression-policy';
import type { Dimensions, Orientation } from '../domain/dimensions';
import { updatedExif } from './exif-update';
import { ORIENTATION_TAG } from './exif-orientation';
import {
  asciiField,
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
/** Longer ones are no names, and two of them might not fit into a segment beside the orientation. */
const MAX_RIGHTS_BYTES = 16 * 1024;
const MAKE = 0x010f;
const EXIF_DIRECTORY = 0x8769;
const COLOUR_SPACE = 0xa001;
const UNCALIBRATED = 0xffff;
const INTEROPERABILITY_DIRECTORY = 0xa005;
const INTEROPERABILITY_INDEX = 0x0001;
/** DCF 2.0's name for files in Adobe RGB, which need no profile. */
const DCF_OPTIONAL_COLOUR = 'R03';
const MAKER_NOTE = 0x927c;
const APPLE_HEADER = Buffer.from('Apple iOS\0\0\x01MM', 'latin1');
/** HDR headroom and HDR gain: what Apple's readers scale the gain map by. */
const APPLE_HDR = [0x21, 0x30];

export interface ShownAs {
  readonly keep: KeptMetadata;
  /** How the new pixels have to be turned. */
  readonly orientation: Orientation;
  /** Of the new pixels, as stored. */
  readonly dimensions: Dimensions;
  /** Whether one of Apple's gain maps stays that says nothing of its headroom itself. */
  readonly needsAppleHeadroom?: boolean;
}

/** @param source the old block, from its byte order on. @returns the new one; undefined when nothing is left to say. */
export function exifToKeep(source: Uint8Array | undefined, shown: ShownAs): Uint8Array | undefined {
  const reader = source && TiffReader.open(source);
  if (source && reader && shown.keep === 'all') return updatedExif(source, shown);
  const fields: TiffField[] = shown.orientation === 1 ? [] : [shortField(ORIENTATION_TAG, shown.orientation)];
  if (reader) {
    const first = reader.directory();
    if (shown.keep === 'copyright') fields.push(...rightsOf(reader, first));
    const exif = reader.subdirectory(first.entries.get(EXIF_DIRECTORY));
    if (exif) fields.push(...displayFields(reader, exif, shown));
  }
  return fields.length > 0 ? writeTiff(fields) : undefined;
}

function rightsOf(reader: TiffReader, { entries }: TiffDirectory): TiffField[] {
  return [ARTIST, COPYRIGHT].flatMap((tag) => {
    const entry = entries.get(tag);
    if (entry?.type !== TYPE.ascii || entry.byteLength > MAX_RIGHTS_BYTES) return [];
    return [{ tag, type: TYPE.ascii, value: reader.value(entry) }];
  });
}

function displayFields(reader: TiffReader, exif: TiffDirectory, shown: ShownAs): TiffField[] {
  const inside: TiffField[] = [];
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

/** A maker note of Apple's kind with nothing but the two numbers; its positions count from its own start. */
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
