/** Rewrites a file that stays as it is without the metadata that the policy does not keep. */
import type { KeptMetadata } from '../../../domain/compression-policy';
import { holdsMoreThan } from '../../exif';
import { statesOnlySourceType } from '../../rights';
import { isGainMapDirectory, withoutPrivateSegments } from '../gain-map';
import {
  EXIF_HEADER,
  isAdobe,
  isExif,
  isIcc,
  isMetadata,
  isXmp,
  XMP_HEADER,
  type JpegSegment,
} from '../jpeg-segments';
import type { JpegStructure } from '../jpeg-structure';
import { isResultMarker } from '../result-marker';
import { withoutLateMetadata, withoutSegments } from '../segment-writer';
import { withKeptMetadata } from './copied-metadata';
import { isJfif, JFIF_BYTES, mayHaveJfif } from './jfif';
import { isOfGainMap } from './kept-segments';

/** Undefined if the file holds no metadata to remove, or the copy would be larger. */
export function withoutForeignMetadata(
  bytes: Uint8Array,
  structure: JpegStructure,
  keep: KeptMetadata,
): Uint8Array | undefined {
  const { metadata, end, orientation, storedSize: dimensions, hasLateMetadata } = structure;
  const image = hasLateMetadata ? withoutLateMetadata(bytes.subarray(0, end)) : bytes.subarray(0, end);
  const mayStart = mayHaveJfif(image);
  const bare = withoutSegments(
    image,
    (one) => isMetadata(one.marker) && !isAdobe(one) && !(mayStart && isJfif(one)),
  );
  const more = metadata.filter(isResultMarker);
  const makeCopy = (isLean: boolean) =>
    withKeptMetadata(structure, bare, { keep, orientation, dimensions, isLean }, more);
  const full = makeCopy(false);
  const copy = full.length <= bytes.length ? full : makeCopy(true);
  if (copy.length > bytes.length || Buffer.compare(copy, bytes) === 0) return undefined;
  const { gainMap = new Uint8Array() } = structure.trailing;
  const holdsMetadata =
    hasLateMetadata ||
    withoutPrivateSegments(gainMap).length < gainMap.length ||
    hasMoreBehind(bytes.subarray(end), gainMap) ||
    metadata.some((one) => isForeign(one, keep, gainMap.length > 0));
  return holdsMetadata ? copy : undefined;
}

/** A map that lacks its end includes the padding. */
function hasMoreBehind(behind: Uint8Array, gainMap: Uint8Array) {
  const from = behind.findIndex((byte) => byte !== 0);
  return Buffer.compare(withoutZeros(behind.subarray(Math.max(0, from))), withoutZeros(gainMap)) !== 0;
}

function withoutZeros(bytes: Uint8Array) {
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

function isForeign(one: JpegSegment, keep: KeptMetadata, hasGainMap: boolean) {
  const { payload } = one;
  if (isJfif(one)) return payload.length > JFIF_BYTES;
  if (isExif(one)) return holdsMoreThan(keep, payload.subarray(EXIF_HEADER.length));
  if (isOfGainMap(one)) return !hasGainMap;
  if (isXmp(one)) {
    const packet = payload.subarray(XMP_HEADER.length);
    return !(hasGainMap ? isGainMapDirectory(packet) : statesOnlySourceType(packet));
  }
  return !isAdobe(one) && !isIcc(one) && !isResultMarker(one);
}
