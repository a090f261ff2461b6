/**
 * Reads the one file of a multipart form (RFC 7578) while it arrives, and stops at the first byte that makes it
 * unacceptable: wrong field, second file, neither JPG nor PNG, too large.
 */
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { inviteBody } from '../../operations/expect-continue';
import { Problem } from '../../operations/problem';
import { CompressionUnavailable } from '../application/compression-runner.port';
import { formatBySignature, SIGNATURE_BYTES } from '../formats/image-signature';
import { emptyImage, imageTooLarge, notAnImage } from './image-refusals';

const FIELD = 'image';
/** Room for the boundaries and part headers around a file of exactly the largest size. */
const FRAMING_BYTES = 16 * 1024;
/** The parser skips parts that it does not understand and then sometimes never ends; this long it may take to. */
const PARSER_PATIENCE_MS = 1_000;

/**
 * The bytes of the file in the field `image`.
 * @throws Problem for anything that the caller did wrong; CompressionUnavailable `cancelled` when he left.
 */
export async function readMultipartImage(
  req: Request,
  res: Response,
  maxUploadBytes: number,
): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > maxUploadBytes + FRAMING_BYTES) throw imageTooLarge(maxUploadBytes, declared);
  const parser = openParser(req, maxUploadBytes);
  inviteBody(req, res);

  return new Promise<Buffer>((resolve, reject) => {
    const file = new ImageFile(maxUploadBytes);
    let bodyBytes = 0;
    let isOver = false;
    const over = (outcome: () => void) => {
      if (isOver) return;
      isOver = true;
      req.off('data', feed);
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

/** The file as it arrives; reports the first thing that is wrong with it. */
class ImageFile {
  onFault: (problem: Problem) => void = () => undefined;
  private readonly pieces: Buffer[] = [];
  private received = 0;
  private hasFile = false;

  constructor(private readonly maxUploadBytes: number) {}

  take(name: string | undefined, stream: BusboyFileStream): void {
    stream.on('error', () => undefined);
    if (name !== FIELD) return this.onFault(unexpectedField(name));
    if (this.hasFile) {
      return this.onFault(new Problem('too_many_files', 'Send one file a request, in the field "image".'));
    }
    this.hasFile = true;
    stream.on('limit', () => this.onFault(imageTooLarge(this.maxUploadBytes)));
    stream.on('data', (piece: Buffer) => {
      const wasRecognised = this.received >= SIGNATURE_BYTES;
      this.pieces.push(piece);
      this.received += piece.length;
      if (!wasRecognised && this.received >= SIGNATURE_BYTES && !this.isImage()) this.onFault(notAnImage());
    });
  }

  faultAtEnd(): Problem | undefined {
    if (!this.hasFile) return missingImage();
    if (this.received === 0) return emptyImage();
    return this.isImage() ? undefined : notAnImage();
  }

  bytes(): Buffer {
    return Buffer.concat(this.pieces, this.received);
  }

  private isImage(): boolean {
    return formatBySignature(Buffer.concat(this.pieces.slice(0, SIGNATURE_BYTES))) !== undefined;
  }
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

function missingImage(): Problem {
  return new Problem('missing_image', 'Send a JPG or PNG file in the field "image".');
}

function unexpectedField(name = ''): Problem {
  return new Problem(
    'unexpected_field',
    `Only the file field "image" is read; "${name.slice(0, 64)}" is not.`,
  );
}

function brokenMultipart(): Problem {
  return new Problem('invalid_multipart', 'The multipart body is damaged, cut off, or has no boundary.');
}
