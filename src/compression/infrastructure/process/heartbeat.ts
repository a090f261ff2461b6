/**
 * The heartbeat of a worker process, sent from a separate thread because codecs block the main thread for seconds. It detects a
 * stopped or frozen process; the deadline ends an endless loop.
 */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Worker as Thread } from 'node:worker_threads';

/** The file descriptor to which a worker process writes its heartbeat. */
export const HEARTBEAT_FD = 4;
export const HEARTBEAT_MS = 500;

/** Starts the heartbeat of this worker process. */
export function startHeartbeat(): void {
  const limits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };
  new Thread(join(__dirname, 'heartbeat-thread.js'), { resourceLimits: limits }).unref();
}

/** Checks until the codecs must be loaded: 30 s. Loading normally takes 0.1 s, or some seconds on a machine under load. */
const MAX_CHECKS_UNTIL_LOADED = 60;
/** Checks until a worker must confirm that it received an image: 5 s. */
const MAX_CHECKS_UNTIL_BEGUN = 10;
/** Consecutive checks without a heartbeat after which a worker is killed: 3 s. */
const MAX_MISSED_BEATS = 6;
/** Bytes between two checks; a beat is one. A service that was blocked for a minute finds 120. More come from code that took the worker over. */
const MAX_BEATS = 1_000;

/**
 * The service's side: checks a worker every HEARTBEAT_MS. Timeouts count checks, because the service itself may be blocked for
 * seconds.
 */
export class VitalSigns {
  hasLoaded = false;
  private missedBeats = 0;
  private beats = 0;
  /** Checks since the process was started or sent an image, if it has not replied; undefined after a message. */
  private silentChecks: number | undefined = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param isSuspended while it is, no sign is expected
   * @param onLost called when a sign is missing, or there are too many; may be called again
   */
  constructor(
    heartbeat: Readable,
    private readonly isSuspended: () => boolean,
    private readonly onLost: (cause?: string) => void,
  ) {
    heartbeat.on('data', ({ length }: Buffer) => {
      this.missedBeats = 0;
      this.beats += length;
      if (this.beats > MAX_BEATS) this.onLost('it floods its heartbeat');
    });
    this.timer = setInterval(() => this.check(), HEARTBEAT_MS).unref();
  }

  /** The worker was sent an image, and has to confirm it. */
  expectReply(): void {
    this.silentChecks = 0;
  }

  /** The worker has replied. */
  heard(): void {
    this.silentChecks = undefined;
  }

  /** Call this before a suspended process continues. */
  forgive(): void {
    this.missedBeats = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    this.beats = 0;
    if (this.isSuspended()) return;
    const max = this.hasLoaded ? MAX_CHECKS_UNTIL_BEGUN : MAX_CHECKS_UNTIL_LOADED;
    if (this.silentChecks !== undefined && this.silentChecks++ >= max)
      this.onLost(this.hasLoaded ? undefined : 'its codecs did not load in time');
    if (this.hasLoaded && this.missedBeats++ >= MAX_MISSED_BEATS) this.onLost('its heartbeat stopped');
  }
}
