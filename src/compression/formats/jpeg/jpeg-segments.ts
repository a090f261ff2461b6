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
  for (let at = nextMarker(bytes, 2); at >= 0; at = nextMarker(bytes, endOfSegment(bytes, at))) {
    const marker = bytes[at + 1];
    if (marker === SOS || marker === EOI) break;
    if (isWanted(marker)) segments.push(segmentAt(bytes, at));
    if (segments.length > MAX_SEGMENTS) {
      throw new ImageRefused('undecodable_image', 'The JPEG has too many metadata segments.');
    }
  }
  return segments;
}

/** Where the picture ends: the position behind its end marker, or the end of the file when it has none. */
export function endOfPicture(bytes: Uint8Array): number {
  for (let at = nextMarker(bytes, 2); at >= 0; at = nextMarker(bytes, endOfSegment(bytes, at))) {
    if (bytes[at + 1] === EOI) return at + 2;
  }
  return bytes.length;
}

/** Scans of the picture; those of pictures behind it, and inside of metadata, are not counted. */
export function countScans(bytes: Uint8Array): number {
  let scans = 0;
  for (let at = nextMarker(bytes, 2); at >= 0; at = nextMarker(bytes, endOfSegment(bytes, at))) {
    if (bytes[at + 1] === EOI) break;
    if (bytes[at + 1] === SOS) scans++;
  }
  return scans;
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
  for (let at = nextMarker(jpeg, 2); at >= 0; at = nextMarker(jpeg, endOfSegment(jpeg, at))) {
    if (jpeg[at + 1] === SOS || jpeg[at + 1] === EOI) break;
    if (!isUnwanted(segmentAt(jpeg, at))) continue;
    kept.push(jpeg.subarray(from, at));
    from = endOfSegment(jpeg, at);
  }
  return from === 0 ? jpeg : Buffer.concat([...kept, jpeg.subarray(from)]);
}

function stored({ marker, payload }: JpegSegment): Uint8Array {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), payload]);
}

function segmentAt(bytes: Uint8Array, at: number): JpegSegment {
  return { marker: bytes[at + 1], payload: bytes.subarray(at + 4, endOfSegment(bytes, at)) };
}

/**
 * The position of the next marker that begins a segment or ends the picture; negative when there is none. Stepped over:
 * stray bytes, the coded data of scans, fill bytes (FF FF), stuffed zeros, reserved markers and those without a payload.
 */
function nextMarker(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff) at = bytes.indexOf(0xff, at + 1);
    else if (marker === 0xff) at++;
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else return marker === EOI || at + 3 < bytes.length ? at : -1;
    if (at < 0) return -1;
  }
  return -1;
}

function endOfSegment(bytes: Uint8Array, at: number): number {
  return at + 2 + (bytes[at + 1] === EOI ? 0 : Math.max(2, uint16(bytes, at + 2) ?? 0));
}
