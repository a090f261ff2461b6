/** Data in a JPEG that are neither redundant nor private: see embedded-data.ts. */
import { text } from '../bytes';
import { exifData, knownData, textData, unknownData, xmpData, type FoundData } from '../embedded-data';
import { TAG } from '../exif';
import { holdsPaths } from '../rights';
import { TiffReader } from '../tiff';
import {
  APP11,
  APP1,
  APP2,
  COM,
  EXIF_HEADER,
  findExif,
  isExif,
  isMoreXmp,
  isJumbf,
  isXmp,
  MORE_XMP_HEADER,
  named,
  type JpegSegment,
} from './jpeg-segments';
import type { JpegStructure } from './jpeg-structure';
import { sourcesIn } from './metadata/kept-segments';

/** Segments with the pixels, previews and notes of cameras and editors, by marker (list: ExifTool, JPEG.pm). */
const SILENT: Readonly<Partial<Record<number, RegExp>>> = {
  0xe0: /^(?:JFIF\0|JFXX\0|AVI1|Ocad|(?:II|MM).{4}HEAPJPGM)/s,
  0xe1: /^QVCI\0/,
  0xe2: /^(?:ICC_PROFILE\0|FPXR\0|MPF\0|urn:iso:std:iso:ts:21496:-1\0|(?:QVGA\0|BGTH)?\xff\xd8\xff)/,
  0xe3: /^(?:Meta\0\0|META\0\0|Exif\0\0|\xff\xd8\xff)/,
  0xe4: /^(?:SCALADO\0|FPXR\0)/,
  0xe5: /^RMETA\0|ssuniqueid\0/,
  0xe6: /^(?:EPPIM\0|GoPro\0|TDHD|MMIMETA\0)/,
  0xe7: /^(?:PENTAX \0|HUAWEI\0\0|\x1aQualcomm)/,
  0xe8: /^SPIFF\0/,
  0xe9: /^Media Jukebox\0/,
  0xea: /^(?:UNICODE|AROT)\0/,
  0xec: /^Ducky|\[picture info\]|Type=/,
  0xed: /^(?:Photoshop 3\.0\0|Adobe_Photoshop2\.5|Adobe_CM)/,
  0xee: /^Adobe/,
  0xef: /^(?:Q\s*\d|TEXT\0)/,
};
const HEAD_BYTES = 256;
const THERMAL = [named(APP1, 'FLIR\0'), named(APP1, 'PARROT\0')];
/** InfiRay's thermal cameras. */
const INFIRAY = /^.{4}IJPEG\0/s;
/** Identifier, length and offset of a part of the extension (Adobe XMP, part 3). */
const MORE_XMP_HEAD_BYTES = MORE_XMP_HEADER.length + 40;

export function jpegData({ metadata, trailing }: Pick<JpegStructure, 'metadata' | 'trailing'>): FoundData[] {
  return [
    ...segmentData(metadata),
    ...(trailing.hasOtherPictures ? [knownData('other-pictures')] : []),
    ...(trailing.data ?? []),
  ];
}

/** Returns what a file in its format keeps with all metadata. Any change makes signatures (JUMBF) invalid. */
export function jpegDataToKeep({ metadata }: Pick<JpegStructure, 'metadata'>): FoundData[] {
  return segmentData(metadata.filter(({ marker }) => marker !== APP11));
}

function segmentData(metadata: readonly JpegSegment[]): FoundData[] {
  const hasThermalCamera = isByDji(findExif(metadata)) || metadata.some((one) => INFIRAY.test(headOf(one)));
  const packet = metadata.flatMap((one) => {
    if (isXmp(one)) return [one.payload];
    return isMoreXmp(one) ? [one.payload.subarray(MORE_XMP_HEAD_BYTES)] : [];
  });
  const found = metadata.flatMap((one) => {
    const { marker, payload } = one;
    if (isExif(one)) return exifData(payload.subarray(EXIF_HEADER.length));
    if (marker === COM) return textData(text(payload));
    if (isXmp(one) || isMoreXmp(one) || SILENT[marker]?.test(headOf(one))) return [];
    if (THERMAL.some((isThermal) => isThermal(one))) return [knownData('thermal')];
    if (isJumbf(one)) return [knownData('content-credentials')];
    return hasThermalCamera && marker >= APP2 && marker < APP11
      ? [knownData('thermal')]
      : [unknownData(payload.length)];
  });
  return [
    ...found,
    ...(packet.length > 0 ? xmpData(text(Buffer.concat(packet))) : []),
    ...(holdsPaths(sourcesIn(metadata)) ? [knownData('other-data')] : []),
  ];
}

function headOf({ payload }: JpegSegment) {
  return text(payload, 0, HEAD_BYTES);
}

/** DJI stores temperatures in APP3 to APP6, without a name. */
function isByDji(exif: Uint8Array | undefined) {
  const reader = exif && TiffReader.open(exif);
  const make = reader?.directory().entries.get(TAG.make);
  return !!reader && !!make && text(reader.value(make)).startsWith('DJI');
}
