/**
 * The structure of a JPEG file (ITU-T T.81 annex B): the segments before the first scan, read without
 * decoding anything. Lenient where decoders are (fill bytes, stray bytes between segments), strict about
 * what must be there: a frame header before the scan, with a size.
 */
import { ImageRefused } from '../../domain/refusal';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { text, uint16 } from '../byte-reader';
import { orientationOf } from '../exif-orientation';
import { APP1, APP2, DQT, EOI, EXIF_HEADER, ICC_HEADER, SOS } from './jpeg-markers';

/** A profile of 255 segments and a few tables are legitimate; a file of a million segments is an attack. */
const MAX_SEGMENTS = 1_000;

interface JpegComponent {
  readonly horizontalSampling: number;
  readonly verticalSampling: number;
}

export interface JpegStructure {
  /** As stored; the orientation is not applied. */
  readonly stored: Dimensions;
  readonly orientation: Orientation;
  /** One is grey, three are YCbCr or RGB, four are CMYK or YCCK. */
  readonly components: readonly JpegComponent[];
  readonly iccProfile?: Uint8Array;
  /** The first quantisation table in zigzag order, 64 divisors: the one that codes luma. */
  readonly lumaDivisors?: readonly number[];
}

interface Segment {
  readonly marker: number;
  /** Payload without the length field. */
  readonly payload: Uint8Array;
}

/** @throws ImageRefused undecodable_image when no frame header with a size precedes the first scan. */
export function readJpegDimensions(bytes: Uint8Array): Dimensions {
  return frameOf(segmentsBeforeScan(bytes, isFrameHeader)).stored;
}

/** @throws ImageRefused undecodable_image when no frame header with a size precedes the first scan. */
export function readJpegStructure(bytes: Uint8Array): JpegStructure {
  const segments = segmentsBeforeScan(bytes, isMeaningful);
  const { payload, stored } = frameOf(segments);
  const components = Array.from({ length: Math.floor((payload.length - 6) / 3) }, (_, i) => ({
    horizontalSampling: payload[6 + i * 3 + 1] >> 4,
    verticalSampling: payload[6 + i * 3 + 1] & 15,
  })).slice(0, payload[5]);

  const exif = segments.find(({ marker, payload: p }) => marker === APP1 && text(p, 0, 6) === EXIF_HEADER);
  const iccProfile = joinIccProfile(segments);
  const lumaDivisors = firstQuantisationTable(segments);
  return {
    stored,
    components,
    orientation: exif ? orientationOf(exif.payload.subarray(EXIF_HEADER.length)) : 1,
    ...(iccProfile ? { iccProfile } : {}),
    ...(lumaDivisors ? { lumaDivisors } : {}),
  };
}

/** Whether the chroma planes are stored at half width and half height (4:2:0). */
export function isChromaHalved({ components }: JpegStructure): boolean {
  if (components.length !== 3) return false;
  const [luma, cb, cr] = components;
  return [cb, cr].every(
    (c) =>
      c.horizontalSampling * 2 === luma.horizontalSampling &&
      c.verticalSampling * 2 === luma.verticalSampling,
  );
}

/** Frame headers SOF0–SOF15, without DHT, JPG and DAC, which share their range. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The segments that a structure is read from. */
function isMeaningful(marker: number): boolean {
  return isFrameHeader(marker) || marker === DQT || marker === APP1 || marker === APP2;
}

function frameOf(segments: readonly Segment[]): { payload: Uint8Array; stored: Dimensions } {
  const payload = segments.find(({ marker }) => isFrameHeader(marker))?.payload;
  if (!payload || payload.length < 6) {
    throw new ImageRefused('undecodable_image', 'The JPEG is damaged: it has no frame header.');
  }
  const stored = { height: (payload[1] << 8) | payload[2], width: (payload[3] << 8) | payload[4] };
  if (stored.width === 0 || stored.height === 0) {
    throw new ImageRefused('undecodable_image', 'The JPEG is damaged: its width or height is zero.');
  }
  return { payload, stored };
}

/** Walks from marker to marker; keeps only what is asked for, so that a file of nothing but markers costs no memory. */
function segmentsBeforeScan(bytes: Uint8Array, isWanted: (marker: number) => boolean): Segment[] {
  const segments: Segment[] = [];
  let at = 2;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1];
    // Stray bytes, fill bytes (FF FF), stuffed zeros, reserved markers and those without a payload are stepped over.
    if (bytes[at] !== 0xff || marker === 0xff || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) {
      at++;
      continue;
    }
    if (marker === SOS || marker === EOI) break;
    const length = uint16(bytes, at + 2);
    if (length === undefined) break;
    if (isWanted(marker)) segments.push({ marker, payload: bytes.subarray(at + 4, at + 2 + length) });
    if (segments.length > MAX_SEGMENTS) {
      throw new ImageRefused('undecodable_image', 'The JPEG has too many metadata segments.');
    }
    at += 2 + Math.max(2, length);
  }
  return segments;
}

/** The embedded profile, its chunks put in order of their sequence numbers; undefined when there is none. */
function joinIccProfile(segments: readonly Segment[]): Uint8Array | undefined {
  const chunks = segments
    .filter(({ marker, payload }) => marker === APP2 && text(payload, 0, 12) === ICC_HEADER)
    .map(({ payload }) => ({ sequence: payload[12], data: payload.subarray(14) }))
    .sort((a, b) => a.sequence - b.sequence);
  return chunks.length > 0 ? Buffer.concat(chunks.map(({ data }) => data)) : undefined;
}

function firstQuantisationTable(segments: readonly Segment[]): number[] | undefined {
  const payload = segments.find(({ marker }) => marker === DQT)?.payload;
  if (!payload) return undefined;
  const wide = payload[0] >> 4 !== 0;
  const divisors = Array.from({ length: 64 }, (_, i) => (wide ? uint16(payload, 1 + i * 2) : payload[1 + i]));
  return divisors.every((d): d is number => d !== undefined) ? divisors : undefined;
}
