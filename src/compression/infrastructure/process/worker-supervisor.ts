/**
 * Keeps workers running: starts them, starts more on demand, and replaces those that exit. All workers must load the same codecs, so
 * that each produces the same bytes; a worker with other codecs is not used.
 */
import type { RunnerState } from '../../application/running/compression-runner.port';
import { openSandbox, type OpenedSandbox, type SandboxRequest } from '../sandbox/open-sandbox';
import { loadingFault } from '../../packages/codec-package';
import { NO_SANDBOX, WorkersUnusable, type Sandbox } from '../sandbox/sandbox';
import { workerEnvironment } from './spawn-worker';
import { Worker, type WorkerEvents } from './worker';

/** Delay before a worker is replaced; doubles until a worker has loaded its codecs, or finished an image. */
const RESPAWN_DELAY_MS = 50;
const MAX_RESPAWN_DELAY_MS = 5_000;
/** Longest wait for the first worker, which normally loads its codecs in 0.1 s. */
const START_TIMEOUT_MS = 30_000;
/** Consecutive failed starts after which the engine counts as unusable. */
const MAX_FAILED_STARTS = 3;
/** Spare workers end when none has been needed for this time. A start takes 0.15 s of a core, an idle worker 75 MB. */
const SPARE_MS = 10_000;

export interface WorkerSupervisorOptions {
  /** The script that a worker runs, and its arguments. */
  readonly entry: readonly string[];
  /** Maximum number of workers. */
  readonly workers: number;
  /** Number of workers that `start` starts; after that, each image that finds no idle worker starts one. All if absent. */
  readonly workersAtStart?: number;
  /** Whether the workers keep this process alive; true if absent. */
  readonly keepsProcessAlive?: boolean;
  /** The sandbox of the workers; none if absent. */
  readonly sandbox?: Omit<SandboxRequest, 'env'>;
  /** Called once before the first worker starts. */
  readonly onSandbox?: (opened: OpenedSandbox) => void;
  /** Called when a worker exits unexpectedly. */
  readonly onWorkerLost?: (cause: string) => void;
  /** Called once for each operator notice about the loading of codecs. */
  readonly onNotice?: (notice: string) => void;
}

export class WorkerSupervisor {
  private readonly workers = new Set<Worker>();
  private readonly respawns = new Set<NodeJS.Timeout>();
  /** The number of workers that should run now. */
  private wanted: number;
  private spareTimer: NodeJS.Timeout | undefined;
  private onFirstReady: () => void = () => undefined;
  private onStartFailed: (reason: string) => void = () => undefined;
  /** The notices of the first worker about its codecs, once it has loaded them; all others must report the same. */
  notices: readonly string[] | undefined;
  private failedStarts = 0;
  private lost = 0;
  private isStopped = false;
  private sandbox: Sandbox = NO_SANDBOX;

  /**
   * @param spares maximum number of extra workers, which replace suspended ones
   * @param onIdle called when a worker becomes idle
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

  /**
   * Starts the workers. Resolves when the first one has loaded its codecs, or after START_TIMEOUT_MS: readiness then says whether it has.
   * @throws WorkersUnusable when the codecs cannot be loaded, or the required sandbox is not available
   */
  async start(): Promise<void> {
    const { sandbox: request, onSandbox } = this.options;
    if (request) {
      const opened = await openSandbox({ ...request, env: workerEnvironment() });
      this.sandbox = opened.sandbox;
      onSandbox?.(opened);
    }
    if (this.isStopped) return;
    const ready = new Promise<void>((resolve, reject) => {
      this.onFirstReady = resolve;
      this.onStartFailed = (reason) =>
        reject(new WorkersUnusable(`The codec engine cannot start: ${reason}`));
    });
    const timer = setTimeout(() => {
      const loading = [...this.workers].flatMap(({ loadingPackage = [] }) => loadingPackage).at(0);
      // A package that has not loaded by now never will; codecs of the service may only be slow.
      if (loading === undefined) this.onFirstReady();
      else this.onStartFailed(loadingFault(loading));
    }, START_TIMEOUT_MS);
    this.fill();
    await ready.finally(() => clearTimeout(timer));
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.spareTimer);
    for (const timer of this.respawns) clearTimeout(timer);
    for (const worker of this.workers) worker.kill();
  }

  /** Starts workers until there are `count`. Returns false if that exceeds the maximum, or if they fail to start. */
  growTo(count: number): boolean {
    if (count > this.options.workers + this.spares) return false;
    if (count > this.options.workers) {
      clearTimeout(this.spareTimer);
      this.spareTimer = undefined;
    }
    if (count > this.wanted) {
      this.wanted = count;
      this.fillOrRetry();
    }
    return this.failedStarts === 0;
  }

  /** Ends spare workers after a while, unless `growTo` needs them again. */
  releaseSpares(): void {
    if (this.wanted <= this.options.workers) return;
    this.spareTimer ??= setTimeout(() => {
      this.spareTimer = undefined;
      this.wanted = this.options.workers;
      const idle = [...this.workers].filter(({ isIdle }) => isIdle);
      for (const worker of idle.slice(0, this.workers.size - this.wanted)) worker.dismiss();
    }, SPARE_MS).unref();
  }

  idleWorker(): Worker | undefined {
    return [...this.workers].find(({ isIdle }) => isIdle);
  }

  state(): Pick<RunnerState, 'ready' | 'workersLost' | 'protection'> {
    const ready = [...this.workers].filter(({ isReady }) => isReady).length;
    return { ready, workersLost: this.lost, protection: this.sandbox.protection };
  }

  private fill(): void {
    const events: WorkerEvents = {
      onLoaded: (...loaded) => this.onLoaded(...loaded),
      onIdle: () => {
        this.failedStarts = 0;
        this.onIdle();
      },
      onExit: (...exit) => this.onExit(...exit),
    };
    while (this.workers.size < this.wanted) {
      const worker = new Worker(this.options.entry, this.spares > 0, events, this.sandbox);
      if (this.options.keepsProcessAlive === false) worker.unref();
      this.workers.add(worker);
    }
  }

  private onLoaded(worker: Worker, notices: readonly string[]): void {
    if (!this.notices) {
      this.notices = notices;
      for (const notice of notices) this.options.onNotice?.(notice);
    }
    if (notices.join() !== this.notices.join()) {
      const missing = notices.join() || 'none is missing';
      return worker.kill(`it has not loaded the same codecs as the first worker (${missing})`);
    }
    this.failedStarts = 0;
    this.onFirstReady();
    this.onIdle();
  }

  private onExit(worker: Worker, cause: string, isUnusable: boolean): void {
    this.workers.delete(worker);
    if (this.isStopped) return;
    if (worker.wasDismissed) return this.fillOrRetry();
    this.lost++;
    this.options.onWorkerLost?.(cause);
    this.startLater();
    const isHopeless = isUnusable || this.failedStarts >= MAX_FAILED_STARTS;
    if (isHopeless && this.state().ready === 0) {
      this.onStartFailed(cause);
      this.onUnusable();
    }
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
      this.fill();
    } catch (error) {
      // The system has no process or memory left for a worker; it may have some later.
      this.options.onWorkerLost?.(String(error));
      this.startLater();
    }
  }
}
