/**
 * Reads the file of a multipart form (RFC 7578) as it arrives, and stops at the first problem: a wrong field, a second
 * file, neither JPG nor PNG, too large.
 */
import { Busboy } from '@fastify/busboy';
import type { Request, Response } from 'express';
import type { Problem } from '../../contract/problem';
import { readBody, type UploadLimits } from './arriving-body';
import { ArrivingFile, IMAGE_FIELD } from './arriving-file';
import { BodyChunks } from './body-chunks';
import {
  brokenMultipart,
  encodedBody,
  missingImage,
  notMultipart,
  tooManyParts,
  unexpectedField,
} from '../../contract/upload-problems';

/** Allowance for the boundaries and part headers around the file. */
export const FRAMING_BYTES = 16 * 1024;
/** Time for the parser to finish after the body has ended; with malformed parts it sometimes never does. */
const PARSER_TIMEOUT_MS = 1_000;

/**
 * Returns the bytes of the file in the field `image`.
 * @throws Problem when the form is invalid
 * @throws CompressionUnavailable `cancelled` when the client disconnects, or the error that `onBytes` throws
 */
export async function readMultipartImage(req: Request, res: Response, limits: UploadLimits): Promise<Buffer> {
  const parser = openParser(req, limits.maxUploadBytes);
  return readBody<Buffer>(req, res, limits, (resolve, reject) => {
    const file = new ArrivingFile(limits.maxBodyBytes, limits.maxUploadBytes);
    let isOver = false;
    file.onProblem = reject;
    // Written directly instead of piped, so that an exception in the parser becomes a response.
    const chunks = new BodyChunks((chunk) => {
      if (isOver) return;
      try {
        parser.write(chunk);
      } catch {
        // Any error of the parser means that the body is malformed.
        reject(brokenMultipart());
      }
    });
    parser.on('file', (name: string | undefined, stream) => file.add(name, stream));
    failForOtherParts(parser, reject);
    parser.on('finish', () => {
      const problem = file.problemAtEnd();
      if (problem) reject(problem);
      else resolve(file.bytes());
    });
    return {
      write: (chunk) => chunks.add(chunk),
      end: () => {
        chunks.flush();
        parser.end();
        setTimeout(() => reject(brokenMultipart()), PARSER_TIMEOUT_MS).unref();
      },
      close: () => {
        isOver = true;
        // The parser may still emit an error about its early end; ignore it.
        parser.removeAllListeners().on('error', () => undefined);
      },
    };
  });
}

function failForOtherParts(parser: ReturnType<typeof openParser>, fail: (problem: Problem) => void): void {
  parser.on('field', (name: string | undefined, value: string) =>
    fail(name === IMAGE_FIELD ? missingImage() : unexpectedField(name, value)),
  );
  parser.on('partsLimit', () => fail(tooManyParts()));
  parser.on('error', () => fail(brokenMultipart()));
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
