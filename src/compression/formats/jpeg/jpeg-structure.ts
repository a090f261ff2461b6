/** The parts of a JPEG that the recipe needs: frame, tables, metadata, colours, and what follows the image. Decodes no pixel. */
import { damaged } from '../../../contract/image-problems';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { uint16 } from '../bytes';
import { readOrientation } from '../exif';
import { readColourSpace } from '../icc-profile';
import { profiledColours, type ShownColours } from '../shown-colours';
import { readTrailingData, type TrailingData } from './trailing-data';
import { lacksOnlyItsEnd } from './end-marker';
import {
  DQT,
  findExif,
  findFrame,
  isIcc,
  isMetadata,
  isProgressiveFrame,
  readJpegFile,
  readJpegHead,
  type JpegFile,
  type JpegHead,
  type JpegSegment,
} from './jpeg-segments';

export interface JpegStructure extends JpegFrame, JpegFile {
  readonly orientation: Orientation;
  /** Undefined also if its parts are inconsistent: viewers then ignore it. */
  readonly iccProfile?: Uint8Array | undefined;
  /** 64 steps in zigzag order. */
  readonly lumaSteps?: readonly number[] | undefined;
  /** Before the first scan, in file order. */
  readonly metadata: readonly JpegSegment[];
  readonly trailing: TrailingData;
  readonly isEndMissing: boolean;
}

export interface JpegFrame {
  readonly storedSize: Dimensions;
  /** One component is grey, three are YCbCr or RGB, four are CMYK or YCCK. */
  readonly components: readonly { readonly horizontalSampling: number; readonly verticalSampling: number }[];
  /** Whether decoders must hold all coefficients: the file is progressive, or its first scan lacks components. */
  readonly isHeldWhole: boolean;
}

/** @throws ImageRefused `undecodable_image` when no frame header with a size precedes the first scan */
export function readJpegFrame(bytes: Uint8Array): JpegFrame {
  return readFrame(readJpegHead(bytes));
}

export function readJpegStructure(bytes: Uint8Array): JpegStructure {
  const file = readJpegFile(bytes);
  const { segments, end } = file;
  const frame = readFrame(file);
  const metadata = segments.filter(({ marker }) => isMetadata(marker));
  return {
    ...file,
    ...frame,
    orientation: readOrientation(findExif(metadata)),
    metadata,
    trailing:
      end < bytes.length
        ? readTrailingData(bytes, metadata, end)
        : { hasVideo: false, hasOtherPictures: false },
    isEndMissing: !file.hasEndMarker && lacksOnlyItsEnd(bytes, file),
    iccProfile: joinIccProfile(segments),
    lumaSteps: firstQuantizationTable(segments),
  };
}

export function readLumaSteps(bytes: Uint8Array): number[] | undefined {
  return firstQuantizationTable(readJpegHead(bytes).segments);
}

/** 4:2:0. */
export function isChromaHalved({ components }: JpegStructure): boolean {
  if (components.length !== 3) return false;
  const [luma, cb, cr] = components;
  return [cb, cr].every(
    (c) =>
      c.horizontalSampling * 2 === luma.horizontalSampling &&
      c.verticalSampling * 2 === luma.verticalSampling,
  );
}

export function jpegColours({ components, iccProfile }: JpegStructure): ShownColours {
  if (!iccProfile) return {};
  if (components.length === 4) return readColourSpace(iccProfile) === 'CMYK' ? {} : { hasOtherProfile: true };
  return profiledColours(iccProfile, components.length === 1);
}

function readFrame({ segments, scanHeader }: JpegHead): JpegFrame {
  const { marker, payload } = findFrame(segments) ?? {};
  if (marker === undefined || !payload || payload.length < 6) throw damaged('JPEG', 'it has no frame header');
  const [height = 0, width = 0] = [uint16(payload, 1), uint16(payload, 3)];
  if (width === 0 || height === 0) throw damaged('JPEG', 'its width or height is zero');
  const components = Array.from({ length: Math.floor((payload.length - 6) / 3) }, (_, i) => ({
    horizontalSampling: payload[6 + i * 3 + 1] >> 4,
    verticalSampling: payload[6 + i * 3 + 1] & 15,
  })).slice(0, payload[5]);
  const isPartialScan = (scanHeader?.at(0) ?? 0) < components.length;
  return {
    storedSize: { height, width },
    components,
    isHeldWhole: isProgressiveFrame(marker) || isPartialScan,
  };
}

/** Each part states its number and the number of parts (ICC.1:2022, B.4). */
function joinIccProfile(segments: readonly JpegSegment[]): Uint8Array | undefined {
  const parts = segments
    .filter(isIcc)
    .map(({ payload }) => ({ number: payload[12], count: payload[13], data: payload.subarray(14) }))
    .sort((a, b) => a.number - b.number);
  const fit = parts.every(({ number, count }, i) => number === i + 1 && count === parts.length);
  return parts.length > 0 && fit ? Buffer.concat(parts.map(({ data }) => data)) : undefined;
}

function firstQuantizationTable(segments: readonly JpegSegment[]) {
  const payload = segments.find(({ marker }) => marker === DQT)?.payload;
  if (!payload) return undefined;
  const wide = payload[0] >> 4 !== 0;
  const steps = Array.from({ length: 64 }, (_, i) => (wide ? uint16(payload, 1 + i * 2) : payload[1 + i]));
  return steps.every((step): step is number => step !== undefined) ? steps : undefined;
}

/** By frame header code (T.81, table B.1). */
const UNUSUAL_PROCESSES: Readonly<Record<number, string>> = {
  0xc3: 'lossless coding (SOF3)',
  0xc5: 'hierarchical coding (SOF5)',
  0xc6: 'hierarchical coding (SOF6)',
  0xc7: 'hierarchical coding (SOF7)',
  0xc9: 'arithmetic coding (SOF9)',
  0xca: 'arithmetic coding (SOF10)',
  0xcb: 'lossless arithmetic coding (SOF11)',
  0xcd: 'hierarchical arithmetic coding (SOF13)',
  0xce: 'hierarchical arithmetic coding (SOF14)',
  0xcf: 'hierarchical arithmetic coding (SOF15)',
};
const BASELINE_BITS = 8;

export function unusualFeatures(jpeg: Uint8Array): string | undefined {
  const frame = findFrame(readJpegHead(jpeg).segments);
  if (!frame || frame.payload.length === 0) return undefined;
  const bits = frame.payload[0];
  const features = [
    ...(frame.marker in UNUSUAL_PROCESSES ? [UNUSUAL_PROCESSES[frame.marker]] : []),
    ...(bits === BASELINE_BITS ? [] : [`${bits}-bit samples`]),
  ];
  return features.length > 0 ? features.join(' and ') : undefined;
}
