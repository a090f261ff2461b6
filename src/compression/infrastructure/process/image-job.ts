/** An image in the pool, from the queue to its result: the memory and the time that it may take. */
import { needsTooMuchToDecode, notAnImage, resultTooLarge } from '../../../contract/image-problems';
import { Formats, type ConversionMemory, type ResultFormatName } from '../../../contract/formats';
import type {
  RunOptions,
  RunTimes,
  UnavailableReason,
} from '../../application/running/compression-runner.port';
import type { ImageTask, ResultOf } from '../../application/running/task';
import { largestFit, type Dimensions } from '../../domain/dimensions';
import { animationMemory, memoryDemand } from '../../domain/memory-demand';
import { readAcceptedHeader, type DeclaredImage } from '../../formats/image-header';
import { isStill, readStillHeader } from '../../formats/read-still-header';
import { Job } from '../queue/turns';
import type { TaskLimits, Worker } from './worker';

/** Four 16-bit samples per pixel. No result needs more, besides its metadata. */
const MAX_BYTES_PER_PIXEL = 8;
/** An inflated colour profile, and everything else around the pixels. */
const MAX_METADATA_BYTES = 8 * 1024 * 1024;
/** The PNG from which an upload of a package is compressed, and its compressed rows. */
const PNG_BYTES_PER_PIXEL = 8;
/** Of 115 images of up to 268 megapixels, none took more than 0.95 times its estimate. */
const MARGIN = 1.25;
const SLACK_BYTES = 128 * 1024 * 1024;

export interface MemoryOptions {
  /** The most that an image may take, in bytes. */
  readonly maxImageBytes?: number;
  /** Memory of an image as a multiple of memoryDemand(). */
  readonly memoryFactor?: number;
  readonly knownFormats?: Formats;
}

/** An upload that becomes pixels first; without a size, only reading that is counted. */
interface DecodedFirst {
  readonly name: ResultFormatName;
  readonly decoding: ConversionMemory;
  readonly dimensions?: Dimensions;
  readonly codedPixels?: number;
  readonly mayBeTransparent?: boolean;
}

/** The header of the PNG that an upload becomes. */
export function headerOfDecoded({
  name,
  decoding: { bytesPerPixel, baseBytes },
  dimensions = { width: 1, height: 1 },
  codedPixels = 0,
  mayBeTransparent = true,
}: DecodedFirst): DeclaredImage {
  const pixels = dimensions.width * dimensions.height;
  const heldBytes =
    baseBytes + Math.max(codedPixels, pixels) * bytesPerPixel.opaque + pixels * PNG_BYTES_PER_PIXEL;
  return { format: 'png', dimensions, heldBytes, mayBeTransparent, resultFormat: name };
}

/** @throws ImageRefused `needs_too_much_memory` when its decoder alone would hold more than an image may take */
export function refuseLarge({ frames, heldBytes }: DeclaredImage, maxImageBytes = Infinity): void {
  if (!frames && heldBytes > maxImageBytes) throw needsTooMuchToDecode(maxImageBytes, heldBytes);
}

/** Of an animation that becomes no pixels. */
const NO_FRAMES = { bytes: Infinity, largestBytes: 0 };

/** Returns what an image takes, as far as the service process can read it. @throws ImageRefused when it is not accepted */
export function readHeader(
  { kind, image, policy }: ImageTask,
  formats: Formats,
): { readonly header: DeclaredImage; readonly unmeasured?: DecodedFirst } {
  const decoded = formats.decodedUpload(image);
  if (!decoded) return { header: readAcceptedHeader(image, policy.maxPixels) };
  if (!isStill(decoded.name)) {
    if (kind === 'compare') throw notAnImage(image, Formats.builtIn);
    return { header: headerOfDecoded(decoded), unmeasured: decoded };
  }
  const { isAnimated, ...still } = readStillHeader(decoded.name, image, policy.maxPixels);
  const header = headerOfDecoded({ ...decoded, ...still });
  return { header: isAnimated ? { ...header, frames: NO_FRAMES } : header };
}

/** What a job needs of its pool. */
export interface PoolOfJob {
  unavailable(reason: UnavailableReason, options: RunOptions): Error;
  /** Called when the deadline passes or the caller cancels before the task is done. */
  onGivenUp(job: ImageJob): void;
}

type Result = ResultOf<ImageTask> & RunTimes;

export class ImageJob extends Job implements TaskLimits {
  readonly result: Promise<Result>;
  worker: Worker | undefined;
  hasLostWorker = false;
  isSettled = false;
  maxGrowthBytes = 0;
  /** What an upload takes whose dimensions only its package can read; undefined once they are known. */
  unmeasured: DecodedFirst | undefined;
  private maxResultBytes = 0;
  private readonly arrivedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.giveUp('cancelled');
  private resolve!: (result: Result) => void;
  private reject!: (error: Error) => void;

  constructor(
    public task: ImageTask,
    readonly options: RunOptions,
    private readonly memory: MemoryOptions,
    private readonly pool: PoolOfJob,
  ) {
    super(options);
    this.isUrgent = options.isUrgent === true;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const ms = options.deadlineAt - this.arrivedAt;
    if (Number.isFinite(ms)) this.timer = setTimeout(() => this.giveUp('deadline_exceeded'), ms);
    options.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  get deadlineAt(): number {
    return this.options.deadlineAt;
  }

  get ageMs(): number {
    return performance.now() - this.arrivedAt;
  }

  /** Sets the memory that the image may take, and the size of its result. */
  expect(header: DeclaredImage) {
    const { image, policy } = this.task;
    const { memoryFactor = 1, maxImageBytes = Infinity, knownFormats } = this.memory;
    const demandBytes = header.frames
      ? animationMemory(header.frames, image.length)
      : memoryDemand(header, policy, image.length, knownFormats);
    this.demandBytes = memoryFactor * demandBytes;
    this.maxGrowthBytes = Math.min(this.demandBytes * MARGIN + SLACK_BYTES, maxImageBytes);
    const { width, height } = largestFit(header.dimensions, policy);
    this.maxResultBytes = width * height * MAX_BYTES_PER_PIXEL + image.length + MAX_METADATA_BYTES;
  }

  /** Frees the upload, which the memory of its request no longer counts. */
  forget() {
    this.task = { ...this.task, image: new Uint8Array() };
    this.worker?.forget();
  }

  admit(bytes: number) {
    if (bytes > this.maxResultBytes) throw resultTooLarge(this.maxResultBytes, bytes);
    this.options.onResultSize?.(bytes);
  }

  /** Resolves or rejects the result. Further calls do nothing. */
  end(outcome: ResultOf<ImageTask> | Error) {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    this.options.signal.removeEventListener('abort', this.onAbort);
    const { ranMs, suspendedMs, ageMs } = this;
    if (outcome instanceof Error) this.reject(outcome);
    else this.resolve({ ...outcome, ranMs, suspendedMs, queueMs: ageMs - ranMs });
  }

  giveUp(reason: UnavailableReason) {
    if (this.isSettled) return;
    this.end(this.pool.unavailable(reason, this.options));
    this.pool.onGivenUp(this);
  }
}
