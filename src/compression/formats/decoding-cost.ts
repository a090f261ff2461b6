/**
 * Estimates the cost of decoding a file from its structure: the time to process the scans of a JPEG, and the memory of
 * decoders that must hold the whole image. Small files can require much of both. All other files are decoded row by row,
 * at little more than the cost of the result.
 */
import { tooManyPixelsToHold, tooManyScans } from '../../contract/image-problems';
import type { JpegFrame, JpegStructure } from './jpeg/jpeg-structure';
import type { PngHeader } from './png/png-structure';

/** Encoders write about 10 scans, some up to 20. This many are accepted for images of any size. */
const USUAL_SCANS = 20;
/** Limit of scans × pixels: 20 scans at the default limit of 268 megapixels, more if smaller. libjpeg-turbo takes about 0.4 s per 10^9. */
const MAX_SCANNED_PIXELS = 6_000_000_000;
/** Limit of the memory of a decoder that must hold the whole image. */
const MAX_HELD_BYTES = 1024 * 1024 * 1024;
/** Size of a JPEG coefficient in a decoder. */
const COEFFICIENT_BYTES = 2;
/** Samples per decoded pixel by PNG colour type; palette images (3) become RGBA. */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/** Memory of libvips besides the pixels of an interlaced PNG: at most this, and at most as much as the pixels. */
const INTERLACING_BYTES = 128 * 1024 * 1024;

/**
 * Checks that a JPEG is not too expensive to decode.
 * @throws ImageRefused `undecodable_image` for too many scans; `too_many_pixels` when its coefficients need too much memory
 */
export function refuseCostlyJpeg(structure: JpegStructure): void {
  const { storedSize, scans } = structure;
  const pixels = storedSize.width * storedSize.height;
  const maxScans = Math.max(USUAL_SCANS, Math.floor(MAX_SCANNED_PIXELS / pixels));
  if (scans > maxScans) throw tooManyScans(scans, maxScans);
  const held = heldBytesOfJpeg(structure);
  if (held > 0) refuseHeld(pixels, held / pixels, 'progressive JPEG');
}

/**
 * Returns the bytes of coefficients that a decoder holds. Decoders hold all coefficients of progressive files, and of files
 * whose first scan lacks a component (libjpeg-turbo, jdmaster.c); for other files the result is 0.
 */
export function heldBytesOfJpeg({ storedSize, components, isHeldWhole }: JpegFrame): number {
  if (!isHeldWhole) return 0;
  const area = components.map(
    ({ horizontalSampling, verticalSampling }) => horizontalSampling * verticalSampling,
  );
  const samplesPerPixel = area.reduce((sum, share) => sum + share, 0) / Math.max(...area, 1);
  return storedSize.width * storedSize.height * samplesPerPixel * COEFFICIENT_BYTES;
}

/**
 * Checks that a PNG is not too expensive to decode.
 * @throws ImageRefused `too_many_pixels` when it is interlaced and needs too much memory
 */
export function refuseCostlyPng(header: PngHeader): void {
  const { storedSize, isInterlaced } = header;
  if (!isInterlaced) return;
  refuseHeld(storedSize.width * storedSize.height, bytesPerPngPixel(header), 'interlaced PNG');
}

/** Returns the bytes that a decoder holds: an interlaced image with the memory of libvips for it, otherwise 0. */
export function heldBytesOfPng(header: PngHeader): number {
  const { storedSize, isInterlaced } = header;
  if (!isInterlaced) return 0;
  const bytes = storedSize.width * storedSize.height * bytesPerPngPixel(header);
  return bytes + Math.min(bytes, INTERLACING_BYTES);
}

function bytesPerPngPixel({ colourType, bitDepth }: PngHeader): number {
  return ((PNG_SAMPLES[colourType] ?? 4) * Math.max(8, bitDepth)) / 8;
}

function refuseHeld(
  pixels: number,
  bytesPerPixel: number,
  kind: Parameters<typeof tooManyPixelsToHold>[0],
): void {
  const limit = Math.floor(MAX_HELD_BYTES / bytesPerPixel);
  if (pixels > limit) throw tooManyPixelsToHold(kind, pixels, limit);
}
