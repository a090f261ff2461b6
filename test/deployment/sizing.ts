/** What docs/deploying.md says about memory, as arithmetic: how much a replica may take with these settings. */
import { memoryDemand } from '../../src/compression/domain/memory-demand';
import { environment, type Settings } from '../../src/settings/settings';

/** Measured: the service without bodies, and a worker without an image. */
const SERVICE_BYTES = 120 * 1024 * 1024;
const WORKER_BYTES = 62 * 1024 * 1024;

/** Bytes that a container with these settings needs at most. */
export function neededBytes({ compression: { memory, pool, policy } }: Settings): number {
  const side = Math.floor(Math.sqrt(policy.maxPixels));
  const largest = memoryDemand('png', { width: side, height: side }, policy.maxDimensionPx);
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
