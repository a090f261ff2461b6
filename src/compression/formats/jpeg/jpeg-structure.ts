/**
 * The structure of a JPEG file (ITU-T T.81 annex B): the segments before the first scan, read without
 * decoding anything. Lenient where decoders are (fill bytes, stray bytes between segments), strict about
 * what must be there: a frame header before the scan, with a size.
 */
import { ImageRefused } from '../../domain/refusal';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { text, uint16 } from '../byte-reader';
import { orientationOf } from '../exif-orientation';
import { readCompanions, type Companions } from './jpeg-companions';
import {
  APP1,
  APP2,
  COM,
  DQT,
  EXIF_HEADER,
  ICC_HEADER,
  isApplicationSegment,
  isFrameHeader,
} from './jpeg-markers';
import { segmentsBeforeScan, type JpegSegment } from './jpeg-segments';

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
  /** The embedded profile; undefined when there is none, and when its parts do not fit together: viewers ignore it then. */
  readonly iccProfile?: Uint8Array;
  /** The first quantisation table in zigzag order, 64 divisors: the one that codes luma. */
  readonly lumaDivisors?: readonly number[];
  /** Application segments and comments, in their order. */
  readonly metadata: readonly JpegSegment[];
  /** What lies behind the picture. */
  readonly companions: Companions;
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

  const metadata = segments.filter(({ marker }) => marker === COM || isApplicationSegment(marker));
  const exif = exifOf(metadata);
  const iccProfile = joinIccProfile(segments);
  const lumaDivisors = firstQuantisationTable(segments);
  return {
    stored,
    components,
    orientation: exif ? orientationOf(exif) : 1,
    metadata,
    companions: readCompanions(bytes, metadata),
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

/** The segments that a structure is read from. */
function isMeaningful(marker: number): boolean {
  return isFrameHeader(marker) || marker === DQT || marker === COM || isApplicationSegment(marker);
}

function frameOf(segments: readonly JpegSegment[]): { payload: Uint8Array; stored: Dimensions } {
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

/** The EXIF block, from its byte order on. */
export function exifOf(metadata: readonly JpegSegment[]): Uint8Array | undefined {
  const segment = metadata.find(
    ({ marker, payload }) => marker === APP1 && text(payload, 0, 6) === EXIF_HEADER,
  );
  return segment?.payload.subarray(EXIF_HEADER.length);
}

export function isIccSegment({ marker, payload }: JpegSegment): boolean {
  return marker === APP2 && text(payload, 0, ICC_HEADER.length) === ICC_HEADER;
}

/** The profile, its parts put in order; each has its number and how many there are (ICC.1:2022, B.4). */
function joinIccProfile(segments: readonly JpegSegment[]): Uint8Array | undefined {
  const parts = segments
    .filter(isIccSegment)
    .map(({ payload }) => ({ number: payload[12], count: payload[13], data: payload.subarray(14) }))
    .sort((a, b) => a.number - b.number);
  const fit = parts.every(({ number, count }, i) => number === i + 1 && count === parts.length);
  return parts.length > 0 && fit ? Buffer.concat(parts.map(({ data }) => data)) : undefined;
}

function firstQuantisationTable(segments: readonly JpegSegment[]): number[] | undefined {
  const payload = segments.find(({ marker }) => marker === DQT)?.payload;
  if (!payload) return undefined;
  const wide = payload[0] >> 4 !== 0;
  const divisors = Array.from({ length: 64 }, (_, i) => (wide ? uint16(payload, 1 + i * 2) : payload[1 + i]));
  return divisors.every((d): d is number => d !== undefined) ? divisors : undefined;
}
