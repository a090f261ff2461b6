/**
 * Decides whether an EXIF block reveals a person, a place, a time, an individual device, or an earlier state of the image. Only
 * the tags listed here are safe; maker notes, free text and unknown tags may contain anything.
 */
import { EXIF_DIRECTORY, INTEROPERABILITY_DIRECTORY } from './exif-fields';
import { TiffReader, type TiffDirectory } from './tiff';

/** Artist and Copyright. */
const RIGHTS = new Set([0x013b, 0x8298]);

/** Returns tags that are written in hexadecimal, and more. */
function tagsIn(hexadecimal: string, ...more: readonly number[]): ReadonlySet<number> {
  return new Set([...hexadecimal.split(' ').map((tag) => parseInt(tag, 16)), ...more]);
}

/** Size, coding, resolution and colour of the image; make and model, software, date of the file. */
const IMAGE_TAGS = tagsIn(
  '0100 0101 0102 0103 0106 010f 0110 0112 0115 011a 011b 011c 0128 012d 0131 0132 013e 013f 0211 ' +
    '0212 0213 0214',
  EXIF_DIRECTORY,
);
/** Exposure, lens type and shooting mode. Excluded: the date of the image, serial numbers, owner, comments. */
const EXIF_TAGS = tagsIn(
  '829a 829d 8822 8824 8827 8830 8831 8832 8833 9000 9101 9102 9201 9202 9203 9204 9205 9206 9207 ' +
    '9208 9209 920a a000 a001 a002 a003 a20e a20f a210 a215 a217 a300 a301 a302 a401 a402 a403 a404 ' +
    'a405 a406 a407 a408 a409 a40a a40c a432 a433 a434 a460 a500',
  INTEROPERABILITY_DIRECTORY,
);
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
