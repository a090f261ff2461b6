/** What docs/deploying.md says about memory, as arithmetic: how much a replica may take with these settings. */
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { heldBytesOfPng } from '../../src/compression/formats/decoding-cost';
import { environment, type Settings } from '../../src/settings/settings';

/** Measured: the service without bodies, and a worker without an image. */
const SERVICE_BYTES = 120 * 1024 * 1024;
const WORKER_BYTES = 62 * 1024 * 1024;

/** Bytes that the decoder of a progressive JPEG or an interlaced PNG may hold; refused above (decoding-cost.ts). */
const MAX_HELD_BYTES = 1024 * 1024 * 1024;
/** RGBA of 16 bits, the samples that make an interlaced PNG hold most. */
const HELD_BYTES_PER_PIXEL = 8;

/** Bytes that a container with these settings needs at most. */
export function neededBytes({ compression: { memory, pool, policy } }: Settings): number {
  const square = (pixels: number) => ({
    width: Math.floor(Math.sqrt(pixels)),
    height: Math.floor(Math.sqrt(pixels)),
  });
  const heldPixels = Math.min(policy.maxPixels, MAX_HELD_BYTES / HELD_BYTES_PER_PIXEL);
  const interlaced = {
    stored: square(heldPixels),
    colourType: 6,
    bitDepth: 16,
    isInterlaced: true,
  };
  const largest = Math.max(
    memoryDemand('png', square(policy.maxPixels), policy.maxDimensionPx),
    memoryDemand('png', interlaced.stored, policy.maxDimensionPx, heldBytesOfPng(interlaced)),
    // A progressive JPEG of three components, two bytes per coefficient.
    memoryDemand(
      'jpeg',
      square(Math.min(policy.maxPixels, MAX_HELD_BYTES / 6)),
      policy.maxDimensionPx,
      MAX_HELD_BYTES,
    ),
  );
  const pixels = Math.max(memory.pixelBytes, largest);
  return SERVICE_BYTES + memory.uploadBytes + pool.workers * WORKER_BYTES + pixels;
}

/** Milliseconds that a stop may take: until proxies have noticed, for what was accepted, and for the rest. */
export const stopMs = ({ http: { shutdownGraceMs, shutdownTimeoutMs } }: Settings) =>
  shutdownGraceMs + shutdownTimeoutMs + 3_000;

/** Names that the service reads from its environment, apart from those of OpenTelemetry. */
export function knownVariables(): Set<string> {
  return new Set(Object.keys(environment.shape));
}
