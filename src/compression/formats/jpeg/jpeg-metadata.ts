import type { KeptMetadata } from '../../domain/compression-policy';
import { convertedBlocks, keptBlocks, type ConvertedBlocks, type EmbeddedBlocks } from '../embedded-blocks';
import { uint16 } from '../byte-reader';
import { exifResolution, holdsMoreThan } from '../exif';
import { isPlainSrgb } from '../icc-profile';
import {
  isReshaped,
  jfifDensity,
  reshapedResolution,
  type Resolution,
  type Reshaping,
  type WrittenMetadata,
} from '../reshaping';
import { iptcResource, type RightsSources } from '../rights';
import {
  gainMapDirectory,
  isGainMapDirectory,
  lacksAppleHeadroom,
  withGainMap,
  withoutPrivateSegments,
} from './gain-map';
import {
  APP0,
  APP1,
  APP11,
  APP13,
  APP2,
  COM,
  EXIF_HEADER,
  ICC_HEADER,
  ISO_GAIN_MAP_HEADER,
  MPF_HEADER,
  XMP_HEADER,
  findExif,
  isAdobe,
  isExif,
  isFrameHeader,
  isIcc,
  isMetadata,
  isNamed,
  isXmp,
  readJpegHead,
  findXmp,
  type JpegSegment,
} from './jpeg-segments';
import type { JpegStructure } from './jpeg-structure';
import { isResultMarker, resultMarker } from './result-marker';
import { withoutLateMetadata, withoutSegments, withSegments } from './segment-writer';

const PHOTOSHOP_HEADER = 'Photoshop 3.0\0';
/** Continuation segments of a packet that one segment cannot hold (Adobe XMP, part 3). */
const MORE_XMP_HEADER = 'http://ns.adobe.com/xmp/extension/\0';
const MAX_PAYLOAD_BYTES = 65_533;
/** Longest EXIF or XMP block that is sure to fit into a segment. */
export const MAX_BLOCK_BYTES = MAX_PAYLOAD_BYTES - XMP_HEADER.length;
/** Bytes of a profile in one segment, after the header, the number of the part and the count of parts (ICC.1:2022, B.4). */
const PROFILE_PART_BYTES = MAX_PAYLOAD_BYTES - ICC_HEADER.length - 2;

interface KeptOptions extends WrittenMetadata {
  readonly isConverted?: boolean;
  readonly icc?: Uint8Array | undefined;
  /** Whether to write no more than the old file had: no new start, no index and no directory of a gain map. */
  readonly isLean?: boolean;
}

export type MetadataOptions = KeptOptions & { readonly targetScore: number; readonly density: number };

export function copyMetadata(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: MetadataOptions,
): Uint8Array {
  return withKeptMetadata(structure, jpeg, written, [resultMarker(jpeg, written)]);
}

/** The file begins with JFIF, or with EXIF if JFIF would change its colours, and states the resolution. */
function withKeptMetadata(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: KeptOptions,
  more: readonly JpegSegment[],
): Uint8Array {
  const { metadata, iccProfile } = structure;
  const { keep, reshaped, isLean = false } = written;
  const { gainMap: stored } = structure.trailing;
  const gainMap = stored && keep !== 'all' ? withoutPrivateSegments(stored) : stored;
  const resolution = resolutionOfJpeg(metadata, reshaped);
  const hasJfif = mayHaveJfif(jpeg);
  const image = hasJfif && (!isLean || metadata.some(isJfif)) ? withJfif(jpeg, resolution) : jpeg;
  const { blocks, losesXmp } = keptBlocks(sourcesIn(metadata), {
    ...written,
    isConverted: false,
    isXmpWrong: isXmpWrong(structure),
    xmp: gainMap ? gainMapDirectory(gainMap) : [],
    needsAppleHeadroom: gainMap !== undefined && lacksAppleHeadroom(gainMap),
    ...(hasJfif || isLean ? {} : { resolution, isRequired: true }),
  });
  const oldXmp = keep === 'all' && !losesXmp ? metadata.filter(isAnyXmp) : [];
  const newXmp = blocks.xmp && oldXmp.length === 0 && !isLean ? [segment(APP1, XMP_HEADER, blocks.xmp)] : [];
  const oldProfile = iccProfile && isPlainSrgb(iccProfile) ? [] : metadata.filter(isIcc);
  const segments = [
    ...(blocks.exif ? [segment(APP1, EXIF_HEADER, blocks.exif)] : []),
    ...oldXmp,
    ...(keep === 'all' ? metadata.flatMap((one) => keptDescription(one, written)) : []),
    ...(written.isConverted ? profileSegments(written.icc) : oldProfile),
    ...(gainMap ? metadata.filter((one) => isNamed(one, APP2, ISO_GAIN_MAP_HEADER)) : []),
    ...more,
    ...newXmp,
  ];
  if (!gainMap) return withSegments(image, segments);
  return isLean
    ? Buffer.concat([withSegments(image, segments), gainMap])
    : withGainMap(image, segments, gainMap);
}

function sourcesIn(metadata: readonly JpegSegment[]): RightsSources {
  return {
    exif: findExif(metadata),
    xmp: findXmp(metadata),
    resources: metadata.filter(isPhotoshop).map(({ payload }) => payload.subarray(PHOTOSHOP_HEADER.length)),
  };
}

function isPhotoshop(one: JpegSegment): boolean {
  return isNamed(one, APP13, PHOTOSHOP_HEADER);
}

function isAnyXmp(one: JpegSegment): boolean {
  return isXmp(one) || isNamed(one, APP1, MORE_XMP_HEADER);
}

function packetIn(metadata: readonly JpegSegment[]): string {
  return Buffer.from(findXmp(metadata) ?? []).toString('latin1');
}

const DESCRIBES_TRAILING = /hdr-gain-map|Container:Directory|Camera:(?:MotionPhoto|MicroVideo)/;
/** A new file has no padding between its images. */
const HAS_PADDING = /Item:Padding(?:=["']|>)\s*[1-9]/;

function isXmpWrong({ metadata, trailing }: JpegStructure): boolean {
  const packet = packetIn(metadata);
  const { gainMap, hasVideo, hasOtherPictures } = trailing;
  if (hasVideo || hasOtherPictures) return DESCRIBES_TRAILING.test(packet);
  return gainMap ? HAS_PADDING.test(packet) : packet.includes('ns.adobe.com/hdr-gain-map');
}

export function keepsXmp(metadata: readonly JpegSegment[], jpeg: Uint8Array): boolean {
  const packet = findXmp(metadata);
  return packet === undefined || Buffer.from(jpeg).includes(Buffer.from(packet));
}

/** Of Photoshop's resources, only IPTC is still true of other pixels. */
function keptDescription(one: JpegSegment, { reshaped }: WrittenMetadata): JpegSegment[] {
  if (!isDescription(one)) return [];
  if (!isReshaped(reshaped) || !isPhotoshop(one)) return [one];
  const iptc = iptcResource(one.payload.subarray(PHOTOSHOP_HEADER.length));
  return iptc ? [segment(APP13, PHOTOSHOP_HEADER, iptc.raw)] : [];
}

/** Excluded are segments that are written anew, and signatures of the old bytes (JUMBF in APP11). */
function isDescription(one: JpegSegment): boolean {
  const { marker } = one;
  if (marker === COM) return !isResultMarker(one);
  const isCoding = marker === APP0 || marker === APP11 || isAdobe(one) || isIcc(one);
  return !isCoding && !isExif(one) && !isAnyXmp(one) && !isOfGainMap(one);
}

function isOfGainMap(one: JpegSegment): boolean {
  return isNamed(one, APP2, MPF_HEADER) || isNamed(one, APP2, ISO_GAIN_MAP_HEADER);
}

/** Undefined if the file holds no metadata to remove, or the copy would be larger. */
export function withoutForeignMetadata(
  bytes: Uint8Array,
  structure: JpegStructure,
  keep: KeptMetadata,
): Uint8Array | undefined {
  const { metadata, end, orientation, storedSize: dimensions, hasLateMetadata } = structure;
  const image = hasLateMetadata ? withoutLateMetadata(bytes.subarray(0, end)) : bytes.subarray(0, end);
  const mayStart = mayHaveJfif(image);
  const bare = withoutSegments(
    image,
    (one) => isMetadata(one.marker) && !isAdobe(one) && !(mayStart && isJfif(one)),
  );
  const more = metadata.filter(isResultMarker);
  const makeCopy = (isLean: boolean) =>
    withKeptMetadata(structure, bare, { keep, orientation, dimensions, isLean }, more);
  const full = makeCopy(false);
  const copy = full.length <= bytes.length ? full : makeCopy(true);
  if (copy.length > bytes.length || Buffer.compare(copy, bytes) === 0) return undefined;
  const { gainMap = new Uint8Array() } = structure.trailing;
  const holdsMetadata =
    hasLateMetadata ||
    withoutPrivateSegments(gainMap).length < gainMap.length ||
    hasMoreBehind(bytes.subarray(end), gainMap) ||
    metadata.some((one) => isForeign(one, keep, gainMap.length > 0));
  return holdsMetadata ? copy : undefined;
}

/** A map that lacks its end includes the padding. */
function hasMoreBehind(behind: Uint8Array, gainMap: Uint8Array): boolean {
  const from = behind.findIndex((byte) => byte !== 0);
  return Buffer.compare(withoutZeros(behind.subarray(Math.max(0, from))), withoutZeros(gainMap)) !== 0;
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

function isForeign(one: JpegSegment, keep: KeptMetadata, hasGainMap: boolean): boolean {
  const { payload } = one;
  if (isJfif(one)) return payload.length > JFIF_BYTES;
  if (isExif(one)) return holdsMoreThan(keep, payload.subarray(EXIF_HEADER.length));
  if (isOfGainMap(one)) return !hasGainMap;
  if (isXmp(one)) return !hasGainMap || !isGainMapDirectory(payload.subarray(XMP_HEADER.length));
  return !isAdobe(one) && !isIcc(one) && !isResultMarker(one);
}

export function jpegBlocks(metadata: readonly JpegSegment[], written: WrittenMetadata): ConvertedBlocks {
  return convertedBlocks(sourcesIn(metadata), {
    ...written,
    resolution: resolutionOfJpeg(metadata, written.reshaped),
    isXmpWrong: DESCRIBES_TRAILING.test(packetIn(metadata)),
    hasMore: metadata.some((one) => isDescription(one) || isNamed(one, APP1, MORE_XMP_HEADER)),
  });
}

/** Leaves out a block that no segment can hold. */
export function jpegWithBlocks(
  jpeg: Uint8Array,
  { icc, exif, xmp, resolution }: EmbeddedBlocks,
  more: readonly JpegSegment[] = [],
): Uint8Array {
  const segments = [
    ...(fits(exif) ? [segment(APP1, EXIF_HEADER, exif)] : []),
    ...(fits(xmp) ? [segment(APP1, XMP_HEADER, xmp)] : []),
    ...profileSegments(icc),
    ...more,
  ];
  return withSegments(withJfif(jpeg, resolution), segments);
}

function fits(block: Uint8Array | undefined): block is Uint8Array {
  return block !== undefined && block.length <= MAX_BLOCK_BYTES;
}

function profileSegments(icc?: Uint8Array): JpegSegment[] {
  if (!icc) return [];
  const count = Math.ceil(icc.length / PROFILE_PART_BYTES);
  return Array.from({ length: count }, (_, i) => {
    const part = icc.subarray(i * PROFILE_PART_BYTES, (i + 1) * PROFILE_PART_BYTES);
    return segment(APP2, ICC_HEADER, Buffer.concat([Buffer.of(i + 1, count), part]));
  });
}

function segment(marker: number, header: string, block: Uint8Array): JpegSegment {
  return { marker, payload: Buffer.concat([Buffer.from(header, 'latin1'), block]) };
}

/** JFIF (ITU-T T.871) makes three components YCbCr, and decoders trust it over Adobe's marker: RGB must not have it. */
const JFIF_HEADER = 'JFIF\0';
const JFIF_BYTES = 14;
const VERSION = [1, 1];
const DENSITY_AT = 7;
const UNITS: readonly Resolution['unit'][] = ['aspect', 'inch', 'centimetre'];
const [TRANSFORM_AT, YCBCR] = [11, 1];
const RGB_IDS = 'RGB';

function isJfif(segment: JpegSegment): boolean {
  return isNamed(segment, APP0, JFIF_HEADER) && segment.payload.length >= JFIF_BYTES;
}

function resolutionOfJpeg(metadata: readonly JpegSegment[], reshaped?: Reshaping): Resolution | undefined {
  const density = readDensity(metadata.find(isJfif)?.payload);
  const isStated = density && (density.unit !== 'aspect' || density.x !== density.y);
  const exif = isStated ? undefined : findExif(metadata);
  const resolution = (exif && exifResolution(exif)) ?? density;
  return resolution && reshapedResolution(resolution, reshaped);
}

function readDensity(jfif: Uint8Array | undefined): Resolution | undefined {
  if (!jfif) return undefined;
  const unit = UNITS.at(jfif[DENSITY_AT]);
  const [x, y] = [uint16(jfif, DENSITY_AT + 1), uint16(jfif, DENSITY_AT + 3)];
  return unit && x && y ? { unit, x, y } : undefined;
}

function mayHaveJfif(jpeg: Uint8Array): boolean {
  const { segments } = readJpegHead(jpeg);
  const frame = segments.find(({ marker }) => isFrameHeader(marker))?.payload;
  const components = frame?.[5];
  if (components !== 3 || segments.some(isJfif)) return components === 1 || components === 3;
  const adobe = segments.find(isAdobe);
  if (adobe) return adobe.payload[TRANSFORM_AT] === YCBCR;
  return ![0, 1, 2].every((i) => frame?.[6 + i * 3] === RGB_IDS.charCodeAt(i));
}

function withJfif(jpeg: Uint8Array, resolution: Resolution | undefined): Uint8Array {
  const [unit, x, y] = jfifDensity(resolution);
  const version = readJpegHead(jpeg).segments.find(isJfif)?.payload.subarray(JFIF_HEADER.length, DENSITY_AT);
  const numbers = [...(version ?? VERSION), unit, x >> 8, x & 0xff, y >> 8, y & 0xff, 0, 0];
  const payload = Buffer.concat([Buffer.from(JFIF_HEADER, 'latin1'), Buffer.from(numbers)]);
  return withSegments(withoutSegments(jpeg, isJfif), [{ marker: APP0, payload }]);
}
