/** Files of the pages for people. Each is read once at start; however many responses wait to be read, they share it. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

export interface StaticFile {
  /** The body, or the gzip of it when `isGzip`. */
  readonly bytes: Buffer;
  readonly type: string;
  /** Strong: a digest of the bytes. */
  readonly etag: string;
  readonly isGzip: boolean;
}

/** For a document that changes with the deployment: a browser may keep it, but asks each time. */
export const REVALIDATED = 'no-cache';

/** For a file whose name holds a digest of its content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

export function staticFile(bytes: Buffer, type: string, isGzip = false): StaticFile {
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`, isGzip };
}

/** Sends a file. Express adds the responses to HEAD and, by the ETag, to conditional requests. */
export function sendStaticFile(req: Request, res: Response, file: StaticFile, caching: string): void {
  res.set({ 'Cache-Control': caching, 'Content-Type': file.type });
  if (file.isGzip) res.vary('Accept-Encoding');
  if (file.isGzip && !req.acceptsEncodings('gzip')) {
    res.send(unpacked(file));
    return;
  }
  if (file.isGzip) res.set('Content-Encoding', 'gzip');
  res.set('ETag', file.etag).send(file.bytes);
}

const unpackedBytes = new WeakMap<StaticFile, Buffer>();

/** For the rare client without gzip: unpacked at the first request, then shared too. */
function unpacked(file: StaticFile): Buffer {
  const bytes = unpackedBytes.get(file) ?? gunzipSync(file.bytes);
  unpackedBytes.set(file, bytes);
  return bytes;
}
