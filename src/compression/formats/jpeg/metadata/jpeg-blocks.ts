/** The metadata of a JPEG as the blocks that other formats hold too, and such blocks as segments of a JPEG. */
import { convertedBlocks, type ConvertedBlocks, type EmbeddedBlocks } from '../../embedded-blocks';
import type { WrittenMetadata } from '../../reshaping';
import {
  APP1,
  APP2,
  EXIF_HEADER,
  ICC_HEADER,
  isMoreXmp,
  XMP_HEADER,
  type JpegSegment,
} from '../jpeg-segments';
import { metadataSegment, withSegments } from '../segment-writer';
import { resolutionOfJpeg, withJfif } from './jfif';
import { describesTrailingData, isDescription, sourcesIn } from './kept-segments';

const MAX_PAYLOAD_BYTES = 65_533;
/** Longest EXIF or XMP block that is sure to fit into a segment. */
export const MAX_BLOCK_BYTES = MAX_PAYLOAD_BYTES - XMP_HEADER.length;
/** Bytes of a profile in one segment, after the header, the number of the part and the count of parts (ICC.1:2022, B.4). */
const PROFILE_PART_BYTES = MAX_PAYLOAD_BYTES - ICC_HEADER.length - 2;

export function jpegBlocks(metadata: readonly JpegSegment[], written: WrittenMetadata): ConvertedBlocks {
  return convertedBlocks(sourcesIn(metadata), {
    ...written,
    resolution: resolutionOfJpeg(metadata, written.reshaped),
    isXmpWrong: describesTrailingData(metadata),
    hasMore: metadata.some((one) => isDescription(one) || isMoreXmp(one)),
  });
}

/** Leaves out a block that no segment can hold. */
export function jpegWithBlocks(
  jpeg: Uint8Array,
  { icc, exif, xmp, resolution }: EmbeddedBlocks,
  more: readonly JpegSegment[] = [],
): Uint8Array {
  const segments = [
    ...(fits(exif) ? [metadataSegment(APP1, EXIF_HEADER, exif)] : []),
    ...(fits(xmp) ? [metadataSegment(APP1, XMP_HEADER, xmp)] : []),
    ...profileSegments(icc),
    ...more,
  ];
  return withSegments(withJfif(jpeg, resolution), segments);
}

function fits(block: Uint8Array | undefined): block is Uint8Array {
  return block !== undefined && block.length <= MAX_BLOCK_BYTES;
}

export function profileSegments(icc?: Uint8Array): JpegSegment[] {
  if (!icc) return [];
  const count = Math.ceil(icc.length / PROFILE_PART_BYTES);
  return Array.from({ length: count }, (_, i) => {
    const part = icc.subarray(i * PROFILE_PART_BYTES, (i + 1) * PROFILE_PART_BYTES);
    return metadataSegment(APP2, ICC_HEADER, Buffer.concat([Buffer.of(i + 1, count), part]));
  });
}
