import type { Orientation } from '../../src/compression/domain/dimensions';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import type { JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { shortField, writeTiff } from '../../src/compression/formats/tiff';

/** Bytes of a profile that fit into one APP2 segment after its header: 65533 − 12 − 2 (ICC.1:2022 B.4). */
const ICC_BYTES_PER_SEGMENT = 65519;

export const exifSegment = (tiff: Uint8Array): JpegSegment => ({
  marker: 0xe1,
  payload: Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]),
});

/** A segment as bytes. */
export const segment = (marker: number, payload: Uint8Array) =>
  Buffer.from(withSegments(Uint8Array.of(0xff, 0xd8), [{ marker, payload }]).subarray(2));

export function withMetadata(
  jpeg: Uint8Array,
  metadata: { readonly iccProfile?: Uint8Array; readonly orientation?: Orientation },
) {
  const { orientation, iccProfile } = metadata;
  return withSegments(jpeg, [
    ...(orientation ? [exifSegment(writeTiff([shortField(0x0112, orientation)]))] : []),
    ...(iccProfile ? iccSegments(iccProfile) : []),
  ]);
}

function iccSegments(profile: Uint8Array): JpegSegment[] {
  const count = Math.ceil(profile.length / ICC_BYTES_PER_SEGMENT);
  return Array.from({ length: count }, (_, i) => ({
    marker: 0xe2,
    payload: Buffer.concat([
      Buffer.from('ICC_PROFILE\0', 'latin1'),
      Buffer.of(i + 1, count),
      profile.subarray(i * ICC_BYTES_PER_SEGMENT, (i + 1) * ICC_BYTES_PER_SEGMENT),
    ]),
  }));
}
