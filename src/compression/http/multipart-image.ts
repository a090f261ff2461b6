/**
 * Reads the one file of a multipart form (RFC 7578) while it arrives, and stops at the first byte that makes it
 * unacceptable: wrong field, second file, neither JPG nor PNG, too large.
 */
import { Busboy } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { inviteBody } from '../../operations/expect-continue';
import { Problem } from '../../operations/problem';
import { CompressionUnavailable } from '../application/compression-runner.port';
import { ArrivingFile, FIELD } from './arriving-file';
import { brokenMultipart, missingImage, imageTooLarge, tooSlow, unexpectedField } from './upload-problems';

/** Room for the boundaries and part headers around a file of exactly the largest size. */
const FRAMING_BYTES = 16 * 1024;
/** The parser skips parts that it does not understand and then sometimes never ends; this long it may take to. */
const PARSER_PATIENCE_MS = 1_000;
/** An upload that has not brought so much on average after the first moments only keeps memory from others. */
const LEAST_BYTES_PER_SECOND = 8 * 1024;
const SLOW_START_MS = 10_000;
const PACE_CHECK_MS = 2_000;

/**
 * What the body will bring at most, in bytes: what is declared, or the largest that is accepted.
 * @throws Problem `image_too_large`
 */
export function bodyBytesOf({ headers }: Request, maxUploadBytes: number): number {
  const declared = Number(headers['content-length'] ?? maxUploadBytes);
  if (declared > maxUploadBytes + FRAMING_BYTES) throw imageTooLarge(maxUploadBytes, declared);
  return declared;
}

/**
 * The bytes of the file in the field `image`.
 * @param mostBodyBytes see bodyBytesOf
 * @throws Problem for anything that the caller did wrong; CompressionUnavailable `cancelled` when he left.
 */
export async function readMultipartImage(
  req: Request,
  res: Response,
  mostBodyBytes: number,
  maxUploadBytes: number,
): Promise<Buffer> {
  const parser = openParser(req, maxUploadBytes);
  inviteBody(req, res);

  return new Promise<Buffer>((resolve, reject) => {
    const file = new ArrivingFile(mostBodyBytes, maxUploadBytes);
    const start = performance.now();
    let bodyBytes = 0;
    let isOver = false;
    const over = (outcome: () => void) => {
      if (isOver) return;
      isOver = true;
      req.off('data', feed);
      clearInterval(pace);
      // What is still inside the parser may complain about its early end; nobody is interested any more.
      parser.removeAllListeners().on('error', () => undefined);
      outcome();
    };
    const fail = (problem: Error) => over(() => reject(problem));
    file.onFault = fail;
    // Fed by hand and not by a pipe: a fault inside the parser then is an answer and not the end of the process.
    const feed = (piece: Buffer) => {
      bodyBytes += piece.length;
      // Counts what is around the file too: a preamble, an epilogue, parts that the parser skips.
      if (bodyBytes > maxUploadBytes + FRAMING_BYTES) return fail(imageTooLarge(maxUploadBytes));
      try {
        parser.write(piece);
      } catch {
        fail(brokenMultipart());
      }
    };
    const pace = setInterval(() => {
      const seconds = (performance.now() - start - SLOW_START_MS) / 1000;
      if (bodyBytes < seconds * LEAST_BYTES_PER_SECOND) fail(tooSlow());
    }, PACE_CHECK_MS).unref();
    parser.on('file', (name: string | undefined, stream) => file.take(name, stream));
    parser.on('field', (name: string | undefined) =>
      fail(name === FIELD ? missingImage() : unexpectedField(name)),
    );
    parser.on('error', () => fail(brokenMultipart()));
    parser.on('finish', () => {
      const fault = file.faultAtEnd();
      over(() => (fault ? reject(fault) : resolve(file.bytes())));
    });
    req.on('data', feed);
    req.once('end', () => {
      if (isOver) return;
      parser.end();
      setTimeout(() => fail(brokenMultipart()), PARSER_PATIENCE_MS).unref();
    });
    req.once('close', () => {
      if (!req.complete) fail(new CompressionUnavailable('cancelled'));
    });
  });
}

function openParser({ headers }: Request, maxUploadBytes: number) {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new Problem(
      'unsupported_media_type',
      'Send the image as multipart/form-data, in the file field "image".',
    );
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      // One file more than allowed, so that a second one is seen.
      limits: { fileSize: maxUploadBytes, files: 2, fields: 1, fieldSize: 1024, parts: 3, headerPairs: 32 },
      // A field named image that has no file name is text that somebody typed, whatever type it declares.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch {
    throw brokenMultipart();
  }
}
