/** The start of a JPEG: its JFIF header, which states the resolution, and whether the file may have one. */
import { uint16 } from '../../bytes';
import { exifResolution } from '../../exif';
import { jfifDensity, reshapedResolution, UNITS, type Resolution, type Reshaping } from '../../reshaping';
import { APP0, findExif, findFrame, isAdobe, named, readJpegHead, type JpegSegment } from '../jpeg-segments';
import { withoutSegments, withSegments } from '../segment-writer';

/** JFIF (ITU-T T.871) makes three components YCbCr, and decoders trust it over Adobe's marker: RGB must not have it. */
const JFIF_HEADER = 'JFIF\0';
export const JFIF_BYTES = 14;
const VERSION = [1, 1];
const DENSITY_AT = 7;
const [TRANSFORM_AT, YCBCR] = [11, 1];
const RGB_IDS = 'RGB';

const hasJfifName = named(APP0, JFIF_HEADER);

export function isJfif(segment: JpegSegment): boolean {
  return hasJfifName(segment) && segment.payload.length >= JFIF_BYTES;
}

export function resolutionOfJpeg(
  metadata: readonly JpegSegment[],
  reshaped?: Reshaping,
): Resolution | undefined {
  const density = readDensity(metadata.find(isJfif)?.payload);
  const isStated = density && (density.unit !== 'aspect' || density.x !== density.y);
  const exif = isStated ? undefined : findExif(metadata);
  const resolution = exifResolution(exif) ?? density;
  return resolution && reshapedResolution(resolution, reshaped);
}

function readDensity(jfif: Uint8Array | undefined): Resolution | undefined {
  if (!jfif) return undefined;
  const unit = UNITS.at(jfif[DENSITY_AT]);
  const [x, y] = [uint16(jfif, DENSITY_AT + 1), uint16(jfif, DENSITY_AT + 3)];
  return unit && x && y ? { unit, x, y } : undefined;
}

export function mayHaveJfif(jpeg: Uint8Array): boolean {
  const { segments } = readJpegHead(jpeg);
  const frame = findFrame(segments)?.payload;
  const components = frame?.[5];
  if (components !== 3 || segments.some(isJfif)) return components === 1 || components === 3;
  const adobe = segments.find(isAdobe);
  if (adobe) return adobe.payload[TRANSFORM_AT] === YCBCR;
  return ![0, 1, 2].every((i) => frame?.[6 + i * 3] === RGB_IDS.charCodeAt(i));
}

export function withJfif(jpeg: Uint8Array, resolution: Resolution | undefined): Uint8Array {
  const [unit, x, y] = jfifDensity(resolution);
  const version = readJpegHead(jpeg).segments.find(isJfif)?.payload.subarray(JFIF_HEADER.length, DENSITY_AT);
  const numbers = [...(version ?? VERSION), unit, x >> 8, x & 0xff, y >> 8, y & 0xff, 0, 0];
  const payload = Buffer.concat([Buffer.from(JFIF_HEADER, 'latin1'), Buffer.from(numbers)]);
  return withSegments(withoutSegments(jpeg, isJfif), [{ marker: APP0, payload }]);
}
