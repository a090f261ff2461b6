/**
 * Updates an EXIF block to describe the rewritten file. Values are changed in place, because maker notes contain offsets
 * into the block.
 */
import type { Dimensions, Orientation } from '../domain/dimensions';
import { ORIENTATION_TAG } from './exif-orientation';
import { TiffReader, TYPE, type TiffDirectory } from './tiff';

const EXIF_DIRECTORY = 0x8769;
const IMAGE_WIDTH = 0x0100;
const IMAGE_LENGTH = 0x0101;
const PIXEL_X_DIMENSION = 0xa002;
const PIXEL_Y_DIMENSION = 0xa003;
const THUMBNAIL_OFFSET = 0x0201;
const THUMBNAIL_LENGTH = 0x0202;
/** Tags of a thumbnail that is stored as uncompressed strips. */
const STRIP_OFFSETS = 0x0111;
const STRIP_BYTE_COUNTS = 0x0117;

/** Returns a copy of the block with this orientation and these dimensions, without the embedded thumbnail. */
export function updatedExif(
  source: Uint8Array,
  now: { readonly orientation: Orientation; readonly dimensions: Dimensions },
): Uint8Array {
  const bytes = Buffer.from(source);
  const reader = TiffReader.open(bytes);
  if (!reader) return bytes;
  const first = reader.directory();
  const end = dropThumbnail(bytes, reader, first);
  const set = (directory: TiffDirectory | undefined, tag: number, value: number) =>
    setNumber(bytes, reader, directory, tag, value);
  const { width, height } = now.dimensions;
  const exif = reader.subdirectory(first.entries.get(EXIF_DIRECTORY));
  set(first, ORIENTATION_TAG, now.orientation);
  set(first, IMAGE_WIDTH, width);
  set(first, IMAGE_LENGTH, height);
  set(exif, PIXEL_X_DIMENSION, width);
  set(exif, PIXEL_Y_DIMENSION, height);
  return bytes.subarray(0, end);
}

function setNumber(
  bytes: Buffer,
  { isLittleEndian }: TiffReader,
  directory: TiffDirectory | undefined,
  tag: number,
  value: number,
): void {
  const entry = directory?.entries.get(tag);
  if (!entry) return;
  if (entry.type === TYPE.short) {
    if (isLittleEndian) bytes.writeUInt16LE(value, entry.at);
    else bytes.writeUInt16BE(value, entry.at);
  } else if (entry.type === TYPE.long && entry.byteLength === 4) {
    if (isLittleEndian) bytes.writeUInt32LE(value, entry.at);
    else bytes.writeUInt32BE(value, entry.at);
  }
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
