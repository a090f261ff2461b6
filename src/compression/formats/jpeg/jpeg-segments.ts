/**
 * The segments of a JPEG file (ITU-T T.81 annex B), found without decoding anything. Lenient where decoders are:
 * fill bytes and stray bytes between segments are stepped over.
 */
import { ImageRefused } from '../../domain/refusal';
import { uint16 } from '../byte-reader';
import { APP0, EOI, SOS } from './jpeg-markers';

/** A profile of 255 segments and a few tables are legitimate; a file of a million segments is an attack. */
const MAX_SEGMENTS = 1_000;

export interface JpegSegment {
  readonly marker: number;
  /** Payload without the length field. */
  readonly payload: Uint8Array;
}

/** Walks from marker to marker; keeps only what is asked for, so that a file of nothing but markers costs no memory. */
export function segmentsBeforeScan(bytes: Uint8Array, isWanted: (marker: number) => boolean): JpegSegment[] {
  const segments: JpegSegment[] = [];
  for (const segment of segmentsOf(bytes)) {
    if (segment.marker === SOS || segment.marker === EOI) break;
    if (isWanted(segment.marker)) segments.push(segment);
    if (segments.length > MAX_SEGMENTS) {
      throw new ImageRefused('undecodable_image', 'The JPEG has too many metadata segments.');
    }
  }
  return segments;
}

/** Where the picture ends: the position behind its end marker, or the end of the file when it has none. */
export function endOfPicture(bytes: Uint8Array): number {
  for (const { marker, end } of segmentsOf(bytes)) if (marker === EOI) return end;
  return bytes.length;
}

/** A JPEG with segments put in behind the JFIF header, in that header's place where there is none. */
export function withSegments(jpeg: Uint8Array, segments: readonly JpegSegment[]): Uint8Array {
  if (segments.length === 0) return jpeg;
  const behind = behindJfif(jpeg);
  return Buffer.concat([jpeg.subarray(0, behind), ...segments.map(stored), jpeg.subarray(behind)]);
}

export function behindJfif(jpeg: Uint8Array): number {
  return jpeg[2] === 0xff && jpeg[3] === APP0 ? 4 + (uint16(jpeg, 4) ?? 0) : 2;
}

/** A JPEG without some of the segments before its scan. */
export function withoutSegments(jpeg: Uint8Array, isUnwanted: (segment: JpegSegment) => boolean): Uint8Array {
  const kept: Uint8Array[] = [];
  let from = 0;
  for (const segment of segmentsOf(jpeg)) {
    if (segment.marker === SOS || segment.marker === EOI) break;
    if (!isUnwanted(segment)) continue;
    kept.push(jpeg.subarray(from, segment.start));
    from = segment.end;
  }
  return from === 0 ? jpeg : Buffer.concat([...kept, jpeg.subarray(from)]);
}

function stored({ marker, payload }: JpegSegment): Uint8Array {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), payload]);
}

/** Where a segment lies in its file. */
interface PlacedSegment extends JpegSegment {
  readonly start: number;
  readonly end: number;
}

/** Every segment, scans included; the coded data between them is stepped over like stray bytes. */
function* segmentsOf(bytes: Uint8Array): Generator<PlacedSegment> {
  let at = 2;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1];
    // Stray bytes, fill bytes (FF FF), stuffed zeros, reserved markers and those without a payload.
    if (bytes[at] !== 0xff || marker === 0xff || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) {
      const next = bytes.indexOf(0xff, at + 1);
      if (next < 0) return;
      at = next;
      continue;
    }
    const length = marker === EOI ? 0 : uint16(bytes, at + 2);
    if (length === undefined) return;
    const end = at + 2 + (marker === EOI ? 0 : Math.max(2, length));
    yield { marker, payload: bytes.subarray(at + 4, at + 2 + length), start: at, end };
    at = end;
  }
}
