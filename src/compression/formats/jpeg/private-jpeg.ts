/**
 * Removes the private metadata of a JPEG without touching its coded data: position, serial numbers, names, thumbnails, XMP,
 * vendor data, and what follows the image. Density, comments and profiles are no reason to change a file.
 */
import type { Companions } from '../../domain/companion-rule';
import { keepsPart, type KeptMetadata } from '../../domain/compression-policy';
import { isPrivateExif } from '../private-exif';
import { withoutPrivateSegments } from './gain-map';
import { isNamed, withKeptMetadata } from './jpeg-metadata';
import {
  ADOBE_HEADER,
  APP0,
  APP1,
  APP12,
  APP13,
  APP14,
  APP2,
  COM,
  EXIF_HEADER,
  ISO_GAIN_MAP_HEADER,
  JFIF_HEADER,
  MPF_HEADER,
  XMP_HEADER,
} from './jpeg-markers';
import {
  isMetadata,
  readJpegHead,
  withoutLateMetadata,
  withoutSegments,
  withSegments,
  type JpegSegment,
} from './jpeg-segments';
import { isIccSegment, type JpegStructure } from './jpeg-structure';
import { withEverythingBehind } from './kept-behind';
import { isPrivatePhotoshop, PHOTOSHOP_HEADER } from './photoshop-resources';
import { isResultMarker } from './result-marker';
import { describesOnlyWhatFollows } from './xmp-directory';

/** Size of a JFIF segment without a thumbnail; its last two bytes are width and height of the thumbnail. */
const JFIF_BYTES = 14;
/** Written by Photoshop's "Save for web": the quality, and a comment. */
const DUCKY_HEADER = 'Ducky';

interface Cleaning {
  readonly keep: Exclude<KeptMetadata, 'all'>;
  /** What the file keeps of the data after its image; absent if all of it stays as it is. */
  readonly companions?: Companions;
}

/**
 * Returns the file without private metadata, no larger than it was; undefined if it has none. Whatever else a rewrite removes goes along;
 * orientation, colours and gain map stay as in any rewritten file.
 */
export function withoutPrivateMetadata(
  bytes: Uint8Array,
  structure: JpegStructure,
  { keep, companions }: Cleaning,
): Uint8Array | undefined {
  const { orientation, storedSize, metadata, end } = structure;
  const written = { keep, orientation, dimensions: storedSize };
  const bare = bareImage(bytes.subarray(0, end), structure);
  const behind = bytes.subarray(end);
  const more = metadata.filter(isResultMarker);
  const clean = companions
    ? withKeptMetadata({ ...structure, companions }, bare, written, more)
    : withEverythingBehind(structure, bare, written, { more, behind });
  const gainMap = companions?.gainMap ?? Buffer.alloc(0);
  // The segments of the map that stay are needed to show it.
  const settled = [clean, withoutPrivateSegments(gainMap)].flatMap((jpeg) => readJpegHead(jpeg).segments);
  const isSettled = ({ payload }: JpegSegment) =>
    settled.some((other) => Buffer.compare(other.payload, payload) === 0);
  const isPrivate =
    structure.hasLateMetadata ||
    (companions !== undefined && hasMoreBehind(behind, gainMap)) ||
    [...metadata, ...readJpegHead(gainMap).segments.filter(({ marker }) => isMetadata(marker))].some(
      (segment) => isPrivateSegment(segment, keep) && !isSettled(segment),
    );
  if (!isPrivate) return undefined;
  if (clean.length <= bytes.length) return clean;
  // The index and the directory of a gain map that had none. The file may not grow, and readers did without them before.
  const bareMap = withEverythingBehind(structure, bare, written, {
    more,
    behind: withoutPrivateSegments(gainMap),
  });
  return bareMap.length < bytes.length ? bareMap : undefined;
}

/** Returns the image with only its density and Adobe's marker, which tell decoders what the samples mean. */
function bareImage(image: Uint8Array, { metadata, hasLateMetadata }: JpegStructure): Uint8Array {
  const early = hasLateMetadata ? withoutLateMetadata(image) : image;
  const jfif = metadata.find(isJfif);
  const bare = withoutSegments(early, (segment) => isMetadata(segment.marker) && !isAdobe(segment));
  return jfif ? withSegments(bare, [{ marker: APP0, payload: withoutThumbnail(jfif.payload) }]) : bare;
}

function withoutThumbnail(jfif: Uint8Array): Uint8Array {
  return Buffer.concat([jfif.subarray(0, JFIF_BYTES - 2), Buffer.alloc(2)]);
}

/** Returns whether the file goes on after the image with anything but padding and the gain map that it keeps. */
function hasMoreBehind(behind: Uint8Array, gainMap: Uint8Array): boolean {
  const from = behind.findIndex((byte) => byte !== 0);
  const data =
    from < 0 ? Buffer.alloc(0) : behind.subarray(from, behind.findLastIndex((byte) => byte !== 0) + 1);
  return Buffer.compare(data, gainMap) !== 0;
}

/** Unknown segments are private: they may say anything. */
function isPrivateSegment(segment: JpegSegment, keep: Cleaning['keep']): boolean {
  const { marker, payload } = segment;
  const keepsRights = keepsPart(keep, 'copyright');
  if (marker === COM || payload.length === 0) return false;
  if (isJfif(segment)) return payload.length > JFIF_BYTES;
  if (isNamed(marker, payload, APP1, EXIF_HEADER))
    return isPrivateExif(payload.subarray(EXIF_HEADER.length), keepsRights);
  if (isNamed(marker, payload, APP1, XMP_HEADER)) return !describesOnlyWhatFollows(payload);
  if (isNamed(marker, payload, APP13, PHOTOSHOP_HEADER)) return isPrivatePhotoshop(payload, keepsRights);
  const isHarmless =
    isAdobe(segment) ||
    isIccSegment(segment) ||
    isNamed(marker, payload, APP2, MPF_HEADER) ||
    isNamed(marker, payload, APP2, ISO_GAIN_MAP_HEADER) ||
    isNamed(marker, payload, APP12, DUCKY_HEADER);
  return !isHarmless;
}

function isJfif({ marker, payload }: JpegSegment): boolean {
  return isNamed(marker, payload, APP0, JFIF_HEADER) && payload.length >= JFIF_BYTES;
}

function isAdobe({ marker, payload }: JpegSegment): boolean {
  return isNamed(marker, payload, APP14, ADOBE_HEADER);
}
