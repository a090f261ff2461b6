/**
 * The lines in front of uploads and downloads. Tinify's clients send the images of a batch all at once, fetch the results all at
 * once, and give up at the first 429 or 503. So a request waits here, its body unread, until its turn.
 */
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CompressionUnavailable } from '../../compression/application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { tooManyDownloads } from '../../contract/tinify-problems';

/** From the arrival of a request; the server ends those that are incomplete after 120 s. */
export const MAX_WAIT_MS = 100_000;
/** Room may appear without an event, for example when an upload of another route ends. */
const CHECK_MS = 50;

interface LineLimits {
  /** Of one owner. */
  readonly maxInProgress: number;
  readonly maxWaitingOfOwner: number;
  readonly maxWaiting: number;
  /** The error for a request that finds no place to wait. */
  readonly full: () => Error;
}

interface Waiting {
  /** May throw to refuse the request. */
  readonly hasRoom: () => boolean;
  readonly waitsUntil: number;
  readonly start: () => void;
  readonly fail: (error: Error) => void;
}

interface Line {
  inProgress: number;
  readonly waiting: Set<Waiting>;
}

abstract class WaitingLine implements OnModuleDestroy {
  private readonly lines = new Map<string, Line>();
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: LineLimits) {}

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Resolves when it is the request's turn; its place is free again when `closed` aborts.
   * @param waitsUntil on the clock of performance.now()
   * @throws Error when too many wait, or one of an owner with fewer needs the place; CompressionUnavailable `overloaded` when it
   * has waited too long; `cancelled`
   */
  enter(
    owner: string,
    closed: AbortSignal,
    hasRoom = () => true,
    waitsUntil = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    if (closed.aborted) throw new CompressionUnavailable('cancelled');
    const line = this.lines.get(owner) ?? { inProgress: 0, waiting: new Set() };
    const isFull = line.waiting.size >= this.limits.maxWaitingOfOwner;
    if (isFull || (this.waiting >= this.limits.maxWaiting && !this.displaceFor(line)))
      throw this.limits.full();
    this.lines.set(owner, line);
    return new Promise((resolve, reject) => {
      let hasPlace = false;
      const leaveLine = () => {
        if (line.waiting.delete(waiting)) this.waiting--;
      };
      const waiting: Waiting = {
        hasRoom,
        waitsUntil,
        start: () => {
          leaveLine();
          hasPlace = true;
          line.inProgress++;
          resolve();
        },
        fail: (error) => {
          leaveLine();
          reject(error);
        },
      };
      const leave = () => {
        if (hasPlace) line.inProgress--;
        waiting.fail(new CompressionUnavailable('cancelled'));
        this.check();
      };
      closed.addEventListener('abort', leave, { once: true });
      line.waiting.add(waiting);
      this.waiting++;
      this.check();
    });
  }

  /** Refuses the newest request of the owner with the most, unless this owner would have as many. So nobody can fill the line. */
  private displaceFor(line: Line): boolean {
    const lines = [...this.lines.values()].map(({ waiting }) => [...waiting]);
    const largest = lines.reduce((a, b) => (b.length > a.length ? b : a));
    if (largest.length <= line.waiting.size + 1) return false;
    largest.at(-1)?.fail(this.limits.full());
    return true;
  }

  /** Starts what may start, in the order of arrival. */
  private check(): void {
    for (const [owner, line] of this.lines) {
      for (const waiting of line.waiting) {
        try {
          if (waiting.waitsUntil <= performance.now()) throw new CompressionUnavailable('overloaded');
          if (line.inProgress >= this.limits.maxInProgress || !waiting.hasRoom()) break;
          waiting.start();
        } catch (error) {
          waiting.fail(error as Error);
        }
      }
      if (line.inProgress + line.waiting.size === 0) this.lines.delete(owner);
    }
    if (this.waiting === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else this.timer ??= setInterval(() => this.check(), CHECK_MS);
  }
}

/** Per worker and account: one is compressed while the other arrives. */
const IN_PROGRESS_PER_WORKER = 2;

/** Uploads and commands, by account. A request that waits takes up to 100 KB: its head, and the start of its body. */
@Injectable()
export class UploadLine extends WaitingLine {
  constructor(@Inject(COMPRESSION_SETTINGS) { pool }: Pick<CompressionSettings, 'pool'>) {
    super({
      maxInProgress: pool.workers * IN_PROGRESS_PER_WORKER,
      maxWaitingOfOwner: 200,
      maxWaiting: 500,
      full: () => new CompressionUnavailable('overloaded'),
    });
  }
}

/**
 * Downloads, which need no key, by address; all clients behind a proxy that is not trusted share one. A request that waits takes
 * some 20 KB.
 */
@Injectable()
export class DownloadLine extends WaitingLine {
  constructor() {
    super({
      maxInProgress: 32,
      maxWaitingOfOwner: 512,
      maxWaiting: Number.POSITIVE_INFINITY,
      full: tooManyDownloads,
    });
  }
}
