/**
 * The JFIF header of a JPEG (ITU-T T.871). Many readers accept only files that begin with JFIF or EXIF. JFIF declares three
 * components to be YCbCr, and decoders trust it over Adobe's marker, so RGB must not have one, nor must CMYK.
 */
import { uint16 } from '../byte-reader';
import { exifResolution } from '../exif-fields';
import { jfifDensity, reshapedResolution, type Resolution, type Reshaping } from '../reshaping';
import { APP0, isFrameHeader, JFIF_HEADER, exifOf, isAdobe, isJfif, type JpegSegment } from './jpeg-markers';
import { readJpegHead, withoutSegments, withSegments } from './jpeg-segments';

const VERSION = [1, 1];
const DENSITY_AT = 7;
const UNITS: readonly Resolution['unit'][] = ['aspect', 'inch', 'centimetre'];
/** Position of Adobe's colour transform in the payload, and its code for YCbCr. */
const [TRANSFORM_AT, YCBCR] = [11, 1];
const RGB_IDS = 'RGB';

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
