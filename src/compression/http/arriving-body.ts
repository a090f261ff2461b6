/** Reads the body of an upload as it arrives. Refuses one that is too large or too slow, and notices a client that leaves. */
import type { Request, Response } from 'express';
import { imageTooLarge, uploadTooSlow } from '../../contract/upload-problems';
import { sendContinue } from '../../http/expect-continue';
import { CompressionUnavailable } from '../application/compression-runner.port';
import { isTooSlow } from './upload-pace';

const PACE_CHECK_MS = 2_000;

export interface UploadLimits {
  /** As bodyBytesOf returns it. */
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  /** Allowance for what surrounds the file in the body. */
  readonly framingBytes: number;
  /** Called with the number of bytes that have arrived; may throw to refuse the upload. */
  readonly onBytes: (bodyBytes: number) => void;
}

/** Takes the chunks of a body. It ends the reading by calling `resolve` or `reject`; further calls have no effect. */
export interface BodySink {
  write(chunk: Buffer): void;
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
 * @throws Problem when the body is too large or too slow
 * @throws CompressionUnavailable `cancelled` when the client disconnects, or the error that `onBytes` throws
 */
export function readBody<T>(
  req: Request,
  res: Response,
  { maxBodyBytes, maxUploadBytes, framingBytes, onBytes }: UploadLimits,
  open: (resolve: (result: T) => void, reject: (error: Error) => void) => BodySink,
): Promise<T> {
  sendContinue(req, res);
  return new Promise<T>((resolve, reject) => {
    const start = performance.now();
    let bodyBytes = 0;
    let isOver = false;
    const finish = (outcome: () => void) => {
      if (isOver) return;
      isOver = true;
      req.off('data', feed);
      clearInterval(pace);
      sink.close?.();
      outcome();
    };
    const fail = (error: Error) => finish(() => reject(error));
    const feed = (chunk: Buffer) => {
      bodyBytes += chunk.length;
      if (bodyBytes > maxUploadBytes + framingBytes) return fail(imageTooLarge(maxUploadBytes));
      try {
        onBytes(bodyBytes);
      } catch (error) {
        return fail(error as Error);
      }
      sink.write(chunk);
    };
    const declared = req.headers['content-length'] === undefined ? undefined : maxBodyBytes;
    const pace = setInterval(() => {
      if (isTooSlow(bodyBytes, (performance.now() - start) / 1000, declared)) fail(uploadTooSlow());
    }, PACE_CHECK_MS).unref();
    const sink = open((result) => finish(() => resolve(result)), fail);
    req.on('data', feed);
    req.once('end', () => {
      if (!isOver) sink.end();
    });
    req.once('close', () => {
      if (!req.complete) fail(new CompressionUnavailable('cancelled'));
    });
  });
}
