/** The service's handle of one worker process: starts it, sends it images and reports its exit. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { CompressedImage } from '../../domain/compression-report';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { CompressionUnavailable } from '../../application/running/compression-runner.port';
import { ImageRefused } from '../../../contract/image-problems';
import { FrameChannel } from './frame-channel';
import { HEARTBEAT_MS } from './heartbeat';
import { spawnWorker } from './spawn-worker';
import { asWorkerReply, type WorkerReply, type WorkerRequest } from './worker-messages';

/*
 * The service checks its workers every HEARTBEAT_MS. Timeouts are counted in checks instead of time, because the service itself
 * may have been blocked for seconds.
 */
/** Checks until the codecs must have loaded: 30 s. Loading normally takes 0.1 s, some seconds on a machine under load. */
const MAX_CHECKS_UNTIL_LOADED = 60;
/** Checks until a worker must have confirmed that it received an image: 5 s. */
const MAX_CHECKS_UNTIL_BEGUN = 10;
/** Consecutive checks without a heartbeat after which a worker is killed: 3 s. */
const MAX_MISSED_BEATS = 6;

interface RunningTask {
  readonly image: Uint8Array;
  readonly admitResult: (bytes: number) => void;
  readonly resolve: (result: CompressedImage) => void;
  readonly reject: (error: Error) => void;
}

/** The result is larger than any image could need: the worker is broken, not the image. */
export class ResultTooLong extends Error {}

export interface WorkerEvents {
  /** Called when the codecs are loaded, with notices about that for the operator. */
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
  private readonly channel: FrameChannel;
  private task: RunningTask | undefined;
  private hasLoaded = false;
  /** A killed process may still send the result that it had ready; it takes no further image. */
  private isKilled = false;
  private hasEnded = false;
  private missedBeats = 0;
  /** Checks since the process was started or sent an image, without a message from it; undefined after a message. */
  private silentChecks: number | undefined = 0;
  private readonly watch: NodeJS.Timeout;
  /** Why the service killed the process. */
  private cause: string | undefined;
  /** Why the result of the task is refused. */
  private refusal: Error | undefined;

  /** @param entry the script to run, and its arguments */
  constructor(
    entry: readonly string[],
    private readonly events: WorkerEvents,
  ) {
    const { process, messages, heartbeat } = spawnWorker(entry);
    this.process = process;
    heartbeat.on('data', () => (this.missedBeats = 0));
    this.channel = new FrameChannel(
      messages,
      ({ header, body }) => this.receive(asWorkerReply(header), body),
      {
        admit: (bytes) => this.admit(bytes),
        onMalformed: (reason) => this.kill(`malformed message: ${reason}`),
      },
    );
    this.watch = setInterval(() => this.check(), HEARTBEAT_MS).unref();
    this.process.once('exit', (code, signal) => this.end(signal ?? `exit code ${code}`));
    this.process.once('error', (error) => this.end(error.message));
  }

  get isReady(): boolean {
    return this.hasLoaded && !this.isKilled && !this.hasEnded;
  }

  get isIdle(): boolean {
    return this.isReady && !this.task;
  }

  /**
   * Compresses an image in the worker process.
   * @param admitResult called with the size of the result before memory for it is allocated; may throw to refuse it
   * @throws the error that compressImage or admitResult throws
   * @throws CompressionUnavailable `worker_lost` when the process exits before it has finished
   */
  compress(
    image: Uint8Array,
    policy: CompressionPolicy,
    admitResult: (bytes: number) => void,
  ): Promise<CompressedImage> {
    return new Promise((resolve, reject) => {
      this.silentChecks = 0;
      this.refusal = undefined;
      this.task = { image, admitResult, resolve, reject };
      this.channel.send({ policy } satisfies WorkerRequest, image);
    });
  }

  /** Kills the process; a running task fails with `worker_lost`. */
  kill(cause?: string): void {
    this.isKilled = true;
    this.cause ??= cause;
    this.process.kill('SIGKILL');
  }

  /** Lets this process end while the worker lives; the worker then ends with it. */
  unref(): void {
    this.process.unref();
    const pipes = this.process.stdio as (Socket | null)[] | undefined;
    for (const pipe of pipes ?? []) pipe?.unref();
  }

  private check(): void {
    if (this.silentChecks !== undefined) {
      const max = this.hasLoaded ? MAX_CHECKS_UNTIL_BEGUN : MAX_CHECKS_UNTIL_LOADED;
      if (this.silentChecks++ >= max)
        this.kill(this.hasLoaded ? undefined : 'its codecs did not load in time');
    }
    if (this.hasLoaded && this.missedBeats++ >= MAX_MISSED_BEATS) this.kill('its heartbeat stopped');
  }

  /** @throws Error when no task is running that could have a result of this size */
  private admit(bytes: number): 'take' | 'skip' {
    if (!this.task) throw new Error(`${bytes} unexpected bytes`);
    try {
      this.task.admitResult(bytes);
      return 'take';
    } catch (error) {
      if (error instanceof ResultTooLong) throw error;
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
        this.task = undefined;
        if (this.refusal) task.reject(this.refusal);
        else settle(task, reply, body);
    }
    this.events.onIdle(this);
  }

  private end(cause: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.watch);
    this.task?.reject(new CompressionUnavailable('worker_lost'));
    this.task = undefined;
    this.events.onExit(this, this.cause ?? cause);
  }
}

function settle(
  task: RunningTask,
  reply: Exclude<WorkerReply, { kind: 'ready' | 'unusable' | 'begun' }>,
  body: Uint8Array,
): void {
  switch (reply.kind) {
    case 'done':
      task.resolve({ bytes: reply.report.skipReason ? task.image : body, report: reply.report });
      break;
    case 'refused':
      task.reject(new ImageRefused(reply.code, reply.message, reply.numbers));
      break;
    case 'failed': {
      const error = new Error('A worker failed');
      error.stack = reply.stack;
      task.reject(error);
    }
  }
}
