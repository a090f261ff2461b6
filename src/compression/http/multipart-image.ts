/**
 * Reads the one file of a multipart form (RFC 7578) while it arrives, and stops at the first byte that makes it
 * unacceptable: wrong field, second file, neither JPG nor PNG, too large.
 */
import { Busboy } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { Problem } from '../../operations/problem';
import { CompressionUnavailable } from '../application/compression-runner.port';
import { formatBySignature, SIGNATURE_BYTES } from '../formats/image-signature';

const FIELD = 'image';
/** Room for the boundaries and part headers around a file of exactly the largest size. */
const FRAMING_BYTES = 16 * 1024;

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
  if (declared > maxUploadBytes + FRAMING_BYTES) throw tooLarge(maxUploadBytes, declared);
  const parser = openParser(req, maxUploadBytes);
  // Callers who asked whether to send the body at all get their answer only now, after all checks on the headers.
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();

  return new Promise<Buffer>((resolve, reject) => {
    const pieces: Buffer[] = [];
    let received = 0;
    let hasFile = false;
    const fail = (problem: Error) => {
      req.unpipe(parser);
      // What is still inside the parser may complain about its early end; nobody is interested any more.
      parser.removeAllListeners().on('error', () => undefined);
      reject(problem);
    };

    parser.on('file', (name, file) => {
      file.on('error', () => undefined);
      if (name !== FIELD) return fail(unexpectedField(name));
      if (hasFile)
        return fail(new Problem('too_many_files', 'Send one file a request, in the field "image".'));
      hasFile = true;
      file.on('data', (piece: Buffer) => {
        const couldBeImage = received >= SIGNATURE_BYTES;
        pieces.push(piece);
        received += piece.length;
        if (!couldBeImage && received >= SIGNATURE_BYTES && !isImage(pieces)) fail(notAnImage());
      });
      file.on('limit', () => fail(tooLarge(maxUploadBytes)));
    });
    parser.on('field', (name) => fail(name === FIELD ? missingImage() : unexpectedField(name)));
    parser.on('error', () => fail(brokenMultipart()));
    parser.on('finish', () => {
      if (!hasFile) return fail(missingImage());
      if (received === 0)
        return fail(new Problem('missing_image', 'The file in the field "image" is empty.'));
      if (!isImage(pieces)) return fail(notAnImage());
      resolve(Buffer.concat(pieces, received));
    });
    req.once('close', () => {
      if (!req.complete) fail(new CompressionUnavailable('cancelled'));
    });
    req.pipe(parser);
  });
}

function openParser(req: Request, maxUploadBytes: number) {
  const contentType = req.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new Problem(
      'unsupported_media_type',
      'Send the image as multipart/form-data, in the file field "image".',
    );
  }
  try {
    return new Busboy({
      headers: { ...req.headers, 'content-type': contentType },
      // One file more than allowed, so that a second one is seen.
      limits: {
        fileSize: maxUploadBytes,
        files: 2,
        fields: 1,
        fieldSize: 1024,
        parts: 3,
        headerPairs: 32,
      },
      // A field named image that has no file name is text that somebody typed, whatever type it declares.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch {
    throw brokenMultipart();
  }
}

function isImage(pieces: readonly Buffer[]): boolean {
  const start = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
  return formatBySignature(start) !== undefined;
}

function notAnImage(): Problem {
  return new Problem('unsupported_media_type', 'The file is neither a JPG nor a PNG, by its first bytes.');
}

function missingImage(): Problem {
  return new Problem('missing_image', 'Send a JPG or PNG file in the field "image".');
}

function unexpectedField(name: string): Problem {
  return new Problem(
    'unexpected_field',
    `Only the file field "image" is read; "${name.slice(0, 64)}" is not.`,
  );
}

function brokenMultipart(): Problem {
  return new Problem('invalid_multipart', 'The multipart body is damaged, cut off, or has no boundary.');
}

function tooLarge(limit: number, actual?: number): Problem {
  return new Problem(
    'image_too_large',
    `The file is larger than the ${Math.floor(limit / 1024 / 1024)} MiB (${limit} bytes) accepted here.`,
    {
      limit,
      ...(actual ? { actual } : {}),
    },
  );
}
