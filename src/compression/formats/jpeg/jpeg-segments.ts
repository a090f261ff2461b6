/** The segments of a JPEG (ITU-T T.81 annex B). Like decoders, readers skip fill and stray bytes between them. */
import { tooMuchBeforeImageData } from '../../../contract/image-problems';
import { text, uint16 } from '../bytes';

/** Marker codes (T.81, table B.1). */
export const SOS = 0xda;
export const EOI = 0xd9;
export const DQT = 0xdb;
export const DRI = 0xdd;
export const COM = 0xfe;
export const APP0 = 0xe0;
export const APP1 = 0xe1;
export const APP2 = 0xe2;
export const APP11 = 0xeb;
export const APP13 = 0xed;
const APP14 = 0xee;
export const EXIF_HEADER = 'Exif\0\0';
/** The part that readers compare. Some programs write another sixth byte, which browsers ignore. */
const EXIF_NAME = 'Exif\0';
export const ICC_HEADER = 'ICC_PROFILE\0';
export const XMP_HEADER = 'http://ns.adobe.com/xap/1.0/\0';
/** Continuation segments of a packet that one segment cannot hold (Adobe XMP, part 3). */
export const MORE_XMP_HEADER = 'http://ns.adobe.com/xmp/extension/\0';
/** Multi-Picture Format (CIPA DC-007). */
export const MPF_HEADER = 'MPF\0';

/** SOF0 to SOF15. DHT, JPG and DAC are in the same range. */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

export function isProgressiveFrame(marker: number): boolean {
  return isFrameHeader(marker) && (marker & 3) === 2;
}

export function isMetadata(marker: number): boolean {
  return marker === COM || (marker >= 0xe0 && marker <= 0xef);
}

export interface JpegSegment {
  readonly marker: number;
  readonly payload: Uint8Array;
}

/** Recognises segments with a marker whose payload begins with a name. */
export function named(marker: number, name: string) {
  return (segment: JpegSegment): boolean =>
    segment.marker === marker && text(segment.payload, 0, name.length) === name;
}

export const isAdobe = named(APP14, 'Adobe');
export const isExif = named(APP1, EXIF_NAME);
export const isXmp = named(APP1, XMP_HEADER);
export const isMoreXmp = named(APP1, MORE_XMP_HEADER);
export const isIcc = named(APP2, ICC_HEADER);
export const isMpf = named(APP2, MPF_HEADER);
/** JUMBF (ISO/IEC 19566-5), as a rule signed manifests. */
export const isJumbf = named(APP11, 'JP');
/** Gain map metadata (ISO 21496-1 annex C). */
export const isIsoGainMap = named(APP2, 'urn:iso:std:iso:ts:21496:-1\0');

/** Returns the first frame header. */
export function findFrame<Segment extends JpegSegment>(segments: readonly Segment[]): Segment | undefined {
  return segments.find(({ marker }) => isFrameHeader(marker));
}

export function findExif(metadata: readonly JpegSegment[]): Uint8Array | undefined {
  return metadata.find(isExif)?.payload.subarray(EXIF_HEADER.length);
}

export function findXmp(metadata: readonly JpegSegment[]): Uint8Array | undefined {
  return metadata.find(isXmp)?.payload.subarray(XMP_HEADER.length);
}

/** Legitimate files have up to 255 segments of a profile and a few tables; a million segments are an attack. */
const MAX_SEGMENTS = 1_000;
/** Fill bytes, stray bytes and markers without a payload before the first scan: 100 000 take a millisecond. */
const MAX_STEPS = 100_000;

export interface LocatedSegment extends JpegSegment {
  readonly start: number;
  readonly end: number;
}

export interface JpegHead {
  /** Before the first scan, in order. */
  readonly segments: readonly LocatedSegment[];
  /** Of the first scan (ITU-T T.81 B.2.3), starting with its number of components. */
  readonly scanHeader?: Uint8Array | undefined;
}

export interface JpegFile extends JpegHead {
  readonly scans: number;
  /** Whether application segments or comments follow the start of the first scan. No reader needs them there. */
  readonly hasLateMetadata: boolean;
  readonly end: number;
  readonly hasEndMarker: boolean;
}

/** @throws ImageRefused as readJpegHead does */
export function readJpegFile(bytes: Uint8Array): JpegFile {
  const head = readJpegHead(bytes);
  let scans = 0;
  let hasLateMetadata = false;
  for (const at of markersFrom(bytes, endOfHead(head))) {
    const marker = bytes[at + 1];
    if (marker === EOI) return { ...head, scans, hasLateMetadata, end: at + 2, hasEndMarker: true };
    if (marker === SOS) scans++;
    else hasLateMetadata ||= isMetadata(marker);
  }
  return { ...head, scans, hasLateMetadata, end: bytes.length, hasEndMarker: false };
}

export function* laterSegments(bytes: Uint8Array, head: JpegHead): Generator<LocatedSegment> {
  for (const at of markersFrom(bytes, endOfHead(head))) {
    if (bytes[at + 1] === EOI) return;
    yield segmentAt(bytes, at);
  }
}

function endOfHead({ segments }: JpegHead) {
  return segments.at(-1)?.end ?? 2;
}

/** @throws ImageRefused `undecodable_image` when there are more segments or stray bytes than in any real file */
export function readJpegHead(bytes: Uint8Array): JpegHead {
  const segments: LocatedSegment[] = [];
  let steps = 0;
  const onStep = () => {
    if (++steps > MAX_STEPS) throw tooMuchBeforeImageData('stray bytes');
  };
  for (const at of markersFrom(bytes, 2, onStep)) {
    const segment = segmentAt(bytes, at);
    if (segment.marker === SOS) return { segments, scanHeader: segment.payload };
    if (segment.marker === EOI) break;
    if (segments.push(segment) > MAX_SEGMENTS) throw tooMuchBeforeImageData('segments');
  }
  return { segments };
}

/** Returns the positions of segments, of the starts of scans among them, and of the end marker. */
function* markersFrom(bytes: Uint8Array, from: number, onStep?: () => void) {
  for (let at = from; ; at = endOfSegment(bytes, at)) {
    at = nextMarker(bytes, at, onStep);
    if (at < 0) return;
    yield at;
  }
}

function segmentAt(bytes: Uint8Array, start: number): LocatedSegment {
  const end = endOfSegment(bytes, start);
  return { marker: bytes[start + 1], payload: bytes.subarray(start + 4, end), start, end };
}

/** Skips stray bytes, coded data, fill bytes (FF FF), stuffed zeros, and markers without a payload. */
function nextMarker(bytes: Uint8Array, from: number, onStep?: () => void) {
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

function endOfSegment(bytes: Uint8Array, at: number) {
  return at + 2 + (bytes[at + 1] === EOI ? 0 : Math.max(2, uint16(bytes, at + 2) ?? 0));
}
