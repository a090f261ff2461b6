/**
 * Removes the private metadata of a JPEG without touching its coded data: position, serial numbers, names, thumbnails, XMP, vendor
 * data, and data after the image. Resolution, comments and profiles alone are no reason to change a file.
 */
import { type Companions, keepsPart, type KeptMetadata } from '../../domain/compression-policy';
import { isPrivateExif } from '../private-exif';
import { saysSomething } from '../reshaping';
import { withoutPrivateSegments } from './jpeg-companions';
import {
  JFIF_BYTES,
  isJfif,
  mayHaveJfif,
  resolutionOfJpeg,
  withJfif,
  withSegments,
  withoutLateMetadata,
  withoutSegments,
} from './segment-writer';
import {
  APP0,
  APP12,
  APP13,
  APP2,
  COM,
  EXIF_HEADER,
  ISO_GAIN_MAP_HEADER,
  MPF_HEADER,
  exifOf,
  isAdobe,
  isExif,
  isIcc,
  isMetadata,
  isNamed,
  isXmp,
  readJpegHead,
  type JpegSegment,
} from './jpeg-segments';
import { keptSegments, withKeptMetadata, type KeptOptions } from './jpeg-metadata';
import type { JpegStructure } from './jpeg-structure';
import { withEverythingBehind, describesOnlyWhatFollows } from './kept-behind';
import { isPrivatePhotoshop, PHOTOSHOP_HEADER } from './photoshop-resources';
import { isResultMarker } from './result-marker';

/** From Photoshop's "Save for web": the quality, and a comment. */
const DUCKY_HEADER = 'Ducky';

interface Cleaning {
  readonly keep: Exclude<KeptMetadata, 'all'>;
  /** The kept data after the image; absent if all of them stay unchanged. */
  readonly companions?: Companions;
}

/**
 * Returns the file without private metadata, no larger than before; undefined if it has none. Everything else that a rewrite removes
 * is removed too; orientation, colours and gain map stay, as in any rewritten file.
 */
export function withoutPrivateMetadata(
  bytes: Uint8Array,
  structure: JpegStructure,
  { keep, companions }: Cleaning,
): Uint8Array | undefined {
  const { metadata, end } = structure;
  const { bare, written } = begun(bytes.subarray(0, end), structure, keep);
  const behind = bytes.subarray(end);
  const more = metadata.filter(isResultMarker);
  const clean = companions
    ? withKeptMetadata({ ...structure, companions }, bare, written, more)
    : withEverythingBehind(structure, bare, written, { more, behind });
  const gainMap = companions?.gainMap ?? Buffer.alloc(0);
  // The remaining segments of the map are needed to show it.
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
  // The file must not grow, so omit a new start, and the index and directory that it never had.
  const { orientation, storedSize: dimensions } = structure;
  const least = { keep, orientation, dimensions };
  const bareMap = withEverythingBehind(structure, bareImage(bytes.subarray(0, end), structure), least, {
    more,
    behind: companions ? withoutPrivateSegments(gainMap) : behind,
  });
  return bareMap.length < bytes.length ? bareMap : undefined;
}

/**
 * Returns the image with only its resolution and Adobe's marker, which decoders need to interpret the samples, and how to write the
 * other metadata. It begins as before; if that was an EXIF that is removed or states a resolution, with JFIF or a new EXIF.
 */
function begun(image: Uint8Array, structure: JpegStructure, keep: Cleaning['keep']) {
  const { metadata, orientation, storedSize: dimensions } = structure;
  const bare = bareImage(image, structure);
  const written: KeptOptions = { keep, orientation, dimensions };
  const resolution = resolutionOfJpeg(metadata);
  const isStated = exifOf(metadata) !== undefined && resolution !== undefined && saysSomething(resolution);
  if (metadata.some(isJfif)) return { bare: isStated ? withJfif(bare, resolution) : bare, written };
  const [first] = structure.segments;
  const keepsExif = keptSegments(structure, written).some(isExif);
  if (!isStated && (keepsExif || !isExif(first))) return { bare, written };
  return mayHaveJfif(bare)
    ? { bare: withJfif(bare, resolution), written }
    : { bare, written: { ...written, stated: { resolution } } };
}

function bareImage(image: Uint8Array, { metadata, hasLateMetadata }: JpegStructure): Uint8Array {
  const early = hasLateMetadata ? withoutLateMetadata(image) : image;
  const jfif = metadata.find(isJfif);
  const bare = withoutSegments(early, (segment) => isMetadata(segment.marker) && !isAdobe(segment));
  return jfif ? withSegments(bare, [{ marker: APP0, payload: withoutThumbnail(jfif.payload) }]) : bare;
}

function withoutThumbnail(jfif: Uint8Array): Uint8Array {
  return Buffer.concat([jfif.subarray(0, JFIF_BYTES - 2), Buffer.alloc(2)]);
}

/** Returns whether anything but padding and the kept gain map follows the image. A map that lacks its end includes the padding. */
function hasMoreBehind(behind: Uint8Array, gainMap: Uint8Array): boolean {
  const from = behind.findIndex((byte) => byte !== 0);
  return Buffer.compare(withoutZeros(behind.subarray(Math.max(0, from))), withoutZeros(gainMap)) !== 0;
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

/** Unknown segments are private: they may contain anything. */
function isPrivateSegment(segment: JpegSegment, keep: Cleaning['keep']): boolean {
  const { marker, payload } = segment;
  const keepsRights = keepsPart(keep, 'copyright');
  if (marker === COM || payload.length === 0) return false;
  if (isJfif(segment)) return payload.length > JFIF_BYTES;
  if (isExif(segment)) return isPrivateExif(payload.subarray(EXIF_HEADER.length), keepsRights);
  if (isXmp(segment)) return !describesOnlyWhatFollows(payload);
  if (isNamed(segment, APP13, PHOTOSHOP_HEADER)) return isPrivatePhotoshop(payload, keepsRights);
  const isHarmless =
    isAdobe(segment) ||
    isIcc(segment) ||
    isNamed(segment, APP2, MPF_HEADER) ||
    isNamed(segment, APP2, ISO_GAIN_MAP_HEADER) ||
    isNamed(segment, APP12, DUCKY_HEADER);
  return !isHarmless;
}
