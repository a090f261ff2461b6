/**
 * Starts the worker processes of a pool and replaces those that end. A worker that loads other codecs than the first is not
 * used: all must produce the same bytes.
 */
import type { RunnerState } from '../../application/running/compression-runner.port';
import { openSandbox, type OpenedSandbox, type SandboxRequest } from '../sandbox/open-sandbox';
import { NO_SANDBOX, type Sandbox } from '../sandbox/sandbox';
import type { Processes } from '../queue/scheduler';
import { Worker, type WorkerEvents, type WorkerExit } from './worker';

/** Delay before a worker is replaced; doubles until a worker has loaded its codecs, or finished an image. */
const RESPAWN_DELAY_MS = 50;
const MAX_RESPAWN_DELAY_MS = 5_000;
const MAX_FAILED_STARTS = 3;

export interface WorkerSupervisorOptions {
  readonly entry: readonly string[];
  readonly workers: number;
  /** Number of workers that `start` starts; after that, each image that finds no idle worker starts one. All if absent. */
  readonly workersAtStart?: number;
  readonly keepsProcessAlive?: boolean;
  readonly sandbox?: SandboxRequest;
  readonly onSandbox?: (opened: OpenedSandbox) => void;
  readonly onWorkerLost?: (cause: string) => void;
  readonly onNotice?: (notice: string) => void;
}

export class WorkerSupervisor implements Processes, WorkerEvents {
  private readonly workers = new Set<Worker>();
  private readonly respawns = new Set<NodeJS.Timeout>();
  private wanted: number;
  private onFirst: ((fault?: WorkerExit) => void) | undefined;
  /** Of the first worker; all others must report the same. */
  notices: readonly string[] | undefined;
  private failedStarts = 0;
  private lost = 0;
  private isStopped = false;
  private sandbox: Sandbox = NO_SANDBOX;

  /**
   * @param spares maximum number of extra workers, which replace suspended ones
   * @param onUnusable called when no worker is left and new ones fail to start
   */
  constructor(
    private readonly options: WorkerSupervisorOptions,
    private readonly spares: number,
    private readonly onIdle: () => void,
    private readonly onUnusable: () => void,
  ) {
    this.wanted = options.workersAtStart ?? options.workers;
  }

  /** @throws WorkersUnusable when the codecs cannot be loaded, or the required sandbox is not available */
  async start(): Promise<void> {
    const { sandbox = { mode: 'off' }, onSandbox } = this.options;
    const opened = await openSandbox(sandbox, (candidate) => this.startFirst(candidate));
    if (this.isStopped) return;
    if (this.options.sandbox) onSandbox?.(opened);
    this.fillOrRetry();
  }

  stop(): void {
    this.isStopped = true;
    for (const timer of this.respawns) clearTimeout(timer);
    for (const worker of this.workers) worker.kill();
  }

  /** Returns false if that exceeds the maximum, or if workers fail to start. */
  grow(count: number): boolean {
    if (count > this.options.workers + this.spares) return false;
    if (count > this.wanted) {
      this.wanted = count;
      this.fillOrRetry();
    }
    return this.failedStarts === 0;
  }

  get isIdle(): boolean {
    return this.idleWorker() !== undefined;
  }

  /** Returns an idle worker, for one image until that frees it. @throws Error when there is none */
  take(): Worker {
    const worker = this.idleWorker();
    if (!worker) throw new Error('No worker is idle');
    worker.isTaken = true;
    return worker;
  }

  private idleWorker(): Worker | undefined {
    return [...this.workers].find(({ isIdle }) => isIdle);
  }

  /** Call it when a worker has finished an image and the next one has been assigned. */
  onFinished(): void {
    this.failedStarts = 0;
    // The memory of idle workers is in no estimate.
    const idle = this.ready > 2 * this.options.workers ? this.idleWorker() : undefined;
    if (idle) this.endSpare(idle);
  }

  /** Without those that have been dismissed, but have not ended yet. */
  private get ready(): number {
    return [...this.workers].filter(({ isReady }) => isReady).length;
  }

  state(): Pick<RunnerState, 'ready' | 'workersLost' | 'protection'> {
    return { ready: this.ready, workersLost: this.lost, protection: this.sandbox.protection };
  }

  private startFirst(sandbox: Sandbox): Promise<WorkerExit | undefined> {
    this.sandbox = sandbox;
    return new Promise((resolve) => {
      this.onFirst = (fault) => {
        this.onFirst = undefined;
        resolve(fault);
      };
      this.startOne();
    });
  }

  private startOne(): void {
    const worker = new Worker(this.options.entry, this.spares > 0, this, this.sandbox);
    if (this.options.keepsProcessAlive === false) worker.unref();
    this.workers.add(worker);
  }

  onLoaded(worker: Worker, notices: readonly string[]): void {
    if (!this.notices) {
      this.notices = notices;
      for (const notice of notices) this.options.onNotice?.(notice);
    }
    if (notices.join() !== this.notices.join()) {
      const missing = notices.join() || 'none is missing';
      return worker.kill(`it has not loaded the same codecs as the first worker (${missing})`);
    }
    this.failedStarts = 0;
    this.onFirst?.();
    this.onIdle();
  }

  onLongIdle(worker: Worker, keepsMemory: boolean): void {
    if (this.ready > this.options.workers) this.endSpare(worker);
    else if (keepsMemory) worker.dismiss();
  }

  private endSpare(worker: Worker): void {
    this.wanted = Math.max(this.options.workers, this.workers.size - 1);
    worker.dismiss();
  }

  onExit(worker: Worker, exit: WorkerExit): void {
    this.workers.delete(worker);
    if (this.isStopped) return this.onFirst?.();
    if (this.onFirst) return this.onFirst(exit);
    if (worker.wasDismissed) return this.fillOrRetry();
    this.lost++;
    this.options.onWorkerLost?.(exit.cause);
    this.startLater();
    const isHopeless = exit.isUnusable || this.failedStarts >= MAX_FAILED_STARTS;
    if (isHopeless && this.state().ready === 0) this.onUnusable();
  }

  private startLater(): void {
    const delay = Math.min(MAX_RESPAWN_DELAY_MS, RESPAWN_DELAY_MS * 2 ** this.failedStarts++);
    const timer = setTimeout(() => {
      this.respawns.delete(timer);
      this.fillOrRetry();
    }, delay);
    this.respawns.add(timer);
    // An image may wait for the worker.
    if (this.options.keepsProcessAlive === false) timer.unref();
  }

  private fillOrRetry(): void {
    try {
      while (this.workers.size < this.wanted) this.startOne();
    } catch (error) {
      // The system has no process or memory left for a worker; it may have some later.
      this.options.onWorkerLost?.(String(error));
      this.startLater();
    }
  }
}
