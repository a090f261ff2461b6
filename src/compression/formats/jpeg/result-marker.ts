/**
 * The marker of a result: a comment with target, density if it is not 1, and checksum: `ICS1 0.9914@2 8f3a01c2`.
 * The checksum covers tables, frame and scans, so metadata may change; it matches no other encode.
 */
import { crc32 } from 'node:zlib';
import { storedMillionths } from '../../domain/compression-policy';
import { text } from '../bytes';
import type { ResultPolicy } from '../result-policy';
import { COM, isMetadata, readJpegHead, type JpegSegment, type LocatedSegment } from './jpeg-segments';

const PATTERN = /^ICS1 (0\.\d{4,6}|1\.0{4,6})(?:@([1-4](?:\.\d)?))? ([0-9a-f]{8})$/;
const DIGITS = 6;

export function resultMarker(jpeg: Uint8Array, { targetScore, density }: ResultPolicy): JpegSegment {
  const score = (storedMillionths(targetScore) / 1e6).toFixed(DIGITS).replace(/0{1,2}$/, '');
  const made = density === 1 ? score : `${score}@${density}`;
  const sum = checksum(jpeg, readJpegHead(jpeg).segments);
  return { marker: COM, payload: Buffer.from(`ICS1 ${made} ${sum}`, 'latin1') };
}

/** Undefined also if the checksum does not match. @param jpeg the file up to the end of its image */
export function readResultMarker(
  jpeg: Uint8Array,
  segments: readonly LocatedSegment[],
): ResultPolicy | undefined {
  for (const segment of segments) {
    const found = PATTERN.exec(readComment(segment));
    if (!found) continue;
    const [, targetScore, density = '1', sum] = found;
    if (sum !== checksum(jpeg, segments)) return undefined;
    return { targetScore: Number(targetScore), density: Number(density) };
  }
  return undefined;
}

export function isResultMarker(segment: JpegSegment): boolean {
  return PATTERN.test(readComment(segment));
}

function readComment({ marker, payload }: JpegSegment) {
  return marker === COM && payload.length < 32 ? text(payload) : '';
}

function checksum(jpeg: Uint8Array, segments: readonly LocatedSegment[]) {
  let sum = 0;
  let codedFrom = 2;
  for (const { marker, start, end } of segments) {
    codedFrom = end;
    if (!isMetadata(marker)) sum = crc32(jpeg.subarray(start, end), sum);
  }
  return crc32(jpeg.subarray(codedFrom), sum).toString(16).padStart(8, '0');
}
