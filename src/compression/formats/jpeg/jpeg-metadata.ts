/** The metadata of a rewritten JPEG. Encoders write none; this adds the segments needed for display, and those that the operator keeps. */
import { exifToKeep } from '../exif';
import { isPlainSrgb } from '../icc-profile';
import type { Resolution, WrittenMetadata } from '../reshaping';
import { xmpToKeep } from '../xmp-parts';
import { MAX_PAYLOAD_BYTES, profileSegments } from './jpeg-blocks';
import { gainMapDirectory, lacksAppleHeadroom, withGainMap, withoutPrivateSegments } from './jpeg-companions';
import { mayHaveJfif, resolutionOfJpeg, withJfif, withSegments } from './segment-writer';
import {
  APP0,
  APP1,
  APP11,
  APP13,
  APP14,
  APP2,
  COM,
  EXIF_HEADER,
  ISO_GAIN_MAP_HEADER,
  MPF_HEADER,
  XMP_HEADER,
  exifOf,
  isExif,
  isIcc,
  isNamed,
  isXmp,
  type JpegSegment,
} from './jpeg-segments';
import type { JpegStructure } from './jpeg-structure';
import { isResultMarker, resultMarker } from './result-marker';
import { iptcParts, PHOTOSHOP_HEADER, updatedResources } from './photoshop-resources';

export interface KeptOptions extends WrittenMetadata {
  /** Whether the colours were converted, so that the old profile no longer applies. */
  readonly isConverted?: boolean;
  /** The profile of converted colours; absent for sRGB. */
  readonly icc?: Uint8Array | undefined;
  /** Set if a file cannot begin with JFIF, so that it must begin with EXIF, which then has to state this. */
  readonly stated?: { readonly resolution: Resolution | undefined };
}

export interface MetadataOptions extends KeptOptions {
  /** The target of the compression, which the file records. */
  readonly targetScore: number;
  /** The density for which the file was compressed, which it records too. */
  readonly density: number;
}

/** Returns the segments of the new file, in order. */
export function keptSegments(structure: JpegStructure, written: KeptOptions): JpegSegment[] {
  const { metadata, companions } = structure;
  const { gainMap } = companions;
  const needsAppleHeadroom = gainMap !== undefined && lacksAppleHeadroom(gainMap);
  const { stated } = written;
  const exif = exifToKeep(exifOf(metadata), {
    ...written,
    needsAppleHeadroom,
    resolution: stated?.resolution,
    isRequired: stated !== undefined,
  });
  return [
    ...(exif ? [{ marker: APP1, payload: Buffer.concat([Buffer.from(EXIF_HEADER, 'latin1'), exif]) }] : []),
    ...metadata
      .filter((segment) => gainMap !== undefined || !announcesGainMap(segment))
      .flatMap((segment) => keptDescription(segment, written)),
    ...(written.isConverted ? profileSegments(written.icc) : colourSegments(structure)),
    ...(gainMap ? metadata.filter((segment) => isNamed(segment, APP2, ISO_GAIN_MAP_HEADER)) : []),
  ].filter(({ payload }) => payload.length <= MAX_PAYLOAD_BYTES);
}

/**
 * Returns a newly encoded JPEG with the kept metadata and gain map of its source. It begins with JFIF, or with EXIF if JFIF would
 * change its colours, and states the resolution.
 */
export function withMetadataOf(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: MetadataOptions,
): Uint8Array {
  const more = [resultMarker(jpeg, written)];
  const resolution = resolutionOfJpeg(structure.metadata, written.reshaped);
  if (mayHaveJfif(jpeg)) return withKeptMetadata(structure, withJfif(jpeg, resolution), written, more);
  return withKeptMetadata(structure, jpeg, { ...written, stated: { resolution } }, more);
}

/** Does the same, with these segments after the kept ones. */
export function withKeptMetadata(
  structure: JpegStructure,
  jpeg: Uint8Array,
  written: KeptOptions,
  more: readonly JpegSegment[],
): Uint8Array {
  const segments = [...keptSegments(structure, written), ...more];
  const { gainMap } = structure.companions;
  if (!gainMap) return withSegments(jpeg, segments);
  // If everything is kept, the XMP directory of the source is still present and correct.
  if (written.keep === 'all') return withGainMap(jpeg, segments, gainMap);
  const map = withoutPrivateSegments(gainMap);
  const directory = gainMapDirectory(map);
  return withGainMap(jpeg, directory ? [...segments, directory] : segments, map);
}

/** Returns the colour profile segments unchanged, even invalid ones, so that viewers treat them as before. */
function colourSegments({ iccProfile, metadata }: JpegStructure): JpegSegment[] {
  return iccProfile && isPlainSrgb(iccProfile) ? [] : metadata.filter(isIcc);
}

/** Returns whether this is XMP that refers to a gain map after the image. */
function announcesGainMap(segment: JpegSegment): boolean {
  return isXmp(segment) && Buffer.from(segment.payload).includes('ns.adobe.com/hdr-gain-map');
}

/** Returns the kept part of a descriptive segment: nothing, some parts, or everything that still applies. */
function keptDescription(segment: JpegSegment, written: KeptOptions): JpegSegment[] {
  const { payload } = segment;
  const isPhotoshop = isNamed(segment, APP13, PHOTOSHOP_HEADER);
  if (isXmp(segment)) return changed(segment, keptXmp(payload, written));
  switch (written.keep) {
    case 'none':
      return [];
    case 'all':
      if (isPhotoshop) return changed(segment, updatedResources(payload, written.reshaped));
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
 * Returns whether a segment is metadata that can be copied unchanged. Excluded are JFIF and Adobe segments, which describe the old
 * coding; EXIF, profiles, gain maps and the index of images, which are written anew; and signatures of the old bytes (JUMBF in APP11).
 */
function isDescription(segment: JpegSegment): boolean {
  const { marker } = segment;
  if (marker === COM) return !isResultMarker(segment);
  if (marker === APP0 || marker === APP11 || marker === APP14) return false;
  const isWrittenAnew =
    isExif(segment) ||
    isNamed(segment, APP2, MPF_HEADER) ||
    isNamed(segment, APP2, ISO_GAIN_MAP_HEADER) ||
    isIcc(segment);
  return !isWrittenAnew;
}
