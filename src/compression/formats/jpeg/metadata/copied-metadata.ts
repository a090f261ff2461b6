/** Puts what stays of an upload's metadata into a coded image: a result, or the upload without its private parts. */
import { keptBlocks } from '../../embedded-blocks';
import { labelledPacket, statesSourceType } from '../../rights';
import { isPlainSrgb } from '../../icc-profile';
import type { WrittenMetadata } from '../../reshaping';
import type { ResultPolicy } from '../../result-policy';
import { gainMapDirectory, lacksAppleHeadroom, withGainMap, withoutPrivateSegments } from '../gain-map';
import {
  APP1,
  EXIF_HEADER,
  isIcc,
  isIsoGainMap,
  isMoreXmp,
  isXmp,
  XMP_HEADER,
  type JpegSegment,
} from '../jpeg-segments';
import type { JpegStructure } from '../jpeg-structure';
import { resultMarker } from '../result-marker';
import { metadataSegment, withSegments } from '../segment-writer';
import { isJfif, mayHaveJfif, resolutionOfJpeg, withJfif } from './jfif';
import { profileSegments } from './jpeg-blocks';
import { isXmpWrong, keptDescription, sourcesIn } from './kept-segments';

interface KeptOptions extends WrittenMetadata {
  readonly isConverted?: boolean;
  readonly icc?: Uint8Array | undefined;
  /** Whether to write no more than the old file had: no new start, no index and no directory of a gain map. */
  readonly isLean?: boolean;
}

export type MetadataOptions = KeptOptions & ResultPolicy;

export function copyMetadata(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: MetadataOptions,
): Uint8Array {
  return withKeptMetadata(structure, jpeg, written, [resultMarker(jpeg, written)]);
}

/** The file begins with JFIF, or with EXIF if JFIF would change its colours, and states the resolution. */
export function withKeptMetadata(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: KeptOptions,
  more: readonly JpegSegment[],
): Uint8Array {
  const { metadata, iccProfile } = structure;
  const { keep, reshaped, isLean = false } = written;
  const { gainMap: stored } = structure.trailing;
  const gainMap = stored && keep !== 'all' ? withoutPrivateSegments(stored) : stored;
  const resolution = resolutionOfJpeg(metadata, reshaped);
  const hasJfif = mayHaveJfif(jpeg);
  const image = hasJfif && (!isLean || metadata.some(isJfif)) ? withJfif(jpeg, resolution) : jpeg;
  const sources = sourcesIn(metadata);
  const { blocks, losesXmp } = keptBlocks(sources, {
    ...written,
    isConverted: false,
    isXmpWrong: isXmpWrong(structure),
    xmp: gainMap ? gainMapDirectory(gainMap) : [],
    needsAppleHeadroom: gainMap !== undefined && lacksAppleHeadroom(gainMap),
    ...(hasJfif || isLean ? {} : { resolution, isRequired: true }),
  });
  const isOld = blocks.xmp === sources.xmp;
  const keptXmp = metadata.filter((one) => isMoreXmp(one) || (isOld && isXmp(one)));
  const oldXmp = keep === 'all' && !losesXmp ? keptXmp : [];
  const isNew = !isOld && (!isLean || statesSourceType(blocks.xmp));
  const newXmp = blocks.xmp && isNew ? [metadataSegment(APP1, XMP_HEADER, blocks.xmp)] : [];
  const oldProfile = iccProfile && isPlainSrgb(iccProfile) ? [] : metadata.filter(isIcc);
  const segments = [
    ...(blocks.exif ? [metadataSegment(APP1, EXIF_HEADER, blocks.exif)] : []),
    ...(oldXmp.length > 0 ? [...newXmp, ...oldXmp] : []),
    ...(keep === 'all' ? metadata.flatMap((one) => keptDescription(one, written)) : []),
    ...(written.isConverted ? profileSegments(written.icc) : oldProfile),
    ...(gainMap ? metadata.filter(isIsoGainMap) : []),
    ...more,
    ...(oldXmp.length > 0 ? [] : newXmp),
  ];
  if (!gainMap) return withSegments(image, segments);
  return isLean
    ? Buffer.concat([withSegments(image, segments), gainMap])
    : withGainMap(image, segments, gainMap);
}

export function keepsXmp(metadata: readonly JpegSegment[], jpeg: Uint8Array): boolean {
  const packet = labelledPacket(sourcesIn(metadata));
  return packet === undefined || Buffer.from(jpeg).includes(Buffer.from(packet));
}
