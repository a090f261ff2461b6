/**
 * Adds segments to a JPEG and removes them; writes its JFIF header (ITU-T T.871). Many readers accept only files that begin with JFIF or
 * EXIF. JFIF declares three components to be YCbCr, and decoders trust it over Adobe's marker, so RGB must not have one, nor must CMYK.
 */
import { uint16 } from '../byte-reader';
import { exifResolution } from '../exif';
import { jfifDensity, reshapedResolution, type Resolution, type Reshaping } from '../reshaping';
import {
  APP0,
  exifOf,
  isAdobe,
  isFrameHeader,
  isMetadata,
  isNamed,
  laterSegments,
  locatedSegments,
  readJpegHead,
  type JpegSegment,
  type LocatedSegment,
} from './jpeg-segments';

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
  return withoutSome(jpeg, locatedSegments(jpeg), isUnwanted);
}

/**
 * Returns the image without application segments and comments after the start of its first scan.
 * @param image the file up to the end of its image
 */
export function withoutLateMetadata(image: Uint8Array): Uint8Array {
  return withoutSome(image, laterSegments(image, readJpegHead(image)), ({ marker }) => isMetadata(marker));
}

function withoutSome(
  bytes: Uint8Array,
  segments: Iterable<LocatedSegment>,
  isUnwanted: (segment: JpegSegment) => boolean,
): Uint8Array {
  // A single copy: a hostile file has a million unwanted segments.
  let kept: Buffer | undefined;
  let [size, from, previous] = [0, 0, 0];
  const take = (end: number) => {
    kept ??= Buffer.alloc(bytes.length);
    kept.set(bytes.subarray(from, end), size);
    size += end - from;
    return kept.subarray(0, size);
  };
  for (const segment of segments) {
    if (isUnwanted(segment)) {
      take(startOfFill(bytes, segment.start, previous));
      from = Math.min(segment.end, bytes.length);
    }
    previous = segment.end;
  }
  return from === 0 ? bytes : take(bytes.length);
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

const JFIF_HEADER = 'JFIF\0';
/** Payload size of JFIF without a thumbnail; the last two bytes are the width and height of the thumbnail. */
export const JFIF_BYTES = 14;
const VERSION = [1, 1];
const DENSITY_AT = 7;
const UNITS: readonly Resolution['unit'][] = ['aspect', 'inch', 'centimetre'];
/** Position of Adobe's colour transform in the payload, and its code for YCbCr. */
const [TRANSFORM_AT, YCBCR] = [11, 1];
const RGB_IDS = 'RGB';

export function isJfif(segment: JpegSegment): boolean {
  return isNamed(segment, APP0, JFIF_HEADER) && segment.payload.length >= JFIF_BYTES;
}

/** Returns the resolution of a JPEG, for the new pixels: from JFIF if it states one, else from EXIF if it is meaningful. */
export function resolutionOfJpeg(
  metadata: readonly JpegSegment[],
  reshaped?: Reshaping,
): Resolution | undefined {
  const density = densityOf(metadata.find(isJfif)?.payload);
  const isStated = density && (density.unit !== 'aspect' || density.x !== density.y);
  const exif = isStated ? undefined : exifOf(metadata);
  const resolution = (exif && exifResolution(exif)) ?? density;
  return resolution && reshapedResolution(resolution, reshaped);
}

function densityOf(jfif: Uint8Array | undefined): Resolution | undefined {
  if (!jfif) return undefined;
  const unit = UNITS.at(jfif[DENSITY_AT]);
  const [x, y] = [uint16(jfif, DENSITY_AT + 1), uint16(jfif, DENSITY_AT + 3)];
  return unit && x && y ? { unit, x, y } : undefined;
}

/** Returns whether a JFIF header would keep the meaning of the samples: they are grey or YCbCr. */
export function mayHaveJfif(jpeg: Uint8Array): boolean {
  const { segments } = readJpegHead(jpeg);
  const frame = segments.find(({ marker }) => isFrameHeader(marker))?.payload;
  const components = frame?.[5];
  if (components !== 3 || segments.some(isJfif)) return components === 1 || components === 3;
  const adobe = segments.find(isAdobe);
  if (adobe) return adobe.payload[TRANSFORM_AT] === YCBCR;
  return ![0, 1, 2].every((i) => frame?.[6 + i * 3] === RGB_IDS.charCodeAt(i));
}

/**
 * Returns the JPEG with one JFIF header, which states this resolution.
 * @param jpeg one that may have JFIF
 */
export function withJfif(jpeg: Uint8Array, resolution: Resolution | undefined): Uint8Array {
  const [unit, x, y] = jfifDensity(resolution);
  const version = readJpegHead(jpeg).segments.find(isJfif)?.payload.subarray(JFIF_HEADER.length, DENSITY_AT);
  const numbers = [...(version ?? VERSION), unit, x >> 8, x & 0xff, y >> 8, y & 0xff, 0, 0];
  const payload = Buffer.concat([Buffer.from(JFIF_HEADER, 'latin1'), Buffer.from(numbers)]);
  return withSegments(withoutSegments(jpeg, isJfif), [{ marker: APP0, payload }]);
}
