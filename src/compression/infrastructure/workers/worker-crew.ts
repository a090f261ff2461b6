/** Keeps a number of workers alive: starts them, and replaces those that end. */
import { Worker } from './worker';

/** Pause before a worker that died is replaced; doubled while none gets as far as loading its codecs. */
const RESPAWN_DELAY_MS = 50;
const LONGEST_RESPAWN_DELAY_MS = 5_000;
/** A worker takes 0.1 s to load its codecs; on a machine that needs this long the readiness probe takes over. */
const START_PATIENCE_MS = 10_000;

export interface WorkerCrewOptions {
  readonly entry: readonly string[];
  readonly workers: number;
  /** Called for every worker that ends without having been told to. */
  readonly onWorkerLost?: (cause: string) => void;
}

export class WorkerCrew {
  private readonly workers = new Set<Worker>();
  /** Killed by us, on purpose. */
  private readonly dismissed = new WeakSet<Worker>();
  private onFirstReady: () => void = () => undefined;
  private failedStarts = 0;
  private lost = 0;
  private isStopped = false;

  /** @param onIdle called whenever a worker can take an image */
  constructor(
    private readonly options: WorkerCrewOptions,
    private readonly onIdle: () => void,
  ) {}

  /** Resolves when the first worker has loaded its codecs, or has had its time to. */
  async start(): Promise<void> {
    const ready = new Promise<void>((resolve) => (this.onFirstReady = resolve));
    const patience = setTimeout(() => this.onFirstReady(), START_PATIENCE_MS);
    this.fill();
    await ready;
    clearTimeout(patience);
  }

  /** Ends all workers at once. */
  stop(): void {
    this.isStopped = true;
    for (const worker of this.workers) worker.kill();
  }

  idleWorker(): Worker | undefined {
    return [...this.workers].find(({ isIdle }) => isIdle);
  }

  count(): { readonly ready: number; readonly idle: number; readonly lost: number } {
    const ready = [...this.workers].filter(({ isReady }) => isReady);
    return { ready: ready.length, idle: ready.filter(({ isIdle }) => isIdle).length, lost: this.lost };
  }

  /** Ends a worker; another one takes its place. */
  dismiss(worker: Worker): void {
    this.dismissed.add(worker);
    worker.kill();
  }

  private fill(): void {
    while (this.workers.size < this.options.workers) this.spawn();
  }

  private spawn(): void {
    const events = {
      onIdle: () => {
        this.failedStarts = 0;
        this.onFirstReady();
        this.onIdle();
      },
      onExit: (worker: Worker, cause: string) => this.replace(worker, cause),
    };
    this.workers.add(new Worker(this.options.entry, events));
  }

  private replace(worker: Worker, cause: string): void {
    this.workers.delete(worker);
    if (this.isStopped) return;
    if (!this.dismissed.has(worker)) {
      this.lost++;
      this.options.onWorkerLost?.(cause);
    }
    this.startLater();
  }

  private startLater(): void {
    const delay = Math.min(LONGEST_RESPAWN_DELAY_MS, RESPAWN_DELAY_MS * 2 ** this.failedStarts++);
    setTimeout(() => {
      if (this.isStopped) return;
      try {
        this.fill();
      } catch (error) {
        // The system has no process or memory left for a worker; it may have one later.
        this.options.onWorkerLost?.(String(error));
        this.startLater();
      }
    }, delay).unref();
  }
}
