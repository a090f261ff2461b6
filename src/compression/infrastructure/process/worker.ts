/** The service's handle of one worker process: starts it, sends it images and reports its exit. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { CompressedImage } from '../../domain/compression-report';
import { CompressionUnavailable } from '../../application/running/compression-runner.port';
import { needsTooMuchMemory } from '../../../contract/image-problems';
import { loadingFault } from '../../packages/codec-package';
import { NO_SANDBOX, type Sandbox } from '../sandbox/sandbox';
import { FrameChannel, type Frame } from './frame-channel';
import {
  LOADED_TOO_LATE,
  VitalSigns,
  residentBytes,
  watchIdleMemory,
  watchMemory,
  passErrorsOn,
} from './vital-signs';
import { causeOf, killWorker, spawnWorker } from './spawn-worker';
import { Suspension } from './suspension';
import {
  asWorkerReply,
  resultOf,
  type ResultReply,
  type WorkerReply,
  type WorkerRequest,
  settle,
  type RunningTask,
  type WorkerTask,
} from './worker-messages';

/** No result is larger: a worker that announces more is broken. */
const MAX_RESULT_BYTES = 2 ** 31;

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
  private readonly allowErrors: () => void;
  private task: RunningTask | undefined;
  private readonly vitals: VitalSigns;
  /** A killed process may still send a finished result; it takes no further image. */
  private isKilled = false;
  private hasEnded = false;
  private bytesAtStart: number | undefined;
  private endIdleWatch: () => void = () => undefined;
  /** Present if the process may be suspended. */
  private readonly suspension: Suspension | undefined;
  /** The package whose code the process is loading. */
  loadingPackage: string | undefined;
  /** Why the service killed the process. */
  private cause: string | undefined;
  /** Why the image or its result is refused. */
  private refusal: Error | undefined;
  /** Whether the service ended the process deliberately. */
  wasDismissed = false;

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
    this.suspension = canSuspend ? new Suspension() : undefined;
    const { process, messages, heartbeat, errors } = spawnWorker(entry, sandbox, this.suspension);
    this.process = process;
    this.vitals = new VitalSigns(
      heartbeat,
      () => this.suspension?.isSuspended === true,
      (cause) => this.kill(cause),
    );
    this.allowErrors = passErrorsOn(errors, (cause) => this.kill(cause));
    const receive = ({ header, body }: Frame) => this.receive(asWorkerReply(header), body);
    this.channel = new FrameChannel(messages, receive, {
      admit: (bytes) => this.admit(bytes),
      onMalformed: (reason) => this.kill(`malformed message: ${reason}`),
    });
    this.process.once('exit', (code, signal) => this.end(causeOf(code, signal), signal !== null));
    this.process.once('error', (error) => this.end(error.message));
  }

  get isReady(): boolean {
    return this.vitals.hasLoaded && !this.isKilled && !this.hasEnded;
  }

  get isIdle(): boolean {
    return this.isReady && !this.task;
  }

  /**
   * Compresses an image in the worker process, or compares one with it. Resolves when all its results have been delivered.
   * @throws ImageRefused `needs_too_much_memory` when the process takes much more memory than the task should need
   * @throws CompressionUnavailable `worker_lost` when the process exits before it has finished
   */
  compress(task: WorkerTask): Promise<void> {
    return new Promise((resolve, reject) => {
      this.endIdleWatch();
      this.vitals.expectReply();
      this.allowErrors();
      this.refusal = undefined;
      const endMemoryWatch = watchMemory(this.pid, task.demandBytes, (limit, resident) => {
        this.refusal = needsTooMuchMemory(limit, resident);
        this.dismiss();
      });
      const { policies, image, compared } = task;
      this.task = { task, toCome: policies.length, hasBegun: false, endMemoryWatch, resolve, reject };
      const comparison = compared && { originalBytes: image.length, wantsMap: compared.wantsMap };
      const request: WorkerRequest = { policies, ...(comparison ? { comparison } : {}) };
      this.channel.send(request, image, ...(compared ? [compared.image] : []));
    });
  }

  /** Stops the process, together with its image, until `resume`. */
  suspend(): void {
    this.suspension?.suspend(this.pid);
  }

  resume(): void {
    this.vitals.forgive();
    this.suspension?.resume(this.pid);
  }

  /** Kills the process; a running task fails with `worker_lost`. */
  kill(cause?: string): void {
    this.isKilled = true;
    this.cause ??= cause;
    killWorker(this.process, this.sandbox);
  }

  /** Kills the process because it is no longer needed, or because of its image; it does not count as lost. */
  dismiss(): void {
    this.wasDismissed = true;
    this.kill();
  }

  /** Lets this process exit while the worker runs; the worker then exits too. */
  unref(): void {
    this.process.unref();
    const pipes = this.process.stdio as (Socket | null)[] | undefined;
    for (const pipe of pipes ?? []) pipe?.unref();
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

  /** @throws Error when the worker sends what it should not send now: it may be taken over */
  private receive(reply: WorkerReply, body: Uint8Array): void {
    const { task } = this;
    switch (reply.kind) {
      case 'loading':
        if (this.vitals.hasLoaded) throw new Error('a second start ("loading")');
        this.loadingPackage = reply.path;
        return;
      case 'ready':
      case 'unusable':
        if (this.vitals.hasLoaded) throw new Error(`a second start ("${reply.kind}")`);
        this.loadingPackage = undefined;
        if (reply.kind === 'unusable') return this.events.onUnusable(reply.reason);
        this.begin(reply.notices);
        if (this.isKilled) return;
        break;
      case 'begun':
        if (!task || task.hasBegun) throw new Error('an image that it was not given');
        task.hasBegun = true;
        this.vitals.heard();
        return;
      default:
        if (!task?.hasBegun) throw new Error('an unexpected result');
        settle(task, this.take(task, reply, body));
        if (task.toCome > 0) return;
    }
    this.events.onIdle(this);
  }

  private begin(notices: readonly string[]): void {
    this.vitals.heard();
    this.vitals.hasLoaded = true;
    this.pid = this.sandbox.pidOf(this.process.pid);
    if (this.pid === undefined) return this.kill('its process cannot be found');
    this.bytesAtStart = residentBytes(this.pid);
    this.events.onLoaded(this, notices);
  }

  private take(task: RunningTask, reply: ResultReply, body: Uint8Array): CompressedImage | Error {
    const result = this.refusal ?? resultOf(reply, body, task.task);
    task.toCome = reply.kind === 'failed' ? 0 : task.toCome - 1;
    if (task.toCome === 0) this.free();
    // A killed process has the same refusal for all results to come.
    if (!this.isKilled) this.refusal = undefined;
    return result;
  }

  private end(cause: string, isSignalled = false): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.vitals.stop();
    this.suspension?.close();
    this.task?.reject(this.refusal ?? new CompressionUnavailable('worker_lost'));
    this.free();
    this.endIdleWatch();
    this.events.onExit(this, this.causeOfEnd(cause, isSignalled));
  }

  /** A package that exits or hangs while loading will do so again. A signal may be an accident, such as a lack of memory. */
  private causeOfEnd(exit: string, isSignalled: boolean): string {
    const { loadingPackage, cause = exit } = this;
    if (loadingPackage === undefined) return cause;
    const isLate = cause === LOADED_TOO_LATE;
    const fault = loadingFault(loadingPackage, isLate ? undefined : cause);
    if (isLate || !isSignalled) this.events.onUnusable(fault);
    return fault;
  }

  private free(): void {
    this.task?.endMemoryWatch();
    this.task = undefined;
    this.endIdleWatch = watchIdleMemory(this.pid, this.bytesAtStart, () => this.dismiss());
  }
}
