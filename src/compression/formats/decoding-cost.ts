/**
 * What a file would cost to decode, by its structure: time, where a JPEG is gone through scan by scan, and memory,
 * where a decoder has to hold the whole picture, however small it is to be delivered. Small files can ask for much of
 * both; what is left over is decoded row by row and costs little more than the result.
 */
import { ImageRefused } from '../domain/refusal';
import { countScans } from './jpeg/jpeg-segments';
import type { JpegStructure } from './jpeg/jpeg-structure';
import type { PngStructure } from './png/png-structure';

/** Encoders write about 10 scans, the most thorough 20: these are never too many, however large the picture. */
const USUAL_SCANS = 20;
/**
 * Scans x pixels that one decode may cost: 20 scans of the 268 megapixels accepted by default, and more of smaller
 * pictures. libjpeg-turbo takes about 0.4 s for a thousand million of them.
 */
const MOST_SCANNED_PIXELS = 6_000_000_000;
/** What a decoder may hold of a picture that cannot be read row by row. */
const MOST_HELD_BYTES = 1024 * 1024 * 1024;
/** A coefficient of a JPEG in the memory of a decoder. */
const COEFFICIENT_BYTES = 2;
/** Samples of a decoded pixel by PNG's colour type; a palette is looked up. */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/**
 * @throws ImageRefused undecodable_image for too many scans, too_many_pixels when its coefficients, which all scans
 * but a single one need together, would take too much memory.
 */
export function refuseCostlyJpeg(bytes: Uint8Array, { stored, components }: JpegStructure): void {
  const pixels = stored.width * stored.height;
  const scans = countScans(bytes);
  const mostScans = Math.max(USUAL_SCANS, Math.floor(MOST_SCANNED_PIXELS / pixels));
  if (scans > mostScans) {
    throw new ImageRefused(
      'undecodable_image',
      `The JPEG is coded in ${scans} scans, at its size at most ${mostScans} are decoded; save it with fewer.`,
      { limit: mostScans, actual: scans },
    );
  }
  if (scans <= 1) return;
  const area = components.map(
    ({ horizontalSampling, verticalSampling }) => horizontalSampling * verticalSampling,
  );
  const samplesPerPixel = area.reduce((sum, share) => sum + share, 0) / Math.max(...area, 1);
  refuseHeld(pixels, samplesPerPixel * COEFFICIENT_BYTES, 'progressive JPEG', 'save it as a baseline JPEG');
}

/** @throws ImageRefused too_many_pixels when the picture is interlaced and would take too much memory. */
export function refuseCostlyPng({ stored, colourType, bitDepth, isInterlaced }: PngStructure): void {
  if (!isInterlaced) return;
  const bytesPerPixel = ((PNG_SAMPLES[colourType] ?? 4) * Math.max(8, bitDepth)) / 8;
  refuseHeld(stored.width * stored.height, bytesPerPixel, 'interlaced PNG', 'save it without interlacing');
}

function refuseHeld(actual: number, bytesPerPixel: number, kind: string, remedy: string): void {
  const limit = Math.floor(MOST_HELD_BYTES / bytesPerPixel);
  if (actual <= limit) return;
  const megapixels = Math.floor(limit / 1e6);
  throw new ImageRefused(
    'too_many_pixels',
    `The ${kind} has too many pixels: of its kind at most ${megapixels} megapixels are accepted; ${remedy}.`,
    { limit, actual },
  );
}
