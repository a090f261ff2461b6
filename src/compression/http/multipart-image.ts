/**
 * Reads the files of a multipart form (RFC 7578) as they arrive, and stops at the first problem: a wrong field, a second
 * file in a field, another format, too large.
 */
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request, Response } from 'express';
import type { Problem } from '../../contract/problem';
import {
  brokenMultipart,
  emptyImage,
  encodedBody,
  imageTooLarge,
  missingImage,
  notMultipart,
  tooManyFiles,
  tooManyParts,
  unexpectedField,
} from '../../contract/upload-problems';
import { ArrivingImage, type AcceptedFormats } from '../application/arriving-image';
import { isParameter } from './compress-options';
import { readBody, type BodySink, type UploadLimits } from './arriving-body';

/** Allowance for the boundaries and part headers around the file. */
export const FRAMING_BYTES = 16 * 1024;
/** Time for the parser to finish after the body has ended; with malformed parts it sometimes never does. */
const PARSER_TIMEOUT_MS = 1_000;
/** The parser takes as long for a piece of one byte as for one of 64 KB, so smaller pieces that arrive together are joined. */
const TINY_BYTES = 1024;
const JOINED_BYTES = 16 * 1024;

/** A field that holds one file. */
export interface FileField {
  readonly name: string;
  /** Its formats, as part of a sentence. */
  readonly formats: string;
  readonly accepted?: AcceptedFormats;
  /** Returns the refusal of a file that begins with these bytes. */
  readonly refusal: (start: Uint8Array) => Problem;
}

/**
 * Returns the bytes of the files, in the order of the fields.
 * @throws Problem when the form is invalid
 * @throws CompressionUnavailable `cancelled` when the client disconnects, or the error that `onBytes` throws
 */
export async function readMultipartFiles(
  req: Request,
  res: Response,
  limits: UploadLimits,
  fields: readonly FileField[],
): Promise<Buffer[]> {
  const parser = openParser(req, limits.maxUploadBytes, fields.length);
  const names = fields.map(({ name }) => name);
  return readBody<Buffer[]>(req, res, limits, (resolve, reject) => {
    const images = new Map<string, ArrivingImage>();
    parser.on('file', (name: string | undefined, stream: BusboyFileStream) => {
      stream.on('error', () => undefined);
      const field = fields.find((one) => one.name === name);
      if (!field) return reject(unexpectedField(name, undefined, names));
      if (images.has(field.name)) return reject(tooManyFiles(names));
      const image = new ArrivingImage(Math.min(limits.maxBodyBytes, limits.maxUploadBytes), field.accepted);
      images.set(field.name, image);
      stream.on('limit', () => reject(imageTooLarge(limits.maxUploadBytes)));
      stream.on('data', (piece: Buffer) => {
        if (!image.add(piece)) reject(field.refusal(image.bytes()));
      });
    });
    parser.on('field', (name: string | undefined, value: string) => {
      const field = fields.find((one) => one.name === name);
      if (field) reject(missingImage(field.name, field.formats));
      else reject(unexpectedField(name, isParameter(name) ? value : undefined, names));
    });
    parser.on('partsLimit', () => reject(tooManyParts()));
    parser.on('error', () => reject(brokenMultipart()));
    parser.on('finish', () => {
      const files: Buffer[] = [];
      for (const { name, formats, refusal } of fields) {
        const image = images.get(name);
        if (!image) return reject(missingImage(name, formats));
        if (image.isEmpty) return reject(emptyImage(name));
        if (!image.isImage()) return reject(refusal(image.bytes()));
        files.push(image.bytes());
      }
      resolve(files);
    });
    return sinkOf(parser, () => reject(brokenMultipart()));
  });
}

type Parser = ReturnType<typeof openParser>;

function openParser({ headers }: Request, maxUploadBytes: number, files: number) {
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
      // One file more, so that it is noticed and refused.
      limits: {
        fileSize: maxUploadBytes,
        files: files + 1,
        fields: 1,
        fieldSize: 1024,
        parts: files + 2,
        headerPairs: 32,
      },
      // A part without a file name is a text field, whatever type it declares.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch {
    throw brokenMultipart();
  }
}

/** Writes into the parser directly instead of through a pipe, so that an exception in it becomes a response. */
function sinkOf(parser: Parser, onBroken: () => void): BodySink {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const pieces = new JoinedPieces((piece) => {
    if (isOver) return;
    try {
      parser.write(piece);
    } catch {
      // Any error of the parser means that the body is malformed.
      onBroken();
    }
  });
  return {
    write: (piece) => pieces.add(piece),
    end: () => {
      pieces.flush();
      parser.end();
      if (!isOver) timer = setTimeout(onBroken, PARSER_TIMEOUT_MS).unref();
    },
    close: () => {
      isOver = true;
      clearTimeout(timer);
      // The parser may still emit an error about its early end; ignore it.
      parser.removeAllListeners().on('error', () => undefined);
    },
  };
}

/** Joins tiny pieces that arrive together, and passes others on as they are. */
export class JoinedPieces {
  private readonly joined = Buffer.allocUnsafe(JOINED_BYTES);
  private length = 0;
  private flushing: NodeJS.Immediate | undefined;

  constructor(private readonly write: (piece: Buffer) => void) {}

  add(piece: Buffer): void {
    if (piece.length >= TINY_BYTES) {
      this.flush();
      this.write(piece);
      return;
    }
    if (this.length + piece.length > JOINED_BYTES) this.flush();
    this.length += piece.copy(this.joined, this.length);
    // Runs after all pieces of one read from the socket.
    this.flushing ??= setImmediate(() => this.flush());
  }

  /** Writes the joined pieces. */
  flush(): void {
    clearImmediate(this.flushing);
    this.flushing = undefined;
    if (this.length === 0) return;
    // A copy, because the parser keeps a reference.
    const piece = Buffer.from(this.joined.subarray(0, this.length));
    this.length = 0;
    this.write(piece);
  }
}
