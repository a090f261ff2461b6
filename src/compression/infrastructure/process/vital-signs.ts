/**
 * The heartbeat, the memory and the standard error of a worker process. The heartbeat comes from a separate thread, because codecs block
 * the main thread for seconds. It detects a stopped or frozen process; the deadline ends an endless loop. The memory shows a worker that
 * takes more than expected, or keeps much when it is idle.
 */
import { readFileSync } from 'node:fs';
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

/** The reason for a worker that has not loaded its codecs by then. */
export const LOADED_TOO_LATE = 'its codecs did not load in time';
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
      this.onLost(this.hasLoaded ? undefined : LOADED_TOO_LATE);
    if (this.hasLoaded && this.missedBeats++ >= MAX_MISSED_BEATS) this.onLost('its heartbeat stopped');
  }
}

const CHECK_MS = 50;
/**
 * A worker may grow by this many times the estimate for its image, plus this many bytes. Of 115 images of up to 268 megapixels,
 * none took more than 0.7 times its estimate with the native engine and 0.95 times with the portable one.
 */
const MARGIN = 1.25;
const SLACK_BYTES = 128 * 1024 * 1024;

/**
 * A worker that has had nothing to do for this time and holds this much more memory than at its start is replaced by a new one. The C
 * library keeps the gaps of its heap, 100 to 270 MB after large PNGs; ordinary images leave 25 to 55 MB, of code and of V8's heap.
 * Settings of the C library that return memory at once cost each image 3 to 12% of its processor time; a start takes 0.15 s once.
 */
const IDLE_MS = 10_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Looks at the memory of a process at intervals. Decoders are compiled code that reads untrusted files: whatever a header demands and
 * whatever was predicted, a worker that takes too much is stopped. Does nothing where there is no /proc.
 * @param demandBytes estimate of what it may take in addition to what it takes now
 * @param onExceeded called with the limit and the resident memory in bytes; may be called again
 * @returns a function that ends the watch
 */
export function watchMemory(
  pid: number | undefined,
  demandBytes: number,
  onExceeded: (limit: number, resident: number) => void,
): () => void {
  const atStart = residentBytes(pid);
  if (atStart === undefined) return () => undefined;
  const limit = atStart + demandBytes * MARGIN + SLACK_BYTES;
  const timer = setInterval(() => {
    const resident = residentBytes(pid) ?? 0;
    if (resident > limit) onExceeded(limit, resident);
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Looks at the memory of a process once, when it has had nothing to do for IDLE_MS. Does nothing where there is no /proc.
 * @param onKept called if it holds much more than at its start
 * @returns a function that ends the watch
 */
export function watchIdleMemory(
  pid: number | undefined,
  bytesAtStart = Infinity,
  onKept: () => void,
): () => void {
  const timer = setTimeout(() => {
    if ((residentBytes(pid) ?? 0) > bytesAtStart + MAX_KEPT_BYTES) onKept();
  }, IDLE_MS).unref();
  return () => clearTimeout(timer);
}

/** Returns undefined where there is no /proc, and when the process has ended. */
export function residentBytes(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** From one image to the next. Code that writes slowly could fill the log too. */
const MAX_ERROR_BYTES = 256 * 1024;
/** A longer line is broken. */
const MAX_LINE_LENGTH = 8 * 1024;
const CONTROL_CHARACTERS = /[^\x20-\x7e\n\t]/g;

/**
 * Passes the standard error of a worker on. A worker must not get the file of the service's standard error, which may be its log, and
 * code that has taken it over may write without end.
 * @returns a function to call when the worker is given an image
 * @param onFlood called with the reason when a worker writes too much; may be called again
 */
export function passErrorsOn(errors: Readable, onFlood: (cause: string) => void): () => void {
  let bytes = 0;
  let line = '';
  errors.on('data', (text: Buffer) => {
    bytes += text.length;
    if (bytes > MAX_ERROR_BYTES) onFlood('it floods its standard error');
    else line = passLines(line + text.toString('latin1'));
  });
  errors.on('end', () => line && passLines(`${line}\n`));
  return () => (bytes = 0);
}

/** Writes the whole lines and returns the rest: a mark in the middle of a line would be wrong. */
function passLines(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  const rest = text.slice(end);
  const isTooLong = rest.length > MAX_LINE_LENGTH;
  const whole = isTooLong ? `${text}\n` : text.slice(0, end);
  if (whole) process.stderr.write(quoted(whole));
  return isTooLong ? '' : rest;
}

/** Returns lines that command no terminal and cannot be mistaken for lines of the log. */
function quoted(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '?').replace(/^(?=.)/gm, 'worker: ');
}
