/** Writes into a JPEG what its pixels mean: colour profile and orientation. */
import type { Orientation } from '../../domain/dimensions';
import { uint16 } from '../byte-reader';
import { APP0, APP1, APP2, EXIF_HEADER, ICC_HEADER } from './jpeg-markers';

/** Bytes of profile that fit into one APP2 segment behind its header: 65533 − 12 − 2 (ICC.1:2022 B.4). */
const ICC_BYTES_PER_SEGMENT = 65519;

/**
 * A copy of a JPEG with a colour profile and an orientation put in behind the JFIF header, in that header's
 * place where there is none. Used on freshly encoded files, which carry neither.
 */
export function withMetadata(
  jpeg: Uint8Array,
  metadata: { readonly iccProfile?: Uint8Array; readonly orientation?: Orientation },
): Uint8Array {
  const added: Uint8Array[] = [];
  if (metadata.orientation && metadata.orientation !== 1)
    added.push(orientationSegment(metadata.orientation));
  if (metadata.iccProfile) added.push(...iccSegments(metadata.iccProfile));
  if (added.length === 0) return jpeg;
  const behind = jpeg[2] === 0xff && jpeg[3] === APP0 ? 4 + (uint16(jpeg, 4) ?? 0) : 2;
  return Buffer.concat([jpeg.subarray(0, behind), ...added, jpeg.subarray(behind)]);
}

function segment(marker: number, payload: Uint8Array): Uint8Array {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), payload]);
}

/** An EXIF block of one entry: orientation (TIFF 6.0, tag 274, SHORT), big-endian. */
function orientationSegment(orientation: Orientation): Uint8Array {
  const tiff = [
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  return segment(APP1, Buffer.concat([Buffer.from(EXIF_HEADER, 'latin1'), Buffer.from(tiff)]));
}

function iccSegments(profile: Uint8Array): Uint8Array[] {
  const count = Math.ceil(profile.length / ICC_BYTES_PER_SEGMENT);
  return Array.from({ length: count }, (_, i) =>
    segment(
      APP2,
      Buffer.concat([
        Buffer.from(ICC_HEADER, 'latin1'),
        Buffer.from([i + 1, count]),
        profile.subarray(i * ICC_BYTES_PER_SEGMENT, (i + 1) * ICC_BYTES_PER_SEGMENT),
      ]),
    ),
  );
}
