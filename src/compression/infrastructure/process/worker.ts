/** A worker process as the service sees it: it takes one image at a time, and may be suspended, and replaced when it ends. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { CompressionUnavailable } from '../../application/running/compression-runner.port';
import type { ResultOf, Task } from '../../application/running/task';
import { needsTooMuchMemory } from '../../../contract/image-problems';
import { loadingFault } from '../../packages/codec-package';
import { NO_SANDBOX, type Sandbox } from '../sandbox/sandbox';
import { ErrorOutput } from './error-output';
import { FrameChannel, type Frame } from './frame-channel';
import { describeExit, killWorker, signalProcess, spawnWorker } from './spawn-worker';
import { Watch } from './watch';
import {
  asWorkerReply,
  createRequest,
  readResult,
  type ResultReply,
  type WorkerReply,
} from './worker-messages';

const MAX_RESULT_BYTES = 2 ** 31;
/** Longest wait for the codecs, which normally load in 0.1 s, or in some seconds on a machine under load. */
const LOADING_TIMEOUT_MS = 30_000;
const LAST_WORDS_MS = 1_000;
const LOADED_TOO_LATE = 'its codecs did not load in time';

export interface WorkerExit {
  readonly cause: string;
  /** Whether others will not load their codecs either. */
  readonly isUnusable: boolean;
  /** Whether another sandbox will not help either. */
  readonly isFinal?: boolean;
}

export interface WorkerEvents {
  readonly onLoaded: (worker: Worker, notices: readonly string[]) => void;
  readonly onLongIdle: (worker: Worker, keepsMemory: boolean) => void;
  readonly onExit: (worker: Worker, exit: WorkerExit) => void;
}

export interface TaskLimits {
  /** On the clock of performance.now(). */
  readonly deadlineAt: number;
  /** The memory by which a worker may grow: decoders are compiled code that reads untrusted files. */
  readonly maxGrowthBytes: number;
  /** Called before memory for a result is allocated; throws to refuse it. */
  admit(resultBytes: number): void;
}

interface Running {
  /** Undefined once nobody waits for the result. */
  task: Task | undefined;
  readonly limits: TaskLimits;
  readonly resolve: (result: ResultOf<Task>) => void;
  readonly reject: (error: Error) => void;
  /** Why its result is not taken. */
  refusal?: Error;
}

export class Worker {
  private readonly process: ChildProcess;
  private readonly channel: FrameChannel;
  private readonly errors: ErrorOutput;
  private readonly loadingTimer: NodeJS.Timeout;
  /** The process of Node.js, which may be within bubblewrap's. Known once the codecs are loaded. */
  private pid: number | undefined;
  private watch: Watch | undefined;
  private running: Running | undefined;
  /** A killed process may still send a finished result; it takes no further image. */
  private isKilled = false;
  private hasEnded = false;
  private loadingPackage: string | undefined;
  private fault: string | undefined;
  private cause: string | undefined;
  wasDismissed = false;
  readonly startedAt = performance.now();
  /** Whether an image has it, which may give it several tasks. */
  isTaken = false;

  constructor(
    entry: readonly string[],
    canSuspend: boolean,
    private readonly events: WorkerEvents,
    private readonly sandbox: Sandbox = NO_SANDBOX,
  ) {
    const { process, messages, errors } = spawnWorker(entry, sandbox, canSuspend);
    this.process = process;
    this.errors = new ErrorOutput(errors, (cause) => this.kill(cause));
    const receive = ({ header, body }: Frame) => this.receive(asWorkerReply(header), body);
    this.channel = new FrameChannel(messages, receive, {
      admit: (bytes) => this.admit(bytes),
      onMalformed: (reason) => this.kill(`malformed message: ${reason}`),
    });
    this.loadingTimer = setTimeout(() => this.kill(LOADED_TOO_LATE), LOADING_TIMEOUT_MS).unref();
    process.once('exit', (code, signal) => {
      const end = () => this.end(describeExit(code, signal), signal !== null);
      if (this.watch) return end();
      // Its last words may still be in the pipe, which a process of its own may hold open.
      process.once('close', end);
      setTimeout(end, LAST_WORDS_MS).unref();
    });
    process.once('error', ({ code, path, message }: NodeJS.ErrnoException) =>
      this.end(code === 'ENOENT' ? `it needs ${path}` : message, false),
    );
  }

  get isReady(): boolean {
    return this.watch !== undefined && !this.isKilled && !this.hasEnded;
  }

  get isIdle(): boolean {
    return this.isReady && !this.isTaken;
  }

  /**
   * @param wasMeasured whether the upload has just been measured, so that the process has it
   * @throws ImageRefused when the image cannot be compressed, or takes much more memory than it should need
   * @throws CompressionUnavailable `worker_lost` when the process exits before it has finished
   */
  perform<T extends Task>(task: T, limits: TaskLimits, wasMeasured = false): Promise<ResultOf<T>> {
    return new Promise((resolve, reject) => {
      const running: Running = { task, limits, resolve: resolve as Running['resolve'], reject };
      this.running = running;
      this.errors.allowMore();
      this.watch?.beginImage(limits.maxGrowthBytes, (limit, resident) => {
        running.refusal = needsTooMuchMemory(limit, resident);
        this.dismiss();
      });
      const [request, ...images] = createRequest(task, limits.deadlineAt, performance.now());
      this.channel.send(request, ...(wasMeasured ? [] : images));
    });
  }

  suspend() {
    this.watch?.pause(true);
    signalProcess(this.pid, 'SIGSTOP');
  }

  resume() {
    signalProcess(this.pid, 'SIGCONT');
    this.watch?.pause(false);
  }

  kill(cause?: string) {
    this.isKilled = true;
    this.cause ??= cause;
    killWorker(this.process, this.sandbox);
  }

  /** Frees the image. The process goes on, but its result is skipped. */
  forget() {
    if (this.running) this.running.task = undefined;
  }

  /** Like kill, but the worker does not count as lost. */
  dismiss() {
    this.wasDismissed = true;
    this.kill();
  }

  /** Lets this process exit while the worker runs; the worker then exits too. */
  unref() {
    this.process.unref();
    const pipes = this.process.stdio as (Socket | null)[] | undefined;
    for (const pipe of pipes ?? []) pipe?.unref();
  }

  private admit(bytes: number) {
    if (!this.running || bytes > MAX_RESULT_BYTES) throw new Error(`${bytes} unexpected bytes`);
    if (!this.running.task) return 'skip';
    try {
      this.running.limits.admit(bytes);
      return 'take';
    } catch (error) {
      this.running.refusal = error as Error;
      return 'skip';
    }
  }

  /** @throws Error when the worker sends what it should not send now: it may be taken over */
  private receive(reply: WorkerReply, body: Uint8Array) {
    switch (reply.kind) {
      case 'loading':
      case 'ready':
      case 'unusable':
        if (this.watch) throw new Error(`a second start ("${reply.kind}")`);
        this.loadingPackage = reply.kind === 'loading' ? reply.path : undefined;
        if (reply.kind === 'unusable') this.fault = reply.reason;
        // It may have been killed since.
        if (reply.kind === 'ready' && !this.isKilled) this.begin(reply.notices);
        return;
      default:
        if (!this.running) throw new Error('an unexpected result');
        this.pass(this.running, reply, body);
    }
  }

  private begin(notices: readonly string[]) {
    const pid = this.sandbox.findPid(this.process.pid);
    if (pid === undefined) return this.kill('its process cannot be found');
    clearTimeout(this.loadingTimer);
    this.pid = pid;
    this.watch = new Watch(pid, {
      onFault: (cause) => this.kill(cause),
      onLongIdle: (keepsMemory) => this.events.onLongIdle(this, keepsMemory),
    });
    this.errors.release();
    this.events.onLoaded(this, notices);
  }

  private pass({ task, refusal, resolve, reject }: Running, reply: ResultReply, body: Uint8Array) {
    const result =
      refusal ?? (task ? readResult(reply, body, task) : new CompressionUnavailable('cancelled'));
    this.running = undefined;
    this.watch?.endImage();
    if (result instanceof Error) reject(result);
    else resolve(result);
  }

  private end(exit: string, isSignalled: boolean) {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.loadingTimer);
    this.watch?.stop();
    this.running?.reject(this.running.refusal ?? new CompressionUnavailable('worker_lost'));
    this.running = undefined;
    this.events.onExit(this, this.exitAfter(exit, isSignalled));
  }

  private exitAfter(exit: string, isSignalled: boolean): WorkerExit {
    const { loadingPackage, fault, cause = this.errors.firstLine ?? exit } = this;
    if (loadingPackage === undefined) return { cause: fault ?? cause, isUnusable: fault !== undefined };
    // A package that exits or hangs while loading will do so again. A signal may be an accident, such as a lack of memory.
    const isLate = cause === LOADED_TOO_LATE;
    return {
      cause: loadingFault(loadingPackage, isLate ? undefined : cause),
      isUnusable: isLate || !isSignalled,
      isFinal: isLate,
    };
  }
}
