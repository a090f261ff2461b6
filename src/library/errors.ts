/**
 * The errors of the library: a class and a stable `code` each. Nothing else is thrown, whatever a worker, a
 * package or the system reports.
 */
import { CompressionUnavailable } from '../compression/application/running/compression-runner.port';
import { WorkersUnusable } from '../compression/infrastructure/sandbox/sandbox';
import { PackageFailed } from '../compression/packages/codec-package';
import { ImageRefused, type RefusalCode } from '../contract/image-problems';
import { errorMessage } from '../contract/problem';

export type CompressionErrorCode =
  'invalid_option' | 'unreadable_input' | FileErrorCode | EngineErrorCode | 'compressor_closed' | 'ABORT_ERR';

type FileErrorCode = RefusalCode | 'image_too_large';

/** `engine_unavailable`: the codecs cannot be loaded. `worker_lost`: two workers ended on this image. `engine_failed`: a bug. */
type EngineErrorCode = 'engine_unavailable' | 'worker_lost' | 'engine_failed';

/** The class of all errors below. */
export class CompressionError<Code extends CompressionErrorCode = CompressionErrorCode> extends Error {
  constructor(
    readonly code: Code,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option is unknown, or has a value that it cannot take; or the input is of an unknown kind. */
export class InvalidOptionError extends CompressionError<'invalid_option'> {
  constructor(
    readonly option: string,
    message: string,
  ) {
    super('invalid_option', message);
  }
}

/** The input cannot be read: there is no such file, or the stream failed. `cause` is the error of the system or the stream. */
export class InputError extends CompressionError<'unreadable_input'> {
  constructor(cause: unknown) {
    super('unreadable_input', `The input cannot be read: ${errorMessage(cause).replace(/\.$/, '')}.`, {
      cause,
    });
  }
}

/** The file is at fault: neither JPG nor PNG, damaged, too large, or with too many pixels. */
export class ImageRefusedError extends CompressionError<FileErrorCode> {
  /** What is allowed, in the unit that the message names; `actual` is what was found. */
  readonly limit: number | undefined;
  readonly actual: number | undefined;

  constructor({ code, message, numbers: { limit, actual } }: Refusal) {
    super(code, message);
    this.limit = limit;
    this.actual = actual;
  }
}

type Refusal = Pick<ImageRefused, 'message' | 'numbers'> & { readonly code: FileErrorCode };

/** Trying again helps only after `worker_lost`, with more free memory. */
export class EngineError extends CompressionError<EngineErrorCode> {}

export class CompressorClosedError extends CompressionError<'compressor_closed'> {
  constructor() {
    super('compressor_closed', 'The compressor is closed; create another one.');
  }
}

/** The signal was aborted, or the compressor closed during the work. Looks like Node's own: name `AbortError`, code `ABORT_ERR`. */
export class AbortError extends CompressionError<'ABORT_ERR'> {
  constructor(cause?: unknown) {
    super('ABORT_ERR', 'The compression was aborted.', { cause });
  }
}

export function inputTooLarge(limit: number, actual?: number): ImageRefusedError {
  const message = `The file is larger than the limit of ${limit} bytes; maxInputBytes sets another one.`;
  const numbers = { limit, ...(actual !== undefined && { actual }) };
  return new ImageRefusedError({ code: 'image_too_large', message, numbers });
}

const LOST = 'Two worker processes ended while they compressed the image, perhaps because memory ran out.';
const BUG = 'The image could not be compressed because of a bug.';

/** Returns an error of the workers in the library's classes. An abort comes first: it may show as any other error. */
export function asCompressionError(error: unknown, signal: AbortSignal): CompressionError {
  if (signal.aborted) return new AbortError(signal.reason);
  if (error instanceof CompressionError) return error as CompressionError;
  if (error instanceof ImageRefused) return new ImageRefusedError(error);
  if (error instanceof WorkersUnusable) return new EngineError('engine_unavailable', `${error.message}.`);
  if (error instanceof CompressionUnavailable) return new EngineError('worker_lost', LOST);
  const message = error instanceof PackageFailed ? `${error.message}.` : BUG;
  return new EngineError('engine_failed', message, { cause: error });
}
