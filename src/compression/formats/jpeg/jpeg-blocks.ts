/** Metadata blocks of a JPEG that is made from an image of another format, and of a JPEG that becomes one. */
import type { KeptMetadata } from '../../domain/compression-policy';
import type { Dimensions } from '../../domain/dimensions';
import { text } from '../byte-reader';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { exifToKeep } from '../exif';
import { xmpToKeep } from '../xmp-parts';
import { APP1, APP2, EXIF_HEADER, ICC_HEADER, XMP_HEADER } from './jpeg-markers';
import { withSegments, type JpegSegment } from './jpeg-segments';
import { exifOf } from './jpeg-structure';

/** Most bytes of a segment after its length field. */
const MAX_PAYLOAD_BYTES = 65_533;
/** Bytes of a profile in one segment (ICC.1:2022, B.4): the header is followed by the number and the count of parts. */
const PROFILE_PART_BYTES = MAX_PAYLOAD_BYTES - ICC_HEADER.length - 2;

/** Returns the JPEG with these blocks. A block that no segment can hold is left out; a profile is split. */
export function jpegWithBlocks(jpeg: Uint8Array, { icc, exif, xmp }: EmbeddedBlocks): Uint8Array {
  const segments = [
    ...(exif ? [segment(APP1, EXIF_HEADER, exif)] : []),
    ...(xmp ? [segment(APP1, XMP_HEADER, xmp)] : []),
    ...profileSegments(icc),
  ].filter(({ payload }) => payload.length <= MAX_PAYLOAD_BYTES);
  return withSegments(jpeg, segments);
}

/** Returns the segments of a profile; none if there is none. */
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

/** Returns the EXIF and XMP blocks of a JPEG that its image keeps in another format, upright and at a new size. */
export function jpegBlocks(
  metadata: readonly JpegSegment[],
  written: { readonly keep: KeptMetadata; readonly dimensions: Dimensions },
): EmbeddedBlocks {
  const now = { ...written, orientation: 1 as const };
  const exif = exifToKeep(exifOf(metadata), now);
  const xmp = metadata.find(
    ({ marker, payload }) => marker === APP1 && text(payload, 0, XMP_HEADER.length) === XMP_HEADER,
  );
  const packet = xmp && xmpToKeep(xmp.payload.subarray(XMP_HEADER.length), now);
  return { ...(exif ? { exif } : {}), ...(packet ? { xmp: packet } : {}) };
}
