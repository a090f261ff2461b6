/**
 * The metadata of a rewritten JPEG. Encoders write none; here the segments are added that the image needs to be displayed as
 * before, and those that the operator wants to keep.
 */
import type { KeptMetadata } from '../../domain/compression-policy';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { text } from '../byte-reader';
import { exifToKeep } from '../exif';
import { isPlainSrgb } from '../icc-profile';
import { xmpToKeep } from '../xmp-parts';
import { profileSegments } from './jpeg-blocks';
import { gainMapDirectory, lacksAppleHeadroom, withGainMap, withoutPrivateSegments } from './gain-map';
import {
  APP0,
  APP1,
  APP2,
  APP11,
  APP13,
  APP14,
  COM,
  EXIF_HEADER,
  ISO_GAIN_MAP_HEADER,
  MPF_HEADER,
  XMP_HEADER,
} from './jpeg-markers';
import { withSegments, type JpegSegment } from './jpeg-segments';
import { exifOf, isIccSegment, type JpegStructure } from './jpeg-structure';
import { isResultMarker, resultMarker } from './result-marker';
import { iptcParts, PHOTOSHOP_HEADER, withoutThumbnails } from './photoshop-resources';

/** Most bytes of a segment after its length field. */
const MAX_PAYLOAD_BYTES = 65533;

export interface KeptOptions {
  readonly keep: KeptMetadata;
  /** EXIF orientation of the new pixels; 1 if they are upright. */
  readonly orientation: Orientation;
  /** Size of the new pixels as stored. */
  readonly dimensions: Dimensions;
  /** Whether the colours were converted, so that the old profile no longer applies. */
  readonly isConverted?: boolean;
  /** The profile of converted colours; absent for sRGB. */
  readonly icc?: Uint8Array;
}

export interface MetadataOptions extends KeptOptions {
  /** The target score of the compression, which the file records. */
  readonly targetScore: number;
}

/** Returns the segments of the new file, in order. */
export function keptSegments(structure: JpegStructure, written: KeptOptions): JpegSegment[] {
  const { metadata, companions } = structure;
  const { gainMap } = companions;
  const needsAppleHeadroom = gainMap !== undefined && lacksAppleHeadroom(gainMap);
  const exif = exifToKeep(exifOf(metadata), { ...written, needsAppleHeadroom });
  return [
    ...(exif ? [{ marker: APP1, payload: Buffer.concat([Buffer.from(EXIF_HEADER, 'latin1'), exif]) }] : []),
    ...metadata
      .filter((segment) => gainMap !== undefined || !announcesGainMap(segment))
      .flatMap((segment) => keptDescription(segment, written)),
    ...(written.isConverted ? profileSegments(written.icc) : colourSegments(structure)),
    ...(gainMap
      ? metadata.filter(({ marker, payload }) => isNamed(marker, payload, APP2, ISO_GAIN_MAP_HEADER))
      : []),
  ].filter(({ payload }) => payload.length <= MAX_PAYLOAD_BYTES);
}

/** Returns a newly encoded JPEG with the metadata and the gain map that are kept of its source. */
export function withMetadataOf(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: MetadataOptions,
): Uint8Array {
  return withKeptMetadata(structure, jpeg, written, [resultMarker(jpeg, written.targetScore)]);
}

/** Does the same, with these segments behind those that are kept. */
export function withKeptMetadata(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: KeptOptions,
  more: readonly JpegSegment[],
): Uint8Array {
  const segments = [...keptSegments(structure, written), ...more];
  const { gainMap } = structure.companions;
  if (!gainMap) return withSegments(jpeg, segments);
  // If everything is kept, the XMP directory of the source is still there and still correct.
  if (written.keep === 'all') return withGainMap(jpeg, segments, gainMap);
  const map = withoutPrivateSegments(gainMap);
  const directory = gainMapDirectory(map);
  return withGainMap(jpeg, directory ? [...segments, directory] : segments, map);
}

/** Returns the colour profile segments unchanged, even if they are invalid, so that viewers treat them as before. */
function colourSegments({ iccProfile, metadata }: JpegStructure): JpegSegment[] {
  return iccProfile && isPlainSrgb(iccProfile) ? [] : metadata.filter(isIccSegment);
}

/** Returns whether this is XMP that refers to a gain map after the image. */
function announcesGainMap({ marker, payload }: JpegSegment): boolean {
  return (
    isNamed(marker, payload, APP1, XMP_HEADER) && Buffer.from(payload).includes('ns.adobe.com/hdr-gain-map')
  );
}

/** Returns what is kept of a descriptive segment: nothing, some parts, or everything that is still true. */
function keptDescription(segment: JpegSegment, written: KeptOptions): JpegSegment[] {
  const { marker, payload } = segment;
  const isPhotoshop = isNamed(marker, payload, APP13, PHOTOSHOP_HEADER);
  if (isNamed(marker, payload, APP1, XMP_HEADER)) return changed(segment, keptXmp(payload, written));
  switch (written.keep) {
    case 'none':
      return [];
    case 'all':
      if (isPhotoshop) return changed(segment, withoutThumbnails(payload));
      return isDescription(segment) ? [segment] : [];
    default:
      return isPhotoshop ? changed(segment, iptcParts(payload, written.keep)) : [];
  }
}

function keptXmp(payload: Uint8Array, written: KeptOptions): Uint8Array | undefined {
  const packet = xmpToKeep(payload.subarray(XMP_HEADER.length), written);
  return packet && Buffer.concat([Buffer.from(XMP_HEADER, 'latin1'), packet]);
}

function changed({ marker }: JpegSegment, payload: Uint8Array | undefined): JpegSegment[] {
  return payload ? [{ marker, payload }] : [];
}

/**
 * Returns whether a segment is metadata that can be copied unchanged. It excludes JFIF and Adobe segments, which describe
 * the old coding; EXIF, profiles, gain maps and the index of images, which are written anew; and signatures of the old bytes
 * (JUMBF in APP11).
 */
function isDescription(segment: JpegSegment): boolean {
  const { marker, payload } = segment;
  if (marker === COM) return !isResultMarker(segment);
  if (marker === APP0 || marker === APP11 || marker === APP14) return false;
  const isWrittenAnew =
    isNamed(marker, payload, APP1, EXIF_HEADER) ||
    isNamed(marker, payload, APP2, MPF_HEADER) ||
    isNamed(marker, payload, APP2, ISO_GAIN_MAP_HEADER) ||
    isIccSegment(segment);
  return !isWrittenAnew;
}

export function isNamed(marker: number, payload: Uint8Array, expected: number, header: string): boolean {
  return marker === expected && text(payload, 0, header.length) === header;
}
