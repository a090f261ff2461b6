/** The sizing rules of docs/deploying.md: memory and stop time of a replica with given settings. */
import type { Dimensions } from '../../src/compression/domain/dimensions';
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { heldBytesOfPng } from '../../src/compression/formats/image-header';
import { SLICES, listVariables, type Settings } from '../../src/settings/settings';

/** Measured: the service process without uploads, and an idle worker, of which there are two for each image that runs. */
const SERVICE_BYTES = 125 * 1024 * 1024;
const WORKER_BYTES = 75 * 1024 * 1024;
/** Most that a decoder may hold of an image; images that need more are refused (image-header.ts). */
const MAX_HELD_BYTES = 1024 ** 3;
/** A progressive JPEG in 4:4:4: three coefficients of 2 bytes. */
const PROGRESSIVE_BYTES_PER_PIXEL = 6;
/** An interlaced PNG in RGBA of 16 bits. */
const INTERLACED_BYTES_PER_PIXEL = 8;

export function neededBytes({ compression: { memory, pool, policy } }: Settings) {
  const { maxPixels } = policy;
  const progressivePixels = Math.min(maxPixels, MAX_HELD_BYTES / PROGRESSIVE_BYTES_PER_PIXEL);
  const coefficients = progressivePixels * PROGRESSIVE_BYTES_PER_PIXEL;
  const interlaced = {
    storedSize: square(Math.min(maxPixels, MAX_HELD_BYTES / INTERLACED_BYTES_PER_PIXEL)),
    colourType: 6,
    bitDepth: 16,
    isInterlaced: true,
  };
  const pixels = Math.max(
    memory.pixelBytes,
    ...[
      { format: 'png', dimensions: square(maxPixels), mayBeTransparent: true } as const,
      { format: 'png', dimensions: interlaced.storedSize, heldBytes: heldBytesOfPng(interlaced) } as const,
      { format: 'jpeg', dimensions: square(progressivePixels), heldBytes: coefficients } as const,
    ].map((header) => memoryDemand(header, policy)),
  );
  return SERVICE_BYTES + memory.uploadBytes + 2 * pool.workers * WORKER_BYTES + pixels;
}

function square(pixels: number): Dimensions {
  const side = Math.floor(Math.sqrt(pixels));
  return { width: side, height: side };
}

/** Longest duration of a stop: the grace period, accepted images, and closing connections. */
export const stopMs = ({ http: { shutdownGraceMs, shutdownTimeoutMs } }: Settings) =>
  shutdownGraceMs + shutdownTimeoutMs + 3_000;

/** Environment variables that the service reads, except those of OpenTelemetry. */
export function knownVariables() {
  return new Set(Object.keys(listVariables(SLICES)));
}
