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

/** How often the memory is looked at while a worker has an image. */
const MEMORY_CHECK_MS = 50;
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
 * The service's side: checks a worker every HEARTBEAT_MS. Timeouts count checks, because the service itself may be blocked for
 * seconds. Where there is no /proc, the memory is not looked at.
 */
export class VitalSigns {
  hasLoaded = false;
  private missedBeats = 0;
  private beats = 0;
  /** Checks since the process was started or sent an image, if it has not replied; undefined after a message. */
  private silentChecks: number | undefined = 0;
  private isPaused = false;
  /** The process of Node.js, which may be within bubblewrap's. Known once the codecs are loaded. */
  pid: number | undefined;
  private bytesAtStart = Infinity;
  private readonly allowErrors: () => void;
  private readonly timer: NodeJS.Timeout;
  private memoryTimer: NodeJS.Timeout | undefined;

  /** @param onLost called when a sign is missing, or there are too many; may be called again */
  constructor(
    { heartbeat, errors }: Readonly<Record<'heartbeat' | 'errors', Readable>>,
    private readonly onLost: (cause?: string) => void,
  ) {
    heartbeat.on('data', ({ length }: Buffer) => {
      this.missedBeats = 0;
      this.beats += length;
      if (this.beats > MAX_BEATS) onLost('it floods its heartbeat');
    });
    this.allowErrors = passErrorsOn(errors, onLost);
    this.timer = setInterval(() => this.check(), HEARTBEAT_MS).unref();
  }

  /** The worker has loaded its codecs, in this process. */
  loaded(pid: number): void {
    this.heard();
    this.hasLoaded = true;
    this.pid = pid;
    this.bytesAtStart = residentBytes(pid) ?? Infinity;
  }

  /**
   * The worker was sent an image, and has to confirm it. Decoders are compiled code that reads untrusted files: whatever a header
   * demands and whatever was predicted, a worker that takes too much memory has to be stopped.
   * @param demandBytes estimate of what it may take in addition to what it takes now
   * @param onExceeded called with the limit and the resident memory in bytes; may be called again
   */
  beginImage(demandBytes: number, onExceeded: (limit: number, resident: number) => void): void {
    this.silentChecks = 0;
    this.allowErrors();
    clearTimeout(this.memoryTimer);
    const limit = (residentBytes(this.pid) ?? Infinity) + demandBytes * MARGIN + SLACK_BYTES;
    if (limit === Infinity) return;
    this.memoryTimer = setInterval(() => {
      const resident = residentBytes(this.pid) ?? 0;
      if (resident > limit) onExceeded(limit, resident);
    }, MEMORY_CHECK_MS).unref();
  }

  /** The worker has replied. */
  heard(): void {
    this.silentChecks = undefined;
  }

  /** @param onKept called if the worker has no image for IDLE_MS and holds much more memory than at its start */
  endImage(onKept: () => void): void {
    clearTimeout(this.memoryTimer);
    this.memoryTimer = setTimeout(() => {
      if ((residentBytes(this.pid) ?? 0) > this.bytesAtStart + MAX_KEPT_BYTES) onKept();
    }, IDLE_MS).unref();
  }

  /** While the process is suspended, no sign is expected. */
  pause(): void {
    this.isPaused = true;
  }

  /** Call this before a suspended process continues. */
  resume(): void {
    this.isPaused = false;
    this.missedBeats = 0;
  }

  stop(): void {
    clearInterval(this.timer);
    clearTimeout(this.memoryTimer);
  }

  private check(): void {
    this.beats = 0;
    if (this.isPaused) return;
    const max = this.hasLoaded ? MAX_CHECKS_UNTIL_BEGUN : MAX_CHECKS_UNTIL_LOADED;
    if (this.silentChecks !== undefined && this.silentChecks++ >= max)
      this.onLost(this.hasLoaded ? undefined : LOADED_TOO_LATE);
    if (this.hasLoaded && this.missedBeats++ >= MAX_MISSED_BEATS) this.onLost('its heartbeat stopped');
  }
}

/** Returns undefined where there is no /proc, and when the process has ended. */
function residentBytes(pid: number | undefined): number | undefined {
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
function passErrorsOn(errors: Readable, onFlood: (cause: string) => void): () => void {
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
