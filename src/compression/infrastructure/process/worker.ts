/** The service's handle of one worker process: starts it, sends it images and reports its exit. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { CompressionUnavailable } from '../../application/running/compression-runner.port';
import type { CompressedImage } from '../../domain/compression-report';
import { needsTooMuchMemory } from '../../../contract/image-problems';
import { loadingFault } from '../../packages/codec-package';
import { NO_SANDBOX, type Sandbox } from '../sandbox/sandbox';
import { FrameChannel, type Frame } from './frame-channel';
import { causeOf, killWorker, spawnWorker } from './spawn-worker';
import { Suspension } from './suspension';
import type { Task } from './task';
import { LOADED_TOO_LATE, VitalSigns } from './vital-signs';
import { asWorkerReply, requestOf, resultOf, type ResultReply, type WorkerReply } from './worker-messages';

/** No result is larger: a worker that announces more is broken. */
const MAX_RESULT_BYTES = 2 ** 31;

export interface WorkerEvents {
  /** Called when the codecs are loaded, with notices about them for the operator. */
  readonly onLoaded: (worker: Worker, notices: readonly string[]) => void;
  /** Called when the worker can take the next image. */
  readonly onIdle: () => void;
  /** Called once when the process has exited, for any reason; `isUnusable` if other workers cannot load their codecs either. */
  readonly onExit: (worker: Worker, cause: string, isUnusable: boolean) => void;
}

/** The image that the process has. */
interface Running {
  readonly task: Task;
  hasBegun: boolean;
  readonly resolve: (result: CompressedImage) => void;
  readonly reject: (error: Error) => void;
}

export class Worker {
  private readonly process: ChildProcess;
  private readonly channel: FrameChannel;
  private readonly vitals: VitalSigns;
  /** Present if the process may be suspended. */
  private readonly suspension: Suspension | undefined;
  private running: Running | undefined;
  /** A killed process may still send a finished result; it takes no further image. */
  private isKilled = false;
  private hasEnded = false;
  /** The package whose code the process is loading. */
  loadingPackage: string | undefined;
  /** Why the codecs cannot be loaded; the process then exits. */
  private fault: string | undefined;
  /** Why the service killed the process. */
  private cause: string | undefined;
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
    const spawned = spawnWorker(entry, sandbox, this.suspension);
    this.process = spawned.process;
    this.vitals = new VitalSigns(spawned, (cause) => this.kill(cause));
    const receive = ({ header, body }: Frame) => this.receive(asWorkerReply(header), body);
    this.channel = new FrameChannel(spawned.messages, receive, {
      admit: (bytes) => this.admit(bytes),
      onMalformed: (reason) => this.kill(`malformed message: ${reason}`),
    });
    this.process.once('exit', (code, signal) => this.end(causeOf(code, signal), signal !== null));
    this.process.once('error', (error) => this.end(error.message, false));
  }

  get isReady(): boolean {
    return this.vitals.hasLoaded && !this.isKilled && !this.hasEnded;
  }

  get isIdle(): boolean {
    return this.isReady && !this.running;
  }

  /**
   * Compresses an image in the worker process, or compares one with it.
   * @throws ImageRefused when the image cannot be compressed
   * @throws ImageRefused `needs_too_much_memory` when the process takes much more memory than the task should need
   * @throws CompressionUnavailable `worker_lost` when the process exits before it has finished
   */
  compress(task: Task): Promise<CompressedImage> {
    return new Promise((resolve, reject) => {
      this.running = { task, hasBegun: false, resolve, reject };
      task.refusal = undefined;
      this.vitals.beginImage(task.demandBytes, (limit, resident) => {
        task.refusal = needsTooMuchMemory(limit, resident);
        this.dismiss();
      });
      this.channel.send(...requestOf(task.image, task.options));
    });
  }

  /** Stops the process, together with its image, until `resume`. */
  suspend(): void {
    this.vitals.pause();
    this.suspension?.suspend(this.vitals.pid);
  }

  resume(): void {
    this.vitals.resume();
    this.suspension?.resume(this.vitals.pid);
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
    if (!this.running || bytes > MAX_RESULT_BYTES) throw new Error(`${bytes} unexpected bytes`);
    return this.running.task.admits(bytes) ? 'take' : 'skip';
  }

  /** @throws Error when the worker sends what it should not send now: it may be taken over */
  private receive(reply: WorkerReply, body: Uint8Array): void {
    const { running, vitals } = this;
    switch (reply.kind) {
      case 'loading':
      case 'ready':
      case 'unusable':
        if (vitals.hasLoaded) throw new Error(`a second start ("${reply.kind}")`);
        this.loadingPackage = reply.kind === 'loading' ? reply.path : undefined;
        if (reply.kind === 'unusable') this.fault = reply.reason;
        // It may have been killed since.
        if (reply.kind === 'ready' && !this.isKilled) this.begin(reply.notices);
        return;
      case 'begun':
        if (!running || running.hasBegun) throw new Error('an image that it was not given');
        running.hasBegun = true;
        return vitals.heard();
      default:
        if (!running?.hasBegun) throw new Error('an unexpected result');
        this.pass(running, reply, body);
    }
  }

  private begin(notices: readonly string[]): void {
    const pid = this.sandbox.pidOf(this.process.pid);
    if (pid === undefined) return this.kill('its process cannot be found');
    this.vitals.loaded(pid);
    this.events.onLoaded(this, notices);
  }

  /** Passes the result on, and takes the next image. */
  private pass({ task, resolve, reject }: Running, reply: ResultReply, body: Uint8Array): void {
    const result = task.refusal ?? resultOf(reply, body, task.image, task.options);
    this.running = undefined;
    this.vitals.endImage(() => this.dismiss());
    if (result instanceof Error) reject(result);
    else resolve(result);
    this.events.onIdle();
  }

  private end(exit: string, isSignalled: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.vitals.stop();
    this.suspension?.close();
    this.running?.reject(this.running.task.refusal ?? new CompressionUnavailable('worker_lost'));
    this.running = undefined;
    const { loadingPackage, fault, cause = exit } = this;
    if (loadingPackage === undefined) return this.events.onExit(this, fault ?? cause, fault !== undefined);
    // A package that exits or hangs while loading will do so again. A signal may be an accident, such as a lack of memory.
    const isLate = cause === LOADED_TOO_LATE;
    const reason = loadingFault(loadingPackage, isLate ? undefined : cause);
    this.events.onExit(this, reason, isLate || !isSignalled);
  }
}
