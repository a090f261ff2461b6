/**
 * Reads the body of an upload as it arrives. Refuses one that is too large, too slow or cut into tiny pieces, and notices a
 * client that disconnects.
 */
import type { Request, Response } from 'express';
import { imageTooLarge, piecesTooSmall, uploadTooSlow } from '../../contract/upload-problems';
import { sendContinue, PieceSizes } from '../../http/request-body';
import { CompressionUnavailable } from '../application/running/compression-runner.port';
import type { RequestMemory } from './upload-budget';

export interface ReadUpload {
  readonly image: Buffer;
  /** The text fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface Upload extends ReadUpload {
  /** The memory that this request has reserved. */
  readonly memory: RequestMemory;
}

const PACE_CHECK_MS = 2_000;
/** Minimum average speed after SLOW_START_S, for bodies of any length: a stalled upload occupies memory that others need. */
const MIN_BYTES_PER_SECOND = 8 * 1024;
const SLOW_START_S = 10;
/** A body must arrive within this time plus SLOW_START_S; the server ends requests after 120 s. */
const WHOLE_BODY_S = 100;

export interface UploadLimits {
  /** As bodyBytesOf returns it. */
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  /** Allowance for what surrounds the file in the body. */
  readonly framingBytes: number;
  /** Called with the number of bytes that have arrived; may throw to refuse the upload. */
  readonly onBytes: (bodyBytes: number) => void;
}

/** Takes the pieces of a body. It ends the reading by calling `resolve` or `reject`; further calls have no effect. */
export interface BodySink {
  write(piece: Buffer): void;
  /** The body is complete. */
  end(): void;
  /** The reading is over, whatever the outcome. */
  close?(): void;
}

/**
 * Returns the declared length of the body in bytes; the limit if none is declared.
 * @throws Problem `image_too_large`
 */
export function bodyBytesOf({ headers }: Request, maxUploadBytes: number, framingBytes: number): number {
  const declared = Number(headers['content-length'] ?? maxUploadBytes);
  if (declared > maxUploadBytes + framingBytes) throw imageTooLarge(maxUploadBytes, declared);
  return declared;
}

/**
 * Reads the body into the sink that `open` returns; resolves or rejects as the sink says.
 * @throws Problem when the body is too large, too slow or in tiny pieces
 * @throws CompressionUnavailable `cancelled` when the client disconnects, or the error that `onBytes` throws
 */
export function readBody<T>(
  req: Request,
  res: Response,
  limits: UploadLimits,
  open: (resolve: (result: T) => void, reject: (error: Error) => void) => BodySink,
): Promise<T> {
  sendContinue(req, res);
  return new Promise<T>((resolve, reject) => {
    const arrival = new Arrival(req, limits);
    let isOver = false;
    const finish = (outcome: () => void) => {
      if (isOver) return;
      isOver = true;
      req.off('data', take);
      clearInterval(pace);
      sink.close?.();
      outcome();
    };
    const fail = (error: Error) => finish(() => reject(error));
    const take = (piece: Buffer) => {
      try {
        arrival.add(piece);
        sink.write(piece);
      } catch (error) {
        fail(error as Error);
      }
    };
    const pace = setInterval(() => arrival.isTooSlow() && fail(uploadTooSlow()), PACE_CHECK_MS).unref();
    const sink = open((result) => finish(() => resolve(result)), fail);
    req.on('data', take);
    req.once('end', () => isOver || sink.end());
    req.once('close', () => req.complete || fail(new CompressionUnavailable('cancelled')));
  });
}

/** What has arrived of a body. */
class Arrival {
  private readonly start = performance.now();
  private readonly sizes = new PieceSizes();
  private bytes = 0;

  constructor(
    private readonly req: Request,
    private readonly limits: UploadLimits,
  ) {}

  /** @throws Problem, or the error that `onBytes` throws, when the body is refused */
  add(piece: Buffer): void {
    const { maxUploadBytes, framingBytes, onBytes } = this.limits;
    this.bytes += piece.length;
    if (this.bytes > maxUploadBytes + framingBytes) throw imageTooLarge(maxUploadBytes);
    if (this.sizes.areTinyWith(piece)) throw piecesTooSmall();
    onBytes(this.bytes);
  }

  isTooSlow(): boolean {
    const isDeclared = this.req.headers['content-length'] !== undefined;
    const seconds = (performance.now() - this.start) / 1000;
    return isTooSlow(this.bytes, seconds, isDeclared ? this.limits.maxBodyBytes : undefined);
  }
}

/**
 * Returns whether an upload is slower than the minimum.
 * @param receivedBytes bytes of the body so far
 * @param seconds since the upload began
 * @param declaredBytes Content-Length of the body; undefined if there is none
 */
export function isTooSlow(
  receivedBytes: number,
  seconds: number,
  declaredBytes: number | undefined,
): boolean {
  const pace = Math.max(MIN_BYTES_PER_SECOND, (declaredBytes ?? 0) / WHOLE_BODY_S);
  return receivedBytes < (seconds - SLOW_START_S) * pace;
}
