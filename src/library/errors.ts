/** What `compress` can throw: classes to tell apart with `instanceof`, and a stable `code` each. */
import { CompressionUnavailable } from '../compression/application/running/compression-runner.port';
import { WorkersUnusable } from '../compression/infrastructure/sandbox/sandbox';
import { PackageFailed } from '../compression/packages/codec-package';
import { ImageRefused, type RefusalCode } from '../contract/image-problems';
import { messageOf, type ProblemFacts } from '../contract/problem';

export type CompressionErrorCode =
  'invalid_option' | 'unreadable_input' | FileErrorCode | EngineErrorCode | 'compressor_closed' | 'ABORT_ERR';

type FileErrorCode = RefusalCode | 'image_too_large';

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

/** An option is unknown, or has a value that it cannot take; or the input is of an unknown kind. */
export class InvalidOptionError extends CompressionError {
  declare readonly code: 'invalid_option';

  constructor(
    /** Its name; `options` or `input` when one of these is wrong. */
    readonly option: string,
    message: string,
  ) {
    super('invalid_option', message);
  }
}

/** The input cannot be read: there is no such file, or the stream failed. `cause` is the error of the system or the stream. */
export class InputError extends CompressionError {
  declare readonly code: 'unreadable_input';

  constructor(cause: unknown) {
    super('unreadable_input', `The input cannot be read: ${messageOf(cause).replace(/\.$/, '')}.`, { cause });
  }
}

/** The file is at fault: neither JPG nor PNG, damaged, too large, or with too many pixels. */
export class ImageRefusedError extends CompressionError {
  declare readonly code: FileErrorCode;
  /** What is allowed, in the unit that the message names. */
  readonly limit: number | undefined;
  /** What was found, in the same unit. */
  readonly actual: number | undefined;

  constructor({ code, message, numbers }: Refusal) {
    super(code, message);
    this.limit = numbers.limit;
    this.actual = numbers.actual;
  }
}

interface Refusal {
  readonly code: FileErrorCode;
  readonly message: string;
  readonly numbers: Pick<ProblemFacts, 'limit' | 'actual'>;
}

/** The codecs or their process are at fault. Trying again helps only after `worker_lost`, with more free memory. */
export class EngineError extends CompressionError {
  declare readonly code: EngineErrorCode;
}

/** The compressor was closed before the call. */
export class CompressorClosedError extends CompressionError {
  declare readonly code: 'compressor_closed';

  constructor() {
    super('compressor_closed', 'The compressor is closed; create another one.');
  }
}

/** The signal was aborted, or the compressor closed during the work. Looks like Node's own: name `AbortError`, code `ABORT_ERR`. */
export class AbortError extends CompressionError {
  declare readonly code: 'ABORT_ERR';

  /** @param cause the reason of the signal; a CompressorClosedError when the compressor was closed */
  constructor(cause?: unknown) {
    super('ABORT_ERR', 'The compression was aborted.', { cause });
  }
}

/**
 * The code and the numbers are those of the HTTP contract.
 * @param actual size in bytes, if known
 */
export function inputTooLarge(limit: number, actual?: number): ImageRefusedError {
  const message = `The file is larger than the limit of ${limit} bytes; maxInputBytes sets another one.`;
  return new ImageRefusedError({ code: 'image_too_large', message, numbers: { limit, actual } });
}

/** An error of the workers in the library's classes. */
export function asCompressionError(error: unknown, signal: AbortSignal): CompressionError {
  if (signal.aborted) return new AbortError(signal.reason);
  if (error instanceof CompressionError) return error;
  if (error instanceof ImageRefused) return new ImageRefusedError(error);
  if (error instanceof WorkersUnusable) return new EngineError('engine_unavailable', `${error.message}.`);
  if (error instanceof CompressionUnavailable) {
    const message =
      'Two worker processes ended while they compressed the image, perhaps because memory ran out.';
    return new EngineError('worker_lost', message);
  }
  if (error instanceof PackageFailed)
    return new EngineError('engine_failed', `${error.message}.`, { cause: error });
  return new EngineError('engine_failed', 'The image could not be compressed because of a bug.', {
    cause: error,
  });
}
