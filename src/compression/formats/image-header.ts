/**
 * Reads uploads up to their pixels: in the service process only the header, in a worker the structure. Refuses what would cost too much
 * to decode before anything is decoded.
 */
import { sourceFormat, type ResultFormatName, type SourceFormat } from '../../contract/formats';
import { uprightSize, type Dimensions, type Orientation } from '../domain/dimensions';
import type { FrameSizes } from '../domain/memory-demand';
import {
  MAX_SIDE_PX,
  notAnImage,
  sideTooLong,
  tooManyPixels,
  tooManyPixelsToHold,
  tooManyScans,
} from '../../contract/image-problems';
import type { RemovedData } from '../../contract/report-words';
import type { KeptMetadata } from '../domain/compression-policy';
import { lostKinds, neededKinds, type FoundData } from './embedded-data';
import { isLikeSrgb } from './icc-profile';
import { jpegData, jpegDataToKeep } from './jpeg/jpeg-data';
import {
  jpegColours,
  readJpegFrame,
  readJpegStructure,
  type JpegStructure,
  type JpegFrame,
} from './jpeg/jpeg-structure';
import { removedTrailingData } from './jpeg/trailing-data';
import { declaredChunks } from './png/png-animation';
import { pngData, pngDataToKeep } from './png/png-data';
import { SAMPLES } from './png/png-raw-rows';
import { pngColours } from './png/png-shown-colours';
import {
  mayBeTransparent,
  PALETTE,
  readPngHeader,
  readPngStructure,
  type PngStructure,
  type PngHeader,
} from './png/png-structure';

interface Structures {
  readonly jpeg: JpegStructure;
  readonly png: PngStructure;
}

interface HeaderReader<Structure> {
  declare(bytes: Uint8Array): Omit<DeclaredImage, 'format'>;
  read(bytes: Uint8Array): Structure & { readonly storedSize: Dimensions; readonly orientation: Orientation };
  refuseCostly(structure: Structure): void;
  /** Bytes that a decoder holds of the full-size image, even if it is scaled down. */
  heldBytes(structure: Structure): number;
  mayBeTransparent(structure: Structure): boolean;
  /** Whether another format would lose data besides the image, or change the displayed colours. */
  losesByConversion(structure: Structure): boolean;
  /** Data besides the image that are neither redundant nor private. */
  data(structure: Structure, bytes: Uint8Array): FoundData[];
  /** What a new file in the same format keeps of them. */
  dataToKeep(structure: Structure, keep: KeptMetadata): FoundData[];
}

const READERS: { readonly [F in SourceFormat]: HeaderReader<Structures[F]> } = {
  jpeg: {
    declare: (bytes) => {
      const frame = readJpegFrame(bytes);
      return { dimensions: frame.storedSize, heldBytes: heldBytesOfJpeg(frame), mayBeTransparent: false };
    },
    read: readJpegStructure,
    refuseCostly: refuseCostlyJpeg,
    heldBytes: heldBytesOfJpeg,
    mayBeTransparent: () => false,
    losesByConversion: (structure) => {
      const { curves = [], hasOtherProfile, needsProfile = false } = jpegColours(structure);
      const isRewrittenOnly = structure.components.length === 4 || needsProfile || !curves.every(isLikeSrgb);
      const removed = removedTrailingData(structure.trailing, false);
      return removed.length > 0 || isRewrittenOnly || hasOtherProfile === true;
    },
    data: jpegData,
    dataToKeep: (structure, keep) => (keep === 'all' ? jpegDataToKeep(structure) : []),
  },
  png: {
    declare: (bytes) => {
      const header = readPngHeader(bytes);
      const chunks = declaredChunks(bytes, header);
      return { dimensions: header.storedSize, heldBytes: heldBytesOfPng(header), ...chunks };
    },
    read: readPngStructure,
    refuseCostly: refuseCostlyPng,
    heldBytes: heldBytesOfPng,
    mayBeTransparent,
    losesByConversion: (structure) => {
      const colours = pngColours(structure);
      return !colours || colours.hasOtherProfile === true || colours.needsProfile === true;
    },
    data: ({ chunks }, bytes) => pngData(chunks, bytes),
    dataToKeep: pngDataToKeep,
  },
};

/** For structures that it has read. */
function readerOf(format: SourceFormat): HeaderReader<Structures[SourceFormat]> {
  return READERS[format];
}

interface SourceWith<F extends SourceFormat> {
  readonly format: F;
  readonly bytes: Uint8Array;
  readonly structure: Structures[F];
  /** Upright. */
  readonly dimensions: Dimensions;
  readonly isAnimated: boolean;
  readonly heldBytes: number;
  readonly mayBeTransparent: boolean;
}

export type JpegSource = SourceWith<'jpeg'>;
export type PngSource = SourceWith<'png'>;
export type Source = { [F in SourceFormat]: SourceWith<F> }[SourceFormat];

export interface DeclaredImage {
  readonly format: SourceFormat;
  /** As stored. */
  readonly dimensions: Dimensions;
  readonly heldBytes: number;
  readonly mayBeTransparent: boolean;
  readonly frames?: FrameSizes | undefined;
  /** The format of the result where `format` is that of the pixels in between. */
  readonly resultFormat?: ResultFormatName;
}

/** @throws ImageRefused when the format is not accepted, or the file is damaged, too large or too expensive to decode */
export function readSource(bytes: Uint8Array, maxPixels: number): Source {
  const format = acceptedFormat(bytes);
  const reader = readerOf(format);
  const structure = reader.read(bytes);
  refuseManyPixels(structure.storedSize, maxPixels);
  reader.refuseCostly(structure);
  const dimensions = uprightSize(structure.storedSize, structure.orientation);
  const isAnimated = 'isAnimated' in structure && structure.isAnimated;
  const [heldBytes, mayBeTransparent] = [reader.heldBytes(structure), reader.mayBeTransparent(structure)];
  return { format, bytes, structure, dimensions, isAnimated, heldBytes, mayBeTransparent } as Source;
}

/** Whether a set or `auto` keeps the format of an upload, because another one would lose data or colours. */
export function losesByConversion({ format, structure }: Source): boolean {
  return readerOf(format).losesByConversion(structure);
}

/** Returns the data besides the image that are neither redundant nor private. */
export function findData({ format, structure, bytes }: Source): FoundData[] {
  return readerOf(format).data(structure, bytes);
}

/** Returns the data for whose sake `ics` leaves a file alone, as far as a new file in its format would lose them. */
export function neededData(source: Source, keep: KeptMetadata): RemovedData[] {
  return neededKinds(findData(source), readerOf(source.format).dataToKeep(source.structure, keep));
}

/**
 * Runs in the service process, so it reads only up to the first scan or pixels, and an animation's headers.
 * @throws ImageRefused when the format is not accepted, the header is invalid, or the image is too large
 */
export function readAcceptedHeader(bytes: Uint8Array, maxPixels: number): DeclaredImage {
  const format = acceptedFormat(bytes);
  const declared = { format, ...READERS[format].declare(bytes) };
  refuseManyPixels(declared.dimensions, maxPixels);
  return declared;
}

function acceptedFormat(bytes: Uint8Array) {
  const format = sourceFormat(bytes);
  if (!format) throw notAnImage(bytes);
  return format;
}

export function refuseManyPixels(size: Dimensions, maxPixels: number): void {
  if (size.width * size.height > maxPixels) throw tooManyPixels(size, maxPixels);
  // Decoders hold whole rows, and libvips holds many of them: a PNG of 8 000 000 x 32 pixels took 11 GB.
  const longest = Math.max(size.width, size.height);
  if (longest > MAX_SIDE_PX) throw sideTooLong(longest);
}

/** Encoders write about 10 scans, some up to 20. This many are accepted for images of any size. */
const MIN_SCAN_LIMIT = 20;
/** Scans × pixels: 20 scans at the default limit of 268 megapixels. libjpeg-turbo takes about 0.4 s per 10^9. */
const MAX_SCANNED_PIXELS = 6_000_000_000;
const MAX_HELD_BYTES = 1024 * 1024 * 1024;
const COEFFICIENT_BYTES = 2;
/** Decoders turn palettes into RGBA. */
const PALETTE_SAMPLES = 4;

/** Memory of libvips besides the pixels of an interlaced PNG: at most this, and at most as much as the pixels. */
const INTERLACING_BYTES = 128 * 1024 * 1024;

export function refuseCostlyJpeg(structure: JpegStructure): void {
  const { storedSize, scans } = structure;
  const pixels = storedSize.width * storedSize.height;
  const maxScans = Math.max(MIN_SCAN_LIMIT, Math.floor(MAX_SCANNED_PIXELS / pixels));
  if (scans > maxScans) throw tooManyScans(scans, maxScans);
  const held = heldBytesOfJpeg(structure);
  if (held > 0) refuseHeld(pixels, held / pixels, 'progressive JPEG');
}

/** Returns the bytes of coefficients that a decoder holds: all of them or none (libjpeg-turbo, jdmaster.c). */
function heldBytesOfJpeg({ storedSize, components, isHeldWhole }: JpegFrame) {
  if (!isHeldWhole) return 0;
  const area = components.map(
    ({ horizontalSampling, verticalSampling }) => horizontalSampling * verticalSampling,
  );
  const samplesPerPixel = area.reduce((sum, share) => sum + share, 0) / Math.max(...area, 1);
  return storedSize.width * storedSize.height * samplesPerPixel * COEFFICIENT_BYTES;
}

export function refuseCostlyPng(header: PngHeader): void {
  const { storedSize, isInterlaced } = header;
  const pixels = storedSize.width * storedSize.height;
  if (isInterlaced) refuseHeld(pixels, bytesPerPngPixel(header), 'interlaced PNG');
}

/** Returns the bytes that a decoder holds: an interlaced image with the memory of libvips for it, otherwise 0. */
export function heldBytesOfPng(header: PngHeader): number {
  const { storedSize, isInterlaced } = header;
  if (!isInterlaced) return 0;
  const bytes = storedSize.width * storedSize.height * bytesPerPngPixel(header);
  return bytes + Math.min(bytes, INTERLACING_BYTES);
}

function bytesPerPngPixel({ colourType, bitDepth }: PngHeader) {
  const samples = colourType === PALETTE ? PALETTE_SAMPLES : SAMPLES[colourType];
  return (samples * Math.max(8, bitDepth)) / 8;
}

function refuseHeld(pixels: number, bytesPerPixel: number, kind: Parameters<typeof tooManyPixelsToHold>[0]) {
  const limit = Math.floor(MAX_HELD_BYTES / bytesPerPixel);
  if (pixels > limit) throw tooManyPixelsToHold(kind, pixels, limit);
}

/** Names the data of an upload that a new file in its format lacks. Conversions know theirs. */
export function lostData(
  source: Source,
  { format, bytes }: { readonly format: ResultFormatName; readonly bytes: Uint8Array },
): RemovedData[] {
  if (format !== source.format || bytes === source.bytes) return [];
  const found = findData(source);
  return found.length > 0 ? lostKinds(found, findData(readSource(bytes, Infinity))) : [];
}
