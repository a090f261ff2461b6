/**
 * What of a JPEG's metadata goes with its picture into the new file. The encoders write none; what the picture needs to
 * be shown as before is put in here, and what the operator wants kept.
 */
import type { KeptMetadata } from '../../domain/compression-policy';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { text } from '../byte-reader';
import { exifToKeep } from '../exif';
import { isPlainSrgb } from '../icc-profile';
import { updatedXmp } from '../xmp';
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
import { PHOTOSHOP_HEADER, rightsOnly, withoutThumbnails } from './photoshop-resources';

/** Bytes that a segment holds behind its length field. */
const MAX_PAYLOAD_BYTES = 65533;

export interface WrittenAs {
  readonly keep: KeptMetadata;
  /** How the new pixels have to be turned: 1 when they are upright already. */
  readonly orientation: Orientation;
  /** Of the new pixels, as stored. */
  readonly dimensions: Dimensions;
  /** Whether the colours were converted, so that the old profile no longer describes them. */
  readonly isConverted?: boolean;
}

/** The segments to put into the new file, in order. */
function keptSegments(structure: JpegStructure, written: WrittenAs): JpegSegment[] {
  const { metadata, companions } = structure;
  const { gainMap } = companions;
  const needsAppleHeadroom = gainMap !== undefined && lacksAppleHeadroom(gainMap);
  const exif = exifToKeep(exifOf(metadata), { ...written, needsAppleHeadroom });
  return [
    ...(exif ? [{ marker: APP1, payload: Buffer.concat([Buffer.from(EXIF_HEADER, 'latin1'), exif]) }] : []),
    ...metadata.flatMap((segment) => keptDescription(segment, written)),
    ...(written.isConverted ? [] : colourSegments(structure)),
    ...(gainMap
      ? metadata.filter(({ marker, payload }) => isNamed(marker, payload, APP2, ISO_GAIN_MAP_HEADER))
      : []),
  ].filter(({ payload }) => payload.length <= MAX_PAYLOAD_BYTES);
}

/** A freshly coded picture with all that is kept of its source, the gain map included. */
export function withMetadataOf(structure: JpegStructure, jpeg: Uint8Array, written: WrittenAs): Uint8Array {
  const segments = keptSegments(structure, written);
  const { gainMap } = structure.companions;
  if (!gainMap) return withSegments(jpeg, segments);
  // With everything kept, the old directory in XMP is still there, and right as long as the map is the same.
  if (written.keep === 'all') return withGainMap(jpeg, segments, gainMap);
  const map = withoutPrivateSegments(gainMap);
  const directory = gainMapDirectory(map);
  return withGainMap(jpeg, directory ? [...segments, directory] : segments, map);
}

/** As they were stored, also where their parts do not fit together: what viewers made of it, they shall make again. */
function colourSegments({ iccProfile, metadata }: JpegStructure): JpegSegment[] {
  return iccProfile && isPlainSrgb(iccProfile) ? [] : metadata.filter(isIccSegment);
}

/** What describes the picture in words, by the setting: nothing, who made and owns it, or all that is still true. */
function keptDescription(segment: JpegSegment, written: WrittenAs): JpegSegment[] {
  const { marker, payload } = segment;
  const isPhotoshop = isNamed(marker, payload, APP13, PHOTOSHOP_HEADER);
  switch (written.keep) {
    case 'none':
      return [];
    case 'copyright':
      return isPhotoshop ? changed(segment, rightsOnly(payload)) : [];
    case 'all':
      if (isPhotoshop) return changed(segment, withoutThumbnails(payload));
      if (isNamed(marker, payload, APP1, XMP_HEADER)) return changed(segment, updatedXmp(payload, written));
      return isDescription(segment) ? [segment] : [];
  }
}

function changed({ marker }: JpegSegment, payload: Uint8Array | undefined): JpegSegment[] {
  return payload ? [{ marker, payload }] : [];
}

/**
 * Whether a segment is metadata that may be copied as it is. Not so: JFIF and Adobe's marker, which tell how the old
 * pixels were coded; EXIF, profiles, gain maps and the index of pictures, which are written anew; and signatures over
 * the old bytes (JUMBF in APP11).
 */
function isDescription(segment: JpegSegment): boolean {
  const { marker, payload } = segment;
  if (marker === COM) return true;
  if (marker === APP0 || marker === APP11 || marker === APP14) return false;
  const isWrittenAnew =
    isNamed(marker, payload, APP1, EXIF_HEADER) ||
    isNamed(marker, payload, APP2, MPF_HEADER) ||
    isNamed(marker, payload, APP2, ISO_GAIN_MAP_HEADER) ||
    isIccSegment(segment);
  return !isWrittenAnew;
}

function isNamed(marker: number, payload: Uint8Array, expected: number, header: string): boolean {
  return marker === expected && text(payload, 0, header.length) === header;
}
