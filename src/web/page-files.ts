/** The built page, read once at start: later changes of its files have no effect. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { extname, join } from 'node:path';
import { staticFile, type StaticFile } from '../http/static-file';
import type { PageFacts } from './page-facts';

export interface PageFiles {
  /** @param origin of the request, such as `https://images.example.com` */
  readonly document: (origin: string) => StaticFile;
  readonly favicon: StaticFile;
  readonly assets: ReadonlyMap<string, StaticFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Where index.html has the facts; see the meta element there. */
const FACTS_PLACE = '%SERVICE_FACTS%';
/** Where the document names the picture for shared links, which needs an absolute URL. */
const PICTURE = 'property="og:image" content="';
/** Documents kept for the next request. A client can invent any number of hosts. */
const MAX_ORIGINS = 8;

/** @throws when the page has not been built, or holds a file of an unknown kind. */
export function readPageFiles(folder: string, facts: PageFacts): PageFiles {
  if (!existsSync(folder)) throw new Error(`The page is not built (${folder}): run "npm run build".`);
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  if (!html.includes(FACTS_PLACE)) throw new Error(`index.html has no ${FACTS_PLACE}`);
  const document = html.replace(FACTS_PLACE, () => attributeText(JSON.stringify(facts)));
  const byOrigin = new Map<string, StaticFile>();
  const names = readdirSync(join(folder, 'assets'));
  return {
    document: (origin) => {
      const known = byOrigin.get(origin);
      if (known) return known;
      const file = compressed(document.replace(PICTURE, () => PICTURE + attributeText(origin)));
      if (byOrigin.size >= MAX_ORIGINS) byOrigin.clear();
      byOrigin.set(origin, file);
      return file;
    },
    favicon: readAsset(join(folder, 'favicon.ico')),
    assets: new Map(
      names.filter((name) => !isCoded(name)).map((name) => [name, readAsset(join(folder, 'assets', name))]),
    ),
  };
}

function readAsset(path: string): StaticFile {
  const type = TYPES[extname(path)];
  if (!type) throw new Error(`The page has a file of an unknown kind: ${path}`);
  return staticFile(readFileSync(path), type, { br: readCoded(path, '.br'), gzip: readCoded(path, '.gz') });
}

/** The build writes the compressed forms of a file beside it. */
function isCoded(name: string): boolean {
  return ['.br', '.gz'].includes(extname(name));
}

function readCoded(path: string, extension: string): Buffer | undefined {
  return existsSync(path + extension) ? readFileSync(path + extension) : undefined;
}

/** The document depends on settings and on the request, so it is compressed at run time, in 2 ms of processor time. */
function compressed(html: string): StaticFile {
  const bytes = Buffer.from(html);
  return staticFile(bytes, 'text/html; charset=utf-8', {
    br: brotliCompressSync(bytes),
    gzip: gzipSync(bytes),
  });
}

function attributeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
