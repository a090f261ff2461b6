/**
 * Decides whether an EXIF block reveals a person, a place, a time, an individual device, or an earlier state of the image. Only
 * the tags listed here are safe; maker notes, free text and unknown tags may contain anything.
 */
import { TiffReader, type TiffDirectory } from './tiff';

const EXIF_DIRECTORY = 0x8769;
const INTEROPERABILITY_DIRECTORY = 0xa005;
/** Artist and Copyright. */
const RIGHTS = new Set([0x013b, 0x8298]);

/** Size, coding, resolution and colour of the image; make and model, software, date of the file. */
const IMAGE_TAGS = new Set([
  0x0100,
  0x0101,
  0x0102,
  0x0103,
  0x0106,
  0x010f,
  0x0110,
  0x0112,
  0x0115,
  0x011a,
  0x011b,
  0x011c,
  0x0128,
  0x012d,
  0x0131,
  0x0132,
  0x013e,
  0x013f,
  0x0211,
  0x0212,
  0x0213,
  0x0214,
  EXIF_DIRECTORY,
]);
/** Exposure, lens type and shooting mode. Excluded: the date of the image, serial numbers, owner, comments. */
const EXIF_TAGS = new Set([
  0x829a,
  0x829d,
  0x8822,
  0x8824,
  0x8827,
  0x8830,
  0x8831,
  0x8832,
  0x8833,
  0x9000,
  0x9101,
  0x9102,
  0x9201,
  0x9202,
  0x9203,
  0x9204,
  0x9205,
  0x9206,
  0x9207,
  0x9208,
  0x9209,
  0x920a,
  0xa000,
  0xa001,
  0xa002,
  0xa003,
  INTEROPERABILITY_DIRECTORY,
  0xa20e,
  0xa20f,
  0xa210,
  0xa215,
  0xa217,
  0xa300,
  0xa301,
  0xa302,
  0xa401,
  0xa402,
  0xa403,
  0xa404,
  0xa405,
  0xa406,
  0xa407,
  0xa408,
  0xa409,
  0xa40a,
  0xa40c,
  0xa432,
  0xa433,
  0xa434,
  0xa460,
  0xa500,
]);
const INTEROPERABILITY_TAGS = new Set([0x0001, 0x0002, 0x1000, 0x1001, 0x1002]);

/**
 * Returns whether the block holds anything private, or is unreadable.
 * @param tiff the block, starting with its byte order
 * @param keepsRights whether author and copyright are kept
 */
export function isPrivateExif(tiff: Uint8Array, keepsRights: boolean): boolean {
  const reader = TiffReader.open(tiff);
  if (!reader) return tiff.length > 0;
  const first = reader.directory();
  const { nextAt } = first;
  // The second directory describes a thumbnail.
  if (nextAt !== undefined && reader.uint32(nextAt) !== 0) return true;
  const exif = reader.subdirectory(first.entries.get(EXIF_DIRECTORY));
  const interoperability = reader.subdirectory(exif?.entries.get(INTEROPERABILITY_DIRECTORY));
  return (
    tagsOf(first).some((tag) => !IMAGE_TAGS.has(tag) && !(keepsRights && RIGHTS.has(tag))) ||
    tagsOf(exif).some((tag) => !EXIF_TAGS.has(tag)) ||
    tagsOf(interoperability).some((tag) => !INTEROPERABILITY_TAGS.has(tag))
  );
}

function tagsOf(directory: TiffDirectory | undefined): number[] {
  return [...(directory?.entries.keys() ?? [])];
}
