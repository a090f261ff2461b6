/** Files of the web pages, compressed at build time or at start. Each is read once and shared by all pending responses. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** Content codings in order of preference: brotli takes the fewest bytes. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

/** A file in one content coding, or unchanged. */
interface Representation {
  readonly bytes: Buffer;
  /** A digest of the bytes, so each coding has its own; a strong tag. */
  readonly etag: string;
}

export interface StaticFile {
  readonly type: string;
  readonly coded: Readonly<Partial<Record<Coding, Representation>>>;
  /** The unchanged file. */
  readonly plain: () => Representation;
}

/** For a document that changes with the deployment: a browser may keep it, but revalidates it each time. */
export const REVALIDATED = 'no-cache';

/** For a file whose name holds a digest of its content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** @param coded the same bytes in content codings */
export function staticFile(
  bytes: Buffer,
  type: string,
  coded: { readonly [Name in Coding]?: Buffer | undefined } = {},
): StaticFile {
  const plain = representation(bytes);
  const entries = CODINGS.flatMap((coding) => {
    const codedBytes = coded[coding];
    return codedBytes ? [[coding, representation(codedBytes)] as const] : [];
  });
  return { type, coded: Object.fromEntries(entries), plain: () => plain };
}

/** A file kept only as gzip; it is unpacked at the first request of a client without gzip. */
export function gzippedFile(gzip: Buffer, type: string): StaticFile {
  let plain: Representation | undefined;
  return {
    type,
    coded: { gzip: representation(gzip) },
    plain: () => (plain ??= representation(gunzipSync(gzip))),
  };
}

/** Sends a file in a coding that the client accepts. Express adds the responses to HEAD and to conditional requests. */
export function sendStaticFile(
  req: Request,
  res: Response,
  { type, coded, plain }: StaticFile,
  caching: string,
): void {
  res.set({ 'Cache-Control': caching, 'Content-Type': type });
  const coding = CODINGS.find((one) => coded[one] && req.acceptsEncodings(one));
  if (Object.keys(coded).length > 0) res.vary('Accept-Encoding');
  if (coding) res.set('Content-Encoding', coding);
  const { bytes, etag } = (coding && coded[coding]) ?? plain();
  res.set('ETag', etag).send(bytes);
}

function representation(bytes: Buffer): Representation {
  return { bytes, etag: `"${digestOf(bytes)}"` };
}

/** Returns 43 characters that are valid in a file name. */
export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
