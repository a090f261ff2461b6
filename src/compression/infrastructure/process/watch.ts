/** Watches a worker through /proc. The deadline ends everything else; without /proc, nothing is watched. */
import { readFileSync } from 'node:fs';

/** Between two looks at a worker, with and without an image. */
const BUSY_CHECK_MS = 50;
const IDLE_CHECK_MS = 500;
/** They are counted, as the service itself may be blocked. */
const MAX_STOPPED_CHECKS = 60;
/** Processor time from one image to the next; releasing memory takes up to 0.1 s of it. */
const MAX_IDLE_PROCESSOR_MS = 2_000;
/**
 * A worker idle for this time with this much more memory is replaced. The heap of the C library keeps gaps, 100 to
 * 270 MB after large PNGs; ordinary images leave 25 to 55 MB. A start takes 0.15 s.
 */
const LONG_IDLE_MS = 10_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export interface WatchEvents {
  readonly onFault: (cause: string) => void;
  readonly onLongIdle: (keepsMemory: boolean) => void;
}

interface MemoryLimit {
  readonly bytes: number;
  readonly onExceeded: (limit: number, resident: number) => void;
}

export class Watch {
  private readonly bytesAtStart = readUsage(this.pid)?.residentBytes ?? Infinity;
  private limit: MemoryLimit | undefined;
  private isPaused = false;
  private stoppedChecks = 0;
  /** On the clock of performance.now(), and the processor time of the process by then. */
  private idle = { sinceMs: performance.now(), processorMs: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pid: number,
    private readonly events: WatchEvents,
  ) {
    this.endImage();
  }

  /** @param onExceeded called with the limit and the resident memory in bytes; may be called again */
  beginImage(growthBytes: number, onExceeded: MemoryLimit['onExceeded']) {
    this.limit = { bytes: (readUsage(this.pid)?.residentBytes ?? Infinity) + growthBytes, onExceeded };
    this.checkEvery(BUSY_CHECK_MS);
  }

  endImage() {
    this.limit = undefined;
    this.idle = { sinceMs: performance.now(), processorMs: readUsage(this.pid)?.processorMs ?? 0 };
    this.checkEvery(IDLE_CHECK_MS);
  }

  pause(isPaused: boolean) {
    this.isPaused = isPaused;
    this.stoppedChecks = 0;
  }

  stop() {
    clearInterval(this.timer);
  }

  private checkEvery(ms: number) {
    clearInterval(this.timer);
    this.timer = setInterval(() => this.check(), ms).unref();
  }

  private check() {
    const usage = this.isPaused ? undefined : readUsage(this.pid);
    if (!usage) return;
    const { isStopped, residentBytes, processorMs } = usage;
    this.stoppedChecks = isStopped ? this.stoppedChecks + 1 : 0;
    if (this.stoppedChecks > MAX_STOPPED_CHECKS) return this.events.onFault('it was stopped');
    if (this.limit) {
      const { bytes, onExceeded } = this.limit;
      return residentBytes > bytes ? onExceeded(bytes, residentBytes) : undefined;
    }
    if (processorMs - this.idle.processorMs > MAX_IDLE_PROCESSOR_MS)
      return this.events.onFault('it works without an image');
    if (performance.now() - this.idle.sinceMs > LONG_IDLE_MS)
      this.events.onLongIdle(residentBytes > this.bytesAtStart + MAX_KEPT_BYTES);
  }
}

/** Milliseconds of a clock tick in /proc/PID/stat: Linux shows programs 100 ticks a second on every machine. */
const TICK_MS = 10;

function readUsage(pid: number) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const kibibytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    // After the name, which may hold spaces: state, 10 other fields, user and system time.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11)
      .map(Number);
    if (Number.isNaN(kibibytes)) return undefined;
    return {
      isStopped: /^State:\s+[Tt]/m.test(status),
      residentBytes: kibibytes * 1024,
      processorMs: (user + system) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}
