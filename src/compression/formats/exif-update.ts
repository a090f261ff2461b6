/** Updates an EXIF block to describe the rewritten file. Values are changed in place: maker notes contain offsets into the block. */
import {
  EXIF_DIRECTORY,
  INTEROPERABILITY_DIRECTORY,
  ORIENTATION_TAG,
  exifResolution,
  rationalOf,
  X_RESOLUTION,
  Y_RESOLUTION,
} from './exif-fields';
import { reshapedResolution, isReshaped, type Reshaping, type WrittenMetadata } from './reshaping';
import { ENTRY_BYTES, rational, TiffReader, TYPE, type TiffDirectory, type TiffEntry } from './tiff';

const IMAGE_WIDTH = 0x0100;
const IMAGE_LENGTH = 0x0101;
const PIXEL_X_DIMENSION = 0xa002;
const PIXEL_Y_DIMENSION = 0xa003;
const RELATED_WIDTH = 0x1001;
const RELATED_LENGTH = 0x1002;
/** Pixels per unit of the sensor, across and down. */
const FOCAL_PLANE_RESOLUTION = [0xa20e, 0xa20f] as const;
/** Area and position of the subject, in pixels. */
const SUBJECT = [0x9214, 0xa214];
const MAX_SHORT = 0xffff;
const THUMBNAIL_OFFSET = 0x0201;
const THUMBNAIL_LENGTH = 0x0202;
/** Tags of a thumbnail stored as uncompressed strips. */
const STRIP_OFFSETS = 0x0111;
const STRIP_BYTE_COUNTS = 0x0117;

/** Returns a copy of the block that describes the new pixels, without the embedded thumbnail. */
export function updatedExif(source: Uint8Array, now: Omit<WrittenMetadata, 'keep'>): Uint8Array {
  const bytes = Buffer.from(source);
  const reader = TiffReader.open(bytes);
  if (!reader) return bytes;
  const first = reader.directory();
  const end = dropThumbnail(bytes, reader, first);
  const set = (directory: TiffDirectory | undefined, tag: number, value: number) =>
    setNumber(bytes, reader, directory?.entries.get(tag), value);
  const { width, height } = now.dimensions;
  const exif = reader.subdirectory(first.entries.get(EXIF_DIRECTORY));
  const interoperability = reader.subdirectory(exif?.entries.get(INTEROPERABILITY_DIRECTORY));
  set(first, ORIENTATION_TAG, now.orientation);
  set(first, IMAGE_WIDTH, width);
  set(first, IMAGE_LENGTH, height);
  set(exif, PIXEL_X_DIMENSION, width);
  set(exif, PIXEL_Y_DIMENSION, height);
  set(interoperability, RELATED_WIDTH, width);
  set(interoperability, RELATED_LENGTH, height);
  if (now.reshaped && isReshaped(now.reshaped)) {
    reshapeResolutions(bytes, reader, { first, exif }, now.reshaped);
    if (exif) dropEntries(bytes, reader, exif, SUBJECT);
  }
  return bytes.subarray(0, end);
}

function reshapeResolutions(
  bytes: Buffer,
  reader: TiffReader,
  { first, exif }: { readonly first: TiffDirectory; readonly exif: TiffDirectory | undefined },
  reshaped: Reshaping,
): void {
  const stated = exifResolution(bytes);
  if (stated) {
    const { x, y } = reshapedResolution(stated, reshaped);
    setRational(bytes, reader, first.entries.get(X_RESOLUTION), x);
    setRational(bytes, reader, first.entries.get(Y_RESOLUTION), y);
  }
  const [across, down] = FOCAL_PLANE_RESOLUTION;
  const [x, y] = FOCAL_PLANE_RESOLUTION.map((tag) => exif && rationalOf(reader, exif, tag));
  if (!exif || !x || !y) return;
  const { applied, scale } = reshaped;
  setRational(bytes, reader, exif.entries.get(across), (applied >= 5 ? y : x) * scale);
  setRational(bytes, reader, exif.entries.get(down), (applied >= 5 ? x : y) * scale);
}

/** Sets a number of one value; a 16-bit one becomes 32-bit if necessary. */
function setNumber(
  bytes: Buffer,
  { isLittleEndian }: TiffReader,
  entry: TiffEntry | undefined,
  value: number,
): void {
  if (entry?.count !== 1) return;
  const write = (number: number, at: number, size: number) =>
    isLittleEndian ? bytes.writeUIntLE(number, at, size) : bytes.writeUIntBE(number, at, size);
  if (entry.type === TYPE.long || (entry.type === TYPE.short && value > MAX_SHORT)) {
    write(TYPE.long, entry.entryAt + 2, 2);
    write(value, entry.at, 4);
  } else if (entry.type === TYPE.short) {
    write(value, entry.at, 2);
  }
}

/** Sets an existing rational. */
function setRational(
  bytes: Buffer,
  { isLittleEndian }: TiffReader,
  entry: TiffEntry | undefined,
  value: number,
): void {
  if (!entry) return;
  const written = Buffer.from(rational(value));
  bytes.set(isLittleEndian ? written.swap32() : written, entry.at);
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
  const count = Math.max(0, reader.uint16(start) - dropped.length);
  if (reader.isLittleEndian) bytes.writeUInt16LE(count, start);
  else bytes.writeUInt16BE(count, start);
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
