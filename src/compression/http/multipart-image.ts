/** Reads the one file of a multipart form (RFC 7578) as it arrives, and its other fields as options. */
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { notAnImage } from '../../contract/image-problems';
import * as problem from '../../contract/upload-problems';
import { ArrivingImage } from '../application/arriving-image';
import { invalidOption } from '../../contract/option-problems';
import { PARAMETER_NAMES } from './compress-options';
import { BoundaryPadding } from './boundary-padding';
import { readBody, type BodySink, type ReadUpload, type UploadLimits } from './arriving-body';

const FIELD = 'image';
/** Allowance for the boundaries and part headers around the file. */
export const FRAMING_BYTES = 16 * 1024;
/** Time for the parser to finish after the body has ended; with malformed parts it sometimes never does. */
const PARSER_TIMEOUT_MS = 1_000;
/** The parser takes as long for a piece of one byte as for one of 64 KB, so smaller pieces that arrive together are joined. */
const TINY_BYTES = 1024;
const JOINED_BYTES = 16 * 1024;

/** Stops at the first problem. @throws Problem, or CompressionUnavailable `cancelled` when the client disconnects */
export async function readMultipartImage(
  req: Request,
  res: Response,
  limits: UploadLimits,
): Promise<ReadUpload> {
  const parser = openParser(req, limits.maxUploadBytes);
  const fields: Record<string, string> = {};
  return readBody<ReadUpload>(req, res, limits, (resolve, reject) => {
    let image: ArrivingImage | undefined;
    let isText = false;
    const notUpload = (bytes: Buffer) =>
      isText ? problem.imageAsText(limits.formats) : notAnImage(bytes, limits.formats);
    parser.on('file', (name: string | undefined, stream: BusboyFileStream, fileName, _encoding, type) => {
      stream.on('error', () => undefined);
      if (name !== FIELD) {
        const isOption = PARAMETER_NAMES.includes(name ?? '');
        return reject(isOption ? problem.optionAsFile(name) : problem.unexpectedField(name));
      }
      if (image) return reject(problem.tooManyFiles());
      isText = (fileName as string | undefined) === undefined && type === 'text/plain';
      const arriving = (image = new ArrivingImage(
        Math.min(limits.maxBodyBytes, limits.maxUploadBytes),
        limits.formats,
      ));
      stream.on('limit', () => reject(problem.imageTooLarge(limits.maxUploadBytes)));
      stream.on('data', (piece: Buffer) => {
        if (!arriving.add(piece)) reject(notUpload(arriving.bytes()));
      });
    });
    parser.on('field', (name: string | undefined, value: string) => {
      if (name === undefined || !PARAMETER_NAMES.includes(name)) reject(problem.unexpectedField(name));
      else if (Object.hasOwn(fields, name)) reject(invalidOption(name, 'must be given once'));
      else fields[name] = value;
    });
    parser.on('partsLimit', () => reject(problem.tooManyParts()));
    parser.on('error', () => reject(problem.brokenMultipart()));
    parser.on('finish', () => {
      if (!image) reject(problem.missingImage(limits.formats));
      else if (image.isEmpty) reject(problem.emptyImage());
      else if (!image.isImage()) reject(notUpload(image.bytes()));
      else resolve({ image: image.bytes(), fields });
    });
    return openSink(parser, boundaryOf(req), () => reject(problem.brokenMultipart()));
  });
}

type Parser = ReturnType<typeof openParser>;

function boundaryOf({ headers }: Request) {
  return (
    /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i
      .exec(headers['content-type'] ?? '')
      ?.slice(1)
      .join('') ?? ''
  );
}

function openParser({ headers }: Request, maxUploadBytes: number) {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers;
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw problem.notMultipart();
  }
  if (encoding !== 'identity') throw problem.encodedBody();
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      // One file more, so that it is noticed and refused.
      limits: {
        fileSize: maxUploadBytes,
        files: 2,
        fields: PARAMETER_NAMES.length + 1,
        fieldSize: 1024,
        parts: PARAMETER_NAMES.length + 3,
        headerPairs: 32,
      },
      // RFC 7578 requires no file name; clients leave it out for bytes in memory. Options are short texts, whatever type they declare.
      isPartAFile: (name, _type, fileName) => name === FIELD || fileName !== undefined,
    });
  } catch {
    throw problem.brokenMultipart();
  }
}

/** Writes into the parser directly instead of through a pipe, so that an exception in it becomes a response. */
function openSink(parser: Parser, boundary: string, onBroken: () => void): BodySink {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const unpadded = new BoundaryPadding(boundary, (piece) => {
    if (isOver) return;
    try {
      parser.write(piece);
    } catch {
      // Any error of the parser means that the body is malformed.
      onBroken();
    }
  });
  const pieces = new JoinedPieces((piece) => unpadded.add(piece));
  return {
    write: (piece) => pieces.add(piece),
    end: () => {
      pieces.flush();
      unpadded.flush();
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
