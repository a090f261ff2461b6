/** The service's side of one worker process: start it, hand it an image, learn of its end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough, type Duplex } from 'node:stream';
import type { CompressedImage } from '../../domain/compression-report';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { ImageRefused } from '../../domain/refusal';
import { CompressionUnavailable } from '../../application/compression-runner.port';
import { FrameChannel } from './frame-channel';
import type { WorkerReply, WorkerRequest } from './worker-messages';

/** Environment that a worker may see: what Node and the dynamic linker need, none of the service's secrets. */
const PASSED_ON = /^(PATH|NODE_OPTIONS|LD_.*|MALLOC_.*|DYLD_.*|TZ|SystemRoot|TEMP|TMP|TMPDIR)$/;
/** libuv threads of a worker: one for the codec that runs, one spare. The default of 4 would only hold stacks. */
const LIBUV_THREADS = '2';

/** A worker that has not even said within this time that it has got the image is wedged, or stopped. */
const BEGIN_PATIENCE_MS = 5_000;
/**
 * glibc gives each thread a heap of its own, which keeps what is freed: a picture of 12 megapixels then peaked at 690 MB
 * instead of 440. Set outside, the operator's value counts; other C libraries do not know it.
 */
const GLIBC_ARENAS = '1';

interface Task {
  readonly image: Uint8Array;
  readonly patience: NodeJS.Timeout;
  readonly resolve: (result: CompressedImage) => void;
  readonly reject: (error: Error) => void;
}

export interface WorkerEvents {
  /** Codecs loaded, or a task finished: the worker can take an image. */
  readonly onIdle: (worker: Worker) => void;
  /** The process has ended, whatever the reason; called once. */
  readonly onExit: (worker: Worker, cause: string) => void;
}

export class Worker {
  private readonly process: ChildProcess;
  private readonly channel: FrameChannel;
  private task: Task | undefined;
  private hasLoaded = false;
  private hasEnded = false;

  /** @param entry the script to run and its arguments */
  constructor(
    entry: readonly string[],
    private readonly events: WorkerEvents,
  ) {
    this.process = spawn(process.execPath, ['--expose-gc', ...entry], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env: {
        MALLOC_ARENA_MAX: GLIBC_ARENAS,
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))),
        UV_THREADPOOL_SIZE: LIBUV_THREADS,
      },
    });
    // Out of file descriptors or processes, Node gives back a child without pipes; an `error` event follows.
    const pipe = (this.process.stdio as (Duplex | undefined)[] | undefined)?.[3] ?? new PassThrough();
    // A broken pipe is reported by the exit that follows it.
    pipe.on('error', () => undefined);
    this.channel = new FrameChannel(pipe, ({ header, body }) => this.receive(header as WorkerReply, body));
    this.process.once('exit', (code, signal) => this.end(signal ?? `exit code ${code}`));
    this.process.once('error', (error) => this.end(error.message));
  }

  get isReady(): boolean {
    return this.hasLoaded && !this.hasEnded;
  }

  get isIdle(): boolean {
    return this.isReady && !this.task;
  }

  /**
   * @param msLeft until the answer is worth nothing
   * @throws what compressImage throws, or CompressionUnavailable worker_lost when the process ends meanwhile.
   */
  compress(image: Uint8Array, policy: CompressionPolicy, msLeft: number): Promise<CompressedImage> {
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => this.kill(), BEGIN_PATIENCE_MS);
      this.task = { image, patience, resolve, reject };
      const limit = Number.isFinite(msLeft) ? { msLeft } : {};
      this.channel.send({ policy, ...limit } satisfies WorkerRequest, image);
    });
  }

  /** Ends the process at once; a running task fails with worker_lost. */
  kill(): void {
    this.process.kill('SIGKILL');
  }

  private receive(reply: WorkerReply, body: Uint8Array): void {
    const { task } = this;
    switch (reply.kind) {
      case 'ready':
        this.hasLoaded = true;
        break;
      case 'begun':
        clearTimeout(task?.patience);
        return;
      default:
        this.task = undefined;
        if (task) settle(task, reply, body);
    }
    this.events.onIdle(this);
  }

  private end(cause: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.task?.patience);
    this.task?.reject(new CompressionUnavailable('worker_lost'));
    this.task = undefined;
    this.events.onExit(this, cause);
  }
}

function settle(
  task: Task,
  reply: Exclude<WorkerReply, { kind: 'ready' | 'begun' }>,
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
