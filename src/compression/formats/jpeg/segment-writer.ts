/** Inserts and removes the segments of a JPEG; coded data stay as they are. */
import { asBuffer, uint16 } from '../bytes';
import {
  APP0,
  isMetadata,
  laterSegments,
  readJpegHead,
  type JpegSegment,
  type LocatedSegment,
} from './jpeg-segments';

/** Inserts the segments after the JFIF header, or at the beginning if there is none. */
export function withSegments(jpeg: Uint8Array, segments: readonly JpegSegment[]): Uint8Array {
  if (segments.length === 0) return jpeg;
  const behind = endOfJfif(jpeg);
  return Buffer.concat([jpeg.subarray(0, behind), ...segments.map(encodeSegment), jpeg.subarray(behind)]);
}

export function endOfJfif(jpeg: Uint8Array): number {
  return jpeg[2] === 0xff && jpeg[3] === APP0 ? 4 + (uint16(jpeg, 4) ?? 0) : 2;
}

/** Only before the first scan. */
export function withoutSegments(jpeg: Uint8Array, isUnwanted: (segment: JpegSegment) => boolean): Uint8Array {
  return withoutSome(jpeg, readJpegHead(jpeg).segments, isUnwanted);
}

/** @param image the file up to the end of its image */
export function withoutLateMetadata(image: Uint8Array): Uint8Array {
  return withoutSome(image, laterSegments(image, readJpegHead(image)), ({ marker }) => isMetadata(marker));
}

function withoutSome(
  bytes: Uint8Array,
  segments: Iterable<LocatedSegment>,
  isUnwanted: (segment: JpegSegment) => boolean,
): Uint8Array {
  // A single copy: a hostile file has a million unwanted segments.
  const kept = Buffer.from(bytes);
  const source = asBuffer(bytes);
  let [size, from, previous] = [0, 0, 0];
  for (const segment of segments) {
    if (isUnwanted(segment)) {
      let { start } = segment;
      // Fill bytes (FF) go too: the last one would turn a stray byte after the segment into a marker.
      while (start > previous && bytes[start - 1] === 0xff) start--;
      size += source.copy(kept, size, from, start);
      from = Math.min(segment.end, bytes.length);
    }
    previous = segment.end;
  }
  return from === 0 ? bytes : kept.subarray(0, size + source.copy(kept, size, from));
}

/** @param header the name with which the payload begins, in Latin-1 */
export function metadataSegment(marker: number, header: string, block: Uint8Array): JpegSegment {
  return { marker, payload: Buffer.concat([Buffer.from(header, 'latin1'), block]) };
}

function encodeSegment({ marker, payload }: JpegSegment): Uint8Array {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), payload]);
}
