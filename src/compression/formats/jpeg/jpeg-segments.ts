/** Finds the segments of a JPEG file (ITU-T T.81 annex B) without decoding it. Like decoders, skips fill and stray bytes between them. */
import { tooMuchBeforeImageData } from '../../../contract/image-problems';
import { uint16 } from '../byte-reader';
import { APP0, COM, EOI, isApplicationSegment, SOS, type JpegSegment } from './jpeg-markers';

/** Legitimate files have up to 255 segments of a profile and a few tables; a million segments are an attack. */
const MAX_SEGMENTS = 1_000;
/** Fill bytes, stray bytes and markers without a payload before the first scan: 100 000 take a millisecond. */
const MAX_STEPS = 100_000;

/** A segment with its position in the file, including its marker. */
export interface LocatedSegment extends JpegSegment {
  readonly start: number;
  readonly end: number;
}

/** Everything before the image data. */
export interface JpegHead {
  /** The segments before the first scan, in order. */
  readonly segments: readonly LocatedSegment[];
  /** The header of the first scan (ITU-T T.81 B.2.3), starting with its number of components; absent without a scan. */
  readonly scanHeader?: Uint8Array;
}

/** The result of reading a file from marker to marker. */
export interface JpegFile extends JpegHead {
  /** Number of scans of the image, without images in metadata or after the end. */
  readonly scans: number;
  /** Whether there are application segments or comments after the start of the first scan. No reader needs them there. */
  readonly hasLateMetadata: boolean;
  /** Position after the end marker; the length of the file if there is none. */
  readonly end: number;
  readonly hasEndMarker: boolean;
}

/**
 * Reads the file once up to the end of the image.
 * @throws ImageRefused as locatedSegments does
 */
export function readJpegFile(bytes: Uint8Array): JpegFile {
  const head = readJpegHead(bytes);
  let scans = 0;
  let hasLateMetadata = false;
  for (let at = scanStart(bytes, head); at >= 0; at = nextMarker(bytes, endOfSegment(bytes, at))) {
    const marker = bytes[at + 1];
    if (marker === EOI) return { ...head, scans, hasLateMetadata, end: at + 2, hasEndMarker: true };
    if (marker === SOS) scans++;
    else hasLateMetadata ||= isMetadata(marker);
  }
  return { ...head, scans, hasLateMetadata, end: bytes.length, hasEndMarker: false };
}

/** Yields the segments from the first scan header to the end of the image. */
export function* laterSegments(bytes: Uint8Array, head: JpegHead): Generator<LocatedSegment> {
  for (let at = scanStart(bytes, head); at >= 0; at = nextMarker(bytes, endOfSegment(bytes, at))) {
    if (bytes[at + 1] === EOI) return;
    yield { ...segmentAt(bytes, at), start: at, end: endOfSegment(bytes, at) };
  }
}

/** Returns whether this is the marker of an application segment or a comment. */
export function isMetadata(marker: number): boolean {
  return marker === COM || isApplicationSegment(marker);
}

/**
 * Returns the image without application segments and comments after the start of its first scan.
 * @param image the file up to the end of its image
 */
export function withoutLateMetadata(image: Uint8Array): Uint8Array {
  // A single copy: a hostile file has a million such segments.
  const kept = Buffer.alloc(image.length);
  let size = 0;
  let from = 0;
  const take = (end: number) => {
    kept.set(image.subarray(from, end), size);
    size += end - from;
  };
  let previous = 0;
  for (let at = scanStart(image, readJpegHead(image)); at >= 0;) {
    const end = Math.min(endOfSegment(image, at), image.length);
    if (image[at + 1] === EOI) break;
    if (isMetadata(image[at + 1])) {
      take(startOfFill(image, at, previous));
      from = end;
    }
    previous = end;
    at = nextMarker(image, end);
  }
  take(image.length);
  return kept.subarray(0, size);
}

/**
 * Reads the segments before the first scan and the header of that scan, without reading the rest of the file.
 * @throws ImageRefused as locatedSegments does
 */
export function readJpegHead(bytes: Uint8Array): JpegHead {
  const segments = [...locatedSegments(bytes)];
  const at = scanStart(bytes, { segments });
  const hasScan = at >= 0 && bytes[at + 1] === SOS;
  return { segments, ...(hasScan ? { scanHeader: segmentAt(bytes, at).payload } : {}) };
}

/** Returns the position of the marker after the segments; negative if there is none. */
function scanStart(bytes: Uint8Array, { segments }: JpegHead): number {
  return nextMarker(bytes, segments.at(-1)?.end ?? 2);
}

/**
 * Yields the segments before the first scan. Their number is limited, because the service process reads every upload.
 * @throws ImageRefused `undecodable_image` when there are more segments or stray bytes than in any real file
 */
export function* locatedSegments(bytes: Uint8Array): Generator<LocatedSegment> {
  let segments = 0;
  let steps = 0;
  const onStep = () => {
    if (++steps > MAX_STEPS) throw tooMuchBeforeImageData('stray bytes');
  };
  const next = (from: number) => nextMarker(bytes, from, onStep);
  for (let at = next(2); at >= 0; at = next(endOfSegment(bytes, at))) {
    if (bytes[at + 1] === SOS || bytes[at + 1] === EOI) return;
    if (++segments > MAX_SEGMENTS) throw tooMuchBeforeImageData('segments');
    yield { ...segmentAt(bytes, at), start: at, end: endOfSegment(bytes, at) };
  }
}

/** Returns the JPEG with segments inserted after its JFIF header, or at the beginning if it has none. */
export function withSegments(jpeg: Uint8Array, segments: readonly JpegSegment[]): Uint8Array {
  if (segments.length === 0) return jpeg;
  const behind = endOfJfif(jpeg);
  return Buffer.concat([jpeg.subarray(0, behind), ...segments.map(encodeSegment), jpeg.subarray(behind)]);
}

export function endOfJfif(jpeg: Uint8Array): number {
  return jpeg[2] === 0xff && jpeg[3] === APP0 ? 4 + (uint16(jpeg, 4) ?? 0) : 2;
}

/** Returns the JPEG without the unwanted segments before its first scan. */
export function withoutSegments(jpeg: Uint8Array, isUnwanted: (segment: JpegSegment) => boolean): Uint8Array {
  const kept: Uint8Array[] = [];
  let from = 0;
  let previous = 0;
  for (const segment of locatedSegments(jpeg)) {
    if (isUnwanted(segment)) {
      kept.push(jpeg.subarray(from, startOfFill(jpeg, segment.start, previous)));
      from = segment.end;
    }
    previous = segment.end;
  }
  return from === 0 ? jpeg : Buffer.concat([...kept, jpeg.subarray(from)]);
}

/**
 * Returns the position of the fill bytes (FF) before a marker. They have to go with its segment: the last one would turn a stray
 * byte after the segment into a marker.
 * @param from position of the first byte that may be fill
 */
function startOfFill(bytes: Uint8Array, marker: number, from: number): number {
  let at = marker;
  while (at > from && bytes[at - 1] === 0xff) at--;
  return at;
}

function encodeSegment({ marker, payload }: JpegSegment): Uint8Array {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), payload]);
}

function segmentAt(bytes: Uint8Array, at: number): JpegSegment {
  return { marker: bytes[at + 1], payload: bytes.subarray(at + 4, endOfSegment(bytes, at)) };
}

/**
 * Returns the position of the next marker that begins a segment or ends the image; negative if there is none. It skips stray
 * bytes, the coded data of scans, fill bytes (FF FF), stuffed zeros, reserved markers and markers without a payload.
 */
function nextMarker(bytes: Uint8Array, from: number, onStep?: () => void): number {
  let at = from;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff) at = bytes.indexOf(0xff, at + 1);
    else if (marker === 0xff) at++;
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else return marker === EOI || at + 3 < bytes.length ? at : -1;
    if (at < 0) return -1;
    onStep?.();
  }
  return -1;
}

function endOfSegment(bytes: Uint8Array, at: number): number {
  return at + 2 + (bytes[at + 1] === EOI ? 0 : Math.max(2, uint16(bytes, at + 2) ?? 0));
}
