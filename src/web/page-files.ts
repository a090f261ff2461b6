/** The built page, read once at start: what is served later is what was there when the service began. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { PageFacts } from './page-facts';

export interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Strong: a digest of the bytes. */
  readonly etag: string;
}

/** The document, and the files that it loads by names that change with their content. */
export interface PageFiles {
  readonly document: PageFile;
  readonly assets: ReadonlyMap<string, PageFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where index.html has the facts; see the meta element there. */
const FACTS_PLACE = '%SERVICE_FACTS%';

/** @throws when the page has not been built, or holds a file of a kind that is not known here. */
export function readPageFiles(folder: string, facts: PageFacts): PageFiles {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  if (!html.includes(FACTS_PLACE)) throw new Error(`index.html has no ${FACTS_PLACE}`);
  const document = html.replace(FACTS_PLACE, () => attributeText(JSON.stringify(facts)));
  const names = readdirSync(join(folder, 'assets'));
  return {
    document: toFile(Buffer.from(document), 'text/html; charset=utf-8'),
    assets: new Map(names.map((name) => [name, readAsset(join(folder, 'assets', name))])),
  };
}

function readAsset(path: string): PageFile {
  const type = TYPES[extname(path)];
  if (!type) throw new Error(`The page has a file of an unknown kind: ${path}`);
  return toFile(readFileSync(path), type);
}

function toFile(bytes: Buffer, type: string): PageFile {
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function attributeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
