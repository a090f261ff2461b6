/** Which segments of an upload describe the image, and where it names its author. */
import { text, uint32 } from '../../bytes';
import { isReshaped, type WrittenMetadata } from '../../reshaping';
import { iptcResource, type RightsSources } from '../../rights';
import {
  APP0,
  APP11,
  APP13,
  COM,
  findExif,
  findXmp,
  isAdobe,
  isExif,
  isIcc,
  isIsoGainMap,
  isMoreXmp,
  isMpf,
  isJumbf,
  isXmp,
  named,
  type JpegSegment,
} from '../jpeg-segments';
import type { JpegStructure } from '../jpeg-structure';
import { isResultMarker } from '../result-marker';
import { metadataSegment } from '../segment-writer';

const PHOTOSHOP_HEADER = 'Photoshop 3.0\0';
const isPhotoshop = named(APP13, PHOTOSHOP_HEADER);
/** Identifier, number of the box and number of the segment (ISO/IEC 19566-5, D). The head of the box follows in each segment. */
const JUMBF_HEADER_BYTES = 8;
const BOX_HEAD_BYTES = { usual: 8, long: 16 };

export function sourcesIn(metadata: readonly JpegSegment[]): RightsSources {
  return {
    exif: findExif(metadata),
    xmp: findXmp(metadata),
    resources: metadata.filter(isPhotoshop).map(({ payload }) => payload.subarray(PHOTOSHOP_HEADER.length)),
    credentials: Buffer.concat(metadata.filter(isJumbf).map(jumbfContent)),
  };
}

/** A length of 1 means that a longer one follows. */
function jumbfContent({ payload }: JpegSegment) {
  const head = uint32(payload, JUMBF_HEADER_BYTES) === 1 ? 'long' : 'usual';
  return payload.subarray(JUMBF_HEADER_BYTES + BOX_HEAD_BYTES[head]);
}

function packetIn(metadata: readonly JpegSegment[]) {
  return text(findXmp(metadata) ?? new Uint8Array());
}

const DESCRIBES_TRAILING = /hdr-gain-map|Container:Directory|Camera:(?:MotionPhoto|MicroVideo)/;
/** A new file has no padding between its images. */
const HAS_PADDING = /Item:Padding(?:=["']|>)\s*[1-9]/;

export function describesTrailingData(metadata: readonly JpegSegment[]): boolean {
  return DESCRIBES_TRAILING.test(packetIn(metadata));
}

export function isXmpWrong({ metadata, trailing }: JpegStructure): boolean {
  const packet = packetIn(metadata);
  const { gainMap, hasVideo, hasOtherPictures } = trailing;
  if (hasVideo || hasOtherPictures) return DESCRIBES_TRAILING.test(packet);
  return gainMap ? HAS_PADDING.test(packet) : packet.includes('ns.adobe.com/hdr-gain-map');
}

/** Of Photoshop's resources, only IPTC is still true of other pixels. */
export function keptDescription(one: JpegSegment, { reshaped }: WrittenMetadata): JpegSegment[] {
  if (!isDescription(one)) return [];
  if (!isReshaped(reshaped) || !isPhotoshop(one)) return [one];
  const iptc = iptcResource(one.payload.subarray(PHOTOSHOP_HEADER.length));
  return iptc ? [metadataSegment(APP13, PHOTOSHOP_HEADER, iptc.raw)] : [];
}

/** Excluded are segments that are written anew, and signatures of the old bytes (JUMBF in APP11). */
export function isDescription(one: JpegSegment): boolean {
  const { marker } = one;
  if (marker === COM) return !isResultMarker(one);
  const isCoding = marker === APP0 || marker === APP11 || isAdobe(one) || isIcc(one);
  const isEmbedded = isExif(one) || isXmp(one) || isMoreXmp(one);
  return !isCoding && !isEmbedded && !isOfGainMap(one);
}

export function isOfGainMap(one: JpegSegment): boolean {
  return isMpf(one) || isIsoGainMap(one);
}
