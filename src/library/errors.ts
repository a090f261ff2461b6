/** What `compress` can throw: classes to tell apart with `instanceof`, and a stable `code` each. */
import { CompressionUnavailable } from '../compression/application/running/compression-runner.port';
import { ImageRefused, type RefusalCode } from '../contract/image-problems';
import { WorkersUnusable } from '../compression/infrastructure/workers/worker-supervisor';

export type CompressionErrorCode = 'invalid_option' | RefusalCode | EngineErrorCode | 'ABORT_ERR';

/** `engine_unavailable`: the codecs cannot be loaded. `worker_lost`: two workers ended on this image. `engine_failed`: a bug. */
type EngineErrorCode = 'engine_unavailable' | 'worker_lost' | 'engine_failed';

/** The class of all errors below. */
export class CompressionError extends Error {
  constructor(
    readonly code: CompressionErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option is unknown, or has a value that it cannot take. */
export class InvalidOptionError extends CompressionError {
  declare readonly code: 'invalid_option';

  constructor(
    /** Its name. */
    readonly option: string,
    message: string,
  ) {
    super('invalid_option', message);
  }
}

/** The file is at fault: neither JPG nor PNG, damaged, or with too many pixels. */
export class ImageRefusedError extends CompressionError {
  declare readonly code: RefusalCode;
  /** What is allowed, in the unit that the message names. */
  readonly limit: number | undefined;
  /** What was found, in the same unit. */
  readonly actual: number | undefined;

  constructor({ code, message, numbers }: ImageRefused) {
    super(code, message);
    this.limit = numbers.limit;
    this.actual = numbers.actual;
  }
}

/** The codecs or their process are at fault. Trying again helps only after `worker_lost`, with more free memory. */
export class EngineError extends CompressionError {
  declare readonly code: EngineErrorCode;
}

/** The signal was aborted, or the compressor closed. Looks like Node's own: name `AbortError`, code `ABORT_ERR`. */
export class AbortError extends CompressionError {
  declare readonly code: 'ABORT_ERR';

  /** @param cause the reason of the signal */
  constructor(cause?: unknown) {
    super('ABORT_ERR', 'The compression was aborted.', { cause });
  }
}

/** An error of the workers in the library's classes. */
export function asCompressionError(error: unknown, signal: AbortSignal | undefined): CompressionError {
  if (error instanceof CompressionError) return error;
  if (error instanceof ImageRefused) return new ImageRefusedError(error);
  if (error instanceof WorkersUnusable) return new EngineError('engine_unavailable', `${error.message}.`);
  if (error instanceof CompressionUnavailable) {
    if (error.reason !== 'worker_lost') return new AbortError(signal?.reason);
    const message = 'Two worker processes ended while they compressed the image, perhaps for want of memory.';
    return new EngineError('worker_lost', message);
  }
  return new EngineError('engine_failed', 'The image could not be compressed because of a bug.', {
    cause: error,
  });
}
