/** Metadata blocks of a JPEG that is converted to or from another format. */
import { withCarriedTexts } from '../carried-texts';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { exifToKeep } from '../exif';
import { saysSomething, type WrittenMetadata } from '../reshaping';
import { xmpToKeep } from '../xmp-parts';
import { iptcTexts, PHOTOSHOP_HEADER } from './photoshop-resources';
import { resolutionOfJpeg, withJfif, withSegments } from './segment-writer';
import {
  APP1,
  APP13,
  APP2,
  EXIF_HEADER,
  ICC_HEADER,
  XMP_HEADER,
  exifOf,
  isNamed,
  xmpOf,
  type JpegSegment,
} from './jpeg-segments';

/** Continuation segments of a packet that one segment cannot hold (Adobe XMP, part 3). */
const MORE_XMP_HEADER = 'http://ns.adobe.com/xmp/extension/\0';
/** Largest segment after its length field, in bytes. */
export const MAX_PAYLOAD_BYTES = 65_533;
/** Longest EXIF or XMP block that is sure to fit into a segment. */
export const MAX_BLOCK_BYTES = MAX_PAYLOAD_BYTES - XMP_HEADER.length;
/** Bytes of a profile in one segment (ICC.1:2022, B.4), after the header, the number of the part and the count of parts. */
const PROFILE_PART_BYTES = MAX_PAYLOAD_BYTES - ICC_HEADER.length - 2;

/**
 * Returns a newly encoded JPEG with JFIF, these blocks and further segments. Leaves out a block that no segment can hold; splits a
 * profile.
 */
export function jpegWithBlocks(
  jpeg: Uint8Array,
  { icc, exif, xmp, resolution }: EmbeddedBlocks,
  more: readonly JpegSegment[] = [],
): Uint8Array {
  const segments = [
    ...(fits(exif) ? [segment(APP1, EXIF_HEADER, exif)] : []),
    ...(fits(xmp) ? [segment(APP1, XMP_HEADER, xmp)] : []),
    ...profileSegments(icc),
    ...more,
  ];
  return withSegments(withJfif(jpeg, resolution), segments);
}

function fits(block: Uint8Array | undefined): block is Uint8Array {
  return block !== undefined && block.length <= MAX_BLOCK_BYTES;
}

/** Returns the segments of a profile, if there is one. */
export function profileSegments(icc?: Uint8Array): JpegSegment[] {
  if (!icc) return [];
  const count = Math.ceil(icc.length / PROFILE_PART_BYTES);
  return Array.from({ length: count }, (_, i) => {
    const part = icc.subarray(i * PROFILE_PART_BYTES, (i + 1) * PROFILE_PART_BYTES);
    return segment(APP2, ICC_HEADER, Buffer.concat([Buffer.of(i + 1, count), part]));
  });
}

function segment(marker: number, header: string, block: Uint8Array): JpegSegment {
  return { marker, payload: Buffer.concat([Buffer.from(header, 'latin1'), block]) };
}

/** Returns the metadata that the image keeps in another format, and whether they are complete. */
export function jpegBlocks(metadata: readonly JpegSegment[], written: WrittenMetadata) {
  const resolution = resolutionOfJpeg(metadata, written.reshaped);
  const exif = exifToKeep(exifOf(metadata), { ...written, resolution });
  const packet = xmpOf(metadata);
  const xmp = packet && xmpToKeep(packet, written);
  const blocks = {
    ...(exif ? { exif } : {}),
    ...(xmp ? { xmp } : {}),
    ...(resolution && saysSomething(resolution) ? { resolution } : {}),
  };
  const iptc = metadata
    .filter((one) => isNamed(one, APP13, PHOTOSHOP_HEADER))
    .map(({ payload }) => iptcTexts(payload, written.keep));
  const hasMoreXmp = written.keep === 'all' && metadata.some((one) => isNamed(one, APP1, MORE_XMP_HEADER));
  return withCarriedTexts(blocks, {
    texts: iptc.flatMap(({ texts }) => texts),
    hasMore: hasMoreXmp || iptc.some(({ hasMore }) => hasMore),
  });
}
