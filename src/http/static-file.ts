/** Files of the web pages: read once, and shared by all pending responses. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Response } from 'express';
import { noSuchPageFile } from '../contract/service-problems';

/** Content codings by preference, with the extensions of the files that the build writes. */
const CODINGS = { br: '.br', gzip: '.gz' };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

interface Form {
  readonly bytes: Buffer;
  /** A digest of the bytes, so each coding has its own; a strong tag. */
  readonly etag: string;
}

export interface StaticFile {
  readonly type: string;
  readonly plain: Form;
  /** By preference. */
  readonly coded: readonly (readonly [coding: string, form: Form])[];
}

/** For a document that changes with the deployment: a browser may keep it, but revalidates it each time. */
export const REVALIDATED = 'no-cache';

export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** @param coded the same bytes by content coding */
export function staticFile(type: string, bytes: Buffer, coded: Readonly<Record<string, Buffer>>): StaticFile {
  const toForm = (content: Buffer): Form => {
    return { bytes: content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` };
  };
  const forms = Object.entries(coded).map(([coding, content]) => [coding, toForm(content)] as const);
  return { type, plain: toForm(bytes), coded: forms };
}

/** Reads a file, with the coded forms beside it. @throws Error for an unknown kind of file */
export function readStaticFile(path: string): StaticFile {
  const type = TYPES[extname(path)];
  if (!type) throw new Error(`A page has a file of an unknown kind: ${path}`);
  const built = Object.entries(CODINGS).filter(([, extension]) => existsSync(path + extension));
  const coded = built.map(([coding, extension]) => [coding, readFileSync(path + extension)] as const);
  return staticFile(type, readFileSync(path), Object.fromEntries(coded));
}

export interface BuiltPage {
  readonly html: string;
  /** By names that change with their content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/** Reads a page once: later changes of its files have no effect. @throws Error if it has not been built */
export function readBuiltPage(folder: string): BuiltPage {
  if (!existsSync(folder)) throw new Error(`The page is not built (${folder}): run "npm run build".`);
  // Without the forms that the build has coded.
  const names = readdirSync(join(folder, 'assets')).filter((name) => !/\.(br|gz)$/.test(name));
  return {
    html: readFileSync(join(folder, 'index.html'), 'utf8'),
    assets: new Map(names.map((name) => [name, readStaticFile(join(folder, 'assets', name))])),
  };
}

/** @throws Problem if the page has no such file */
export function findAsset(assets: BuiltPage['assets'], name: string): StaticFile {
  const file = assets.get(name);
  if (!file) throw noSuchPageFile();
  return file;
}

/** Express adds the responses to HEAD and to conditional requests. */
export function sendStaticFile(res: Response, file: StaticFile, caching: string): void {
  res.set({ 'Cache-Control': caching, 'Content-Type': file.type });
  if (file.coded.length > 0) res.vary('Accept-Encoding');
  const [coding, form] = file.coded.find(([one]) => res.req.acceptsEncodings(one)) ?? [undefined, file.plain];
  if (coding) res.set('Content-Encoding', coding);
  res.set('ETag', form.etag).send(form.bytes);
}

/** The policy of a page that runs scripts and calls the API of its own origin only, and that no other page may frame. */
export function contentSecurityPolicy(...allowed: readonly string[]): string {
  const own = ["default-src 'none'", "script-src 'self'", "connect-src 'self'"];
  const none = ['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`);
  return [...own, ...none, ...allowed].join('; ');
}
