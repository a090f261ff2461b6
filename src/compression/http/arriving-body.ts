/** Reads an upload as it arrives: not too large, too slow or in tiny pieces. */
import type { Request, Response } from 'express';
import type { Formats } from '../../contract/formats';
import { imageTooLarge, piecesTooSmall, uploadTooSlow } from '../../contract/upload-problems';
import { sendContinue, PieceSizes } from '../../http/request-body';
import { CompressionUnavailable } from '../application/running/compression-runner.port';
import type { RequestMemory } from './admission';

export interface ReadUpload {
  readonly image: Buffer;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface Upload extends ReadUpload {
  readonly memory: RequestMemory;
}

const PACE_CHECK_MS = 2_000;
/** Minimum average speed after SLOW_START_S, for bodies of any length: a stalled upload occupies memory that others need. */
const MIN_BYTES_PER_SECOND = 8 * 1024;
const SLOW_START_S = 10;
/** A body must arrive within this time plus SLOW_START_S; the server ends requests after 120 s. */
const WHOLE_BODY_S = 100;

export interface UploadLimits {
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  readonly framingBytes: number;
  /** Those of uploads are accepted. */
  readonly formats: Formats;
  /** Called with the number of bytes that have arrived; may throw to refuse the upload. */
  readonly onBytes: (bodyBytes: number) => void;
}

/** It ends the reading by calling `resolve` or `reject`; further calls have no effect. */
export interface BodySink {
  write(piece: Buffer): void;
  end(): void;
  close?(): void;
}

/** The declared length; the limit if none is declared. @throws Problem `image_too_large` */
export function readLength({ headers }: Request, maxUploadBytes: number, framingBytes: number): number {
  const declared = Number(headers['content-length'] ?? maxUploadBytes);
  if (declared > maxUploadBytes + framingBytes) throw imageTooLarge(maxUploadBytes, declared);
  return declared;
}

/** @throws Problem, or CompressionUnavailable `cancelled` when the client disconnects, or what `onBytes` throws */
export function readBody<T>(
  req: Request,
  res: Response,
  limits: UploadLimits,
  open: (resolve: (result: T) => void, reject: (error: Error) => void) => BodySink,
): Promise<T> {
  sendContinue(req, res);
  const { maxUploadBytes, framingBytes, onBytes } = limits;
  const declaredBytes = Number(req.headers['content-length'] ?? 0);
  const sizes = new PieceSizes();
  const start = performance.now();
  return new Promise<T>((resolve, reject) => {
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
        const areTiny = sizes.areTinyWith(piece);
        if (sizes.bytes > maxUploadBytes + framingBytes) throw imageTooLarge(maxUploadBytes);
        if (areTiny) throw piecesTooSmall();
        onBytes(sizes.bytes);
        sink.write(piece);
      } catch (error) {
        fail(error as Error);
      }
    };
    const pace = setInterval(() => {
      const seconds = (performance.now() - start) / 1000;
      if (isTooSlow(sizes.bytes, seconds, declaredBytes)) fail(uploadTooSlow());
    }, PACE_CHECK_MS).unref();
    const sink = open((result) => finish(() => resolve(result)), fail);
    req.on('data', take);
    req.once('end', () => isOver || sink.end());
    req.once('close', () => req.complete || fail(new CompressionUnavailable('cancelled')));
  });
}

/** @param declaredBytes Content-Length of the body; 0 if it has none */
export function isTooSlow(receivedBytes: number, seconds: number, declaredBytes: number): boolean {
  const pace = Math.max(MIN_BYTES_PER_SECOND, declaredBytes / WHOLE_BODY_S);
  return receivedBytes < (seconds - SLOW_START_S) * pace;
}
