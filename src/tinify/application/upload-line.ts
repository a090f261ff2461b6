/**
 * The line in front of uploads and commands. Tinify's clients send the images of a batch all at once, and give up at the first
 * 429 or 503. So a request waits here, its body unread, until its account has fewer in progress and there is room.
 */
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CompressionUnavailable } from '../../compression/application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';

/** Per worker and account: one is compressed while the other arrives. */
const IN_PROGRESS_PER_WORKER = 2;
/** A request that waits takes up to 100 KB: its head, and the start of its body. */
const MAX_WAITING = 500;
const MAX_WAITING_OF_ACCOUNT = 200;
/** From the arrival of a request; the server ends those that are incomplete after 120 s. */
export const MAX_WAIT_MS = 100_000;
/** Room appears without notice, for example when an upload of another route ends. */
const CHECK_MS = 50;

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

@Injectable()
export class UploadLine implements OnModuleDestroy {
  private readonly lines = new Map<string, Line>();
  private readonly maxInProgress: number;
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(COMPRESSION_SETTINGS) { pool }: Pick<CompressionSettings, 'pool'>) {
    this.maxInProgress = pool.workers * IN_PROGRESS_PER_WORKER;
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Resolves when it is the request's turn; its place is free again when `closed` aborts.
   * @param waitsUntil on the clock of performance.now()
   * @throws CompressionUnavailable `overloaded` when too many wait, one of an account with fewer needs the place, or it has waited
   * too long; `cancelled`
   */
  enter(account: string, hasRoom: () => boolean, waitsUntil: number, closed: AbortSignal): Promise<void> {
    if (closed.aborted) throw new CompressionUnavailable('cancelled');
    const line = this.lines.get(account) ?? { inProgress: 0, waiting: new Set() };
    const isFull = line.waiting.size >= MAX_WAITING_OF_ACCOUNT;
    if (isFull || (this.waiting >= MAX_WAITING && !this.displaceFor(line)))
      throw new CompressionUnavailable('overloaded');
    this.lines.set(account, line);
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

  /** Refuses the newest request of the account with the most, if that has more than this one will; so nobody can fill the line. */
  private displaceFor(line: Line): boolean {
    const lines = [...this.lines.values()].map(({ waiting }) => [...waiting]);
    const largest = lines.reduce((a, b) => (b.length > a.length ? b : a));
    if (largest.length <= line.waiting.size + 1) return false;
    largest.at(-1)?.fail(new CompressionUnavailable('overloaded'));
    return true;
  }

  /** Starts what may start, in the order of arrival. */
  private check(): void {
    for (const [account, line] of this.lines) {
      for (const waiting of line.waiting) {
        try {
          if (waiting.waitsUntil <= performance.now()) throw new CompressionUnavailable('overloaded');
          if (line.inProgress >= this.maxInProgress || !waiting.hasRoom()) break;
          waiting.start();
        } catch (error) {
          waiting.fail(error as Error);
        }
      }
      if (line.inProgress + line.waiting.size === 0) this.lines.delete(account);
    }
    if (this.waiting === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else this.timer ??= setInterval(() => this.check(), CHECK_MS);
  }
}
