/**
 * Reads the file of a multipart form (RFC 7578) as it arrives, and stops at the first problem: a wrong field, a second
 * file, neither JPG nor PNG, too large.
 */
import { Busboy } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { sendContinue } from '../../http/expect-continue';
import type { Problem } from '../../contract/problem';
import { CompressionUnavailable } from '../application/compression-runner.port';
import { ArrivingFile, IMAGE_FIELD } from './arriving-file';
import { BodyChunks } from './body-chunks';
import {
  brokenMultipart,
  encodedBody,
  imageTooLarge,
  missingImage,
  notMultipart,
  tooManyParts,
  uploadTooSlow,
  unexpectedField,
} from '../../contract/upload-problems';
import { isTooSlow } from './upload-pace';

/** Allowance for the boundaries and part headers around the file. */
const FRAMING_BYTES = 16 * 1024;
/** Time for the parser to finish after the body has ended; with malformed parts it sometimes never does. */
const PARSER_TIMEOUT_MS = 1_000;
const PACE_CHECK_MS = 2_000;

/**
 * Returns the declared length of the body in bytes; the limit if none is declared.
 * @throws Problem `image_too_large`
 */
export function bodyBytesOf({ headers }: Request, maxUploadBytes: number): number {
  const declared = Number(headers['content-length'] ?? maxUploadBytes);
  if (declared > maxUploadBytes + FRAMING_BYTES) throw imageTooLarge(maxUploadBytes, declared);
  return declared;
}

/**
 * Returns the bytes of the file in the field `image`.
 * @throws Problem when the form is invalid
 * @throws CompressionUnavailable `cancelled` when the client disconnects, or the error that `onBytes` throws
 */
export async function readMultipartImage(
  req: Request,
  res: Response,
  { maxBodyBytes, maxUploadBytes, onBytes }: UploadLimits,
): Promise<Buffer> {
  const parser = openParser(req, maxUploadBytes);
  sendContinue(req, res);

  return new Promise<Buffer>((resolve, reject) => {
    const file = new ArrivingFile(maxBodyBytes, maxUploadBytes);
    const start = performance.now();
    let bodyBytes = 0;
    let isOver = false;
    const finish = (outcome: () => void) => {
      if (isOver) return;
      isOver = true;
      req.off('data', feed);
      clearInterval(pace);
      // The parser may still emit an error about its early end; ignore it.
      parser.removeAllListeners().on('error', () => undefined);
      outcome();
    };
    const fail = (problem: Error) => finish(() => reject(problem));
    const attempt = (work: () => void) => {
      try {
        work();
      } catch (error) {
        // Any error of the parser means that the body is malformed.
        fail(error instanceof CompressionUnavailable ? error : brokenMultipart());
      }
    };
    file.onProblem = fail;
    // Written directly instead of piped, so that an exception in the parser becomes a response.
    const chunks = new BodyChunks((chunk) => {
      if (!isOver) attempt(() => parser.write(chunk));
    });
    const feed = (chunk: Buffer) => {
      bodyBytes += chunk.length;
      // The body also includes a preamble, an epilogue and parts that the parser skips.
      if (bodyBytes > maxUploadBytes + FRAMING_BYTES) return fail(imageTooLarge(maxUploadBytes));
      attempt(() => onBytes(bodyBytes));
      chunks.add(chunk);
    };
    const declared = req.headers['content-length'] === undefined ? undefined : maxBodyBytes;
    const pace = setInterval(() => {
      if (isTooSlow(bodyBytes, (performance.now() - start) / 1000, declared)) fail(uploadTooSlow());
    }, PACE_CHECK_MS).unref();
    parser.on('file', (name: string | undefined, stream) => file.add(name, stream));
    failForOtherParts(parser, fail);
    parser.on('finish', () => {
      const problem = file.problemAtEnd();
      finish(() => (problem ? reject(problem) : resolve(file.bytes())));
    });
    req.on('data', feed);
    req.once('end', () => {
      if (isOver) return;
      chunks.flush();
      parser.end();
      setTimeout(() => fail(brokenMultipart()), PARSER_TIMEOUT_MS).unref();
    });
    req.once('close', () => {
      if (!req.complete) fail(new CompressionUnavailable('cancelled'));
    });
  });
}

function failForOtherParts(parser: ReturnType<typeof openParser>, fail: (problem: Problem) => void): void {
  parser.on('field', (name: string | undefined) =>
    fail(name === IMAGE_FIELD ? missingImage() : unexpectedField(name)),
  );
  parser.on('partsLimit', () => fail(tooManyParts()));
  parser.on('error', () => fail(brokenMultipart()));
}

interface UploadLimits {
  /** As bodyBytesOf returns it. */
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  /** Called with the number of bytes that have arrived; may throw to refuse the upload. */
  readonly onBytes: (bodyBytes: number) => void;
}

function openParser({ headers }: Request, maxUploadBytes: number) {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw notMultipart();
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw encodedBody();
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      // Two files, so that a second one is noticed and refused.
      limits: { fileSize: maxUploadBytes, files: 2, fields: 1, fieldSize: 1024, parts: 3, headerPairs: 32 },
      // A part without a file name is a text field, whatever type it declares.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch {
    throw brokenMultipart();
  }
}
