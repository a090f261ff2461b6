/**
 * The heartbeat of a worker process, sent from a separate thread because codecs block the main thread for seconds. It detects a
 * stopped or frozen process; the deadline ends an endless loop.
 */
import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';

/** The file descriptor to which a worker process writes its heartbeat. */
export const HEARTBEAT_FD = 4;
export const HEARTBEAT_MS = 500;

/** Starts the heartbeat of this worker process. */
export function startHeartbeat(): void {
  const limits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };
  new Thread(join(__dirname, 'heartbeat-thread.js'), { resourceLimits: limits }).unref();
}
