/** The service's handle of one worker process: starts it, sends it images and reports its exit. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { CompressedImage } from '../../domain/compression-report';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { CompressionUnavailable, type RunOptions } from '../../application/running/compression-runner.port';
import { needsTooMuchMemory } from '../../../contract/image-problems';
import { NO_SANDBOX, type Sandbox } from '../sandbox/sandbox';
import { FrameChannel, type Frame } from './frame-channel';
import { HEARTBEAT_MS } from './heartbeat';
import { residentBytes, watchIdleMemory, watchMemory } from './resident-memory';
import { causeOf, killWorker, spawnWorker } from './spawn-worker';
import { signalProcess, SuspendedTime } from './suspension';
import {
  asWorkerReply,
  resultOf,
  WorkerFailed,
  type WorkerReply,
  type WorkerRequest,
} from './worker-messages';

/* The service checks its workers every HEARTBEAT_MS. Timeouts count checks, because the service itself may be blocked for seconds. */
/** Checks until the codecs must be loaded: 30 s. Loading normally takes 0.1 s, or some seconds on a machine under load. */
const MAX_CHECKS_UNTIL_LOADED = 60;
/** Checks until a worker must confirm that it received an image: 5 s. */
const MAX_CHECKS_UNTIL_BEGUN = 10;
/** Consecutive checks without a heartbeat after which a worker is killed: 3 s. */
const MAX_MISSED_BEATS = 6;

/** No result is larger: a worker that announces more is broken. */
const MAX_RESULT_BYTES = 2 ** 31;

/** An image for a worker, and the check of its results. */
export interface WorkerTask {
  readonly image: Uint8Array;
  /** One for each result. */
  readonly policies: readonly CompressionPolicy[];
  /** Present if the image is compared with it instead. */
  readonly compared?: RunOptions['compared'];
  /** Maximum expected memory, in bytes. */
  readonly demandBytes: number;
  /** Called with the size of a result before memory for it is allocated; throws to refuse it. */
  admitResult(bytes: number): void;
  /** Takes a result, the refusal of the image, or the error of admitResult. Called once for each policy, in their order. */
  deliver(result: CompressedImage | Error): void;
}

interface RunningTask {
  readonly task: WorkerTask;
  /** Number of results to come. */
  toCome: number;
  readonly endMemoryWatch: () => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface WorkerEvents {
  /** Called when the codecs are loaded, with notices about them for the operator. */
  readonly onLoaded: (worker: Worker, notices: readonly string[]) => void;
  /** Called when the codecs cannot be loaded; the process then exits. */
  readonly onUnusable: (reason: string) => void;
  /** Called when the worker can take an image: its codecs are loaded, or a task has finished. */
  readonly onIdle: (worker: Worker) => void;
  /** Called once when the process has exited, for any reason. */
  readonly onExit: (worker: Worker, cause: string) => void;
}

export class Worker {
  private readonly process: ChildProcess;
  /** The process of Node.js; bubblewrap is between it and `process`. Known once the codecs are loaded. */
  private pid: number | undefined;
  private readonly channel: FrameChannel;
  private task: RunningTask | undefined;
  private hasLoaded = false;
  /** A killed process may still send a finished result; it takes no further image. */
  private isKilled = false;
  private hasEnded = false;
  private missedBeats = 0;
  /** Checks since the process was started or sent an image, if it has not replied; undefined after a message. */
  private silentChecks: number | undefined = 0;
  private readonly watch: NodeJS.Timeout;
  private bytesAtStart: number | undefined;
  private endIdleWatch: () => void = () => undefined;
  /** Present if the process may be suspended. */
  private readonly suspendedTime: SuspendedTime | undefined;
  /** When it was suspended, on the clock of performance.now(). */
  private suspendedSince: number | undefined;
  /** Why the service killed the process. */
  private cause: string | undefined;
  /** Why the image or its result is refused. */
  private refusal: Error | undefined;
  private isDismissed = false;

  /**
   * @param entry the script to run, and its arguments
   * @param canSuspend whether suspend() may be called; see canSuspendProcesses()
   */
  constructor(
    entry: readonly string[],
    canSuspend: boolean,
    private readonly events: WorkerEvents,
    private readonly sandbox: Sandbox = NO_SANDBOX,
  ) {
    this.suspendedTime = canSuspend ? new SuspendedTime() : undefined;
    const { process, messages, heartbeat } = spawnWorker(entry, sandbox, this.suspendedTime);
    this.process = process;
    heartbeat.on('data', () => (this.missedBeats = 0));
    const receive = ({ header, body }: Frame) => this.receive(asWorkerReply(header), body);
    this.channel = new FrameChannel(messages, receive, {
      admit: (bytes) => this.admit(bytes),
      onMalformed: (reason) => this.kill(`malformed message: ${reason}`),
    });
    this.watch = setInterval(() => this.check(), HEARTBEAT_MS).unref();
    this.process.once('exit', (code, signal) => this.end(causeOf(code, signal)));
    this.process.once('error', (error) => this.end(error.message));
  }

  get isReady(): boolean {
    return this.hasLoaded && !this.isKilled && !this.hasEnded;
  }

  get isIdle(): boolean {
    return this.isReady && !this.task;
  }

  /** Whether the service ended the process deliberately. */
  get wasDismissed(): boolean {
    return this.isDismissed;
  }

  /**
   * Compresses an image in the worker process, or compares one with it. Resolves when all its results have been delivered.
   * @throws ImageRefused `needs_too_much_memory` when the process takes much more memory than the task should need
   * @throws CompressionUnavailable `worker_lost` when the process exits before it has finished
   */
  compress(task: WorkerTask): Promise<void> {
    return new Promise((resolve, reject) => {
      this.endIdleWatch();
      this.silentChecks = 0;
      this.refusal = undefined;
      const endMemoryWatch = watchMemory(this.pid, task.demandBytes, (limit, resident) => {
        this.refusal = needsTooMuchMemory(limit, resident);
        this.dismiss();
      });
      const { policies, image, compared } = task;
      this.task = { task, toCome: policies.length, endMemoryWatch, resolve, reject };
      const comparison = compared && { originalBytes: image.length, wantsMap: compared.wantsMap };
      const request: WorkerRequest = { policies, ...(comparison ? { comparison } : {}) };
      this.channel.send(request, image, ...(compared ? [compared.image] : []));
    });
  }

  /** Stops the process, together with its image, until `resume`. */
  suspend(): void {
    this.suspendedSince = performance.now();
    signalProcess(this.pid, 'SIGSTOP');
  }

  resume(): void {
    if (this.suspendedSince === undefined) return;
    this.suspendedTime?.add(performance.now() - this.suspendedSince);
    this.suspendedSince = undefined;
    this.missedBeats = 0;
    signalProcess(this.pid, 'SIGCONT');
  }

  /** Kills the process; a running task fails with `worker_lost`. */
  kill(cause?: string): void {
    this.isKilled = true;
    this.cause ??= cause;
    killWorker(this.process, this.sandbox);
  }

  /** Kills the process because it is no longer needed, or because of its image; it does not count as lost. */
  dismiss(): void {
    this.isDismissed = true;
    this.kill();
  }

  /** Lets this process exit while the worker runs; the worker then exits too. */
  unref(): void {
    this.process.unref();
    const pipes = this.process.stdio as (Socket | null)[] | undefined;
    for (const pipe of pipes ?? []) pipe?.unref();
  }

  private check(): void {
    if (this.suspendedSince !== undefined) return;
    if (this.silentChecks !== undefined) {
      const max = this.hasLoaded ? MAX_CHECKS_UNTIL_BEGUN : MAX_CHECKS_UNTIL_LOADED;
      if (this.silentChecks++ >= max)
        this.kill(this.hasLoaded ? undefined : 'its codecs did not load in time');
    }
    if (this.hasLoaded && this.missedBeats++ >= MAX_MISSED_BEATS) this.kill('its heartbeat stopped');
  }

  /** @throws Error when no task is running that could have a result of this size */
  private admit(bytes: number): 'take' | 'skip' {
    if (!this.task || bytes > MAX_RESULT_BYTES) throw new Error(`${bytes} unexpected bytes`);
    try {
      this.task.task.admitResult(bytes);
      return 'take';
    } catch (error) {
      this.refusal = error as Error;
      return 'skip';
    }
  }

  private receive(reply: WorkerReply, body: Uint8Array): void {
    const { task } = this;
    switch (reply.kind) {
      case 'ready':
        this.silentChecks = undefined;
        this.hasLoaded = true;
        this.pid = this.sandbox.pidOf(this.process.pid);
        if (this.pid === undefined) return this.kill('its process cannot be found');
        this.bytesAtStart = residentBytes(this.pid);
        this.events.onLoaded(this, reply.notices);
        if (this.isKilled) return;
        break;
      case 'unusable':
        this.events.onUnusable(reply.reason);
        return;
      case 'begun':
        this.silentChecks = undefined;
        return;
      default:
        if (!task) throw new Error('an unexpected result');
        this.silentChecks = undefined;
        task.toCome = reply.kind === 'failed' ? 0 : task.toCome - 1;
        if (task.toCome === 0) this.free();
        settle(task, this.refusal ?? resultOf(reply, body, task.task.image));
        // A killed process has the same refusal for all results to come.
        if (!this.isKilled) this.refusal = undefined;
        if (task.toCome > 0) return;
    }
    this.events.onIdle(this);
  }

  private end(cause: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.watch);
    this.suspendedTime?.close();
    this.task?.reject(this.refusal ?? new CompressionUnavailable('worker_lost'));
    this.free();
    this.endIdleWatch();
    this.events.onExit(this, this.cause ?? cause);
  }

  private free(): void {
    this.task?.endMemoryWatch();
    this.task = undefined;
    this.endIdleWatch = watchIdleMemory(this.pid, this.bytesAtStart, () => this.dismiss());
  }
}

function settle({ task, toCome, resolve, reject }: RunningTask, result: CompressedImage | Error): void {
  if (result instanceof WorkerFailed) return reject(result);
  task.deliver(result);
  if (toCome === 0) resolve();
}
