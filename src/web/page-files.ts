/**
 * The built page, read once at start and shared by all responses. Only the document differs: it names the
 * origin of the request, and has the facts of the deployment.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import {
  readBuiltPage,
  readStaticFile,
  staticFile,
  type BuiltPage,
  type StaticFile,
} from '../http/static-file';
import { escapeHtml } from '../sets/markup';
import type { PageFacts } from './page-facts';

/** The type, and the token that injects it. */
export abstract class PageFiles {
  abstract readonly assets: BuiltPage['assets'];
  /** @param origin of the request, such as `https://images.example.com` */
  abstract readonly document: (origin: string) => StaticFile;
  abstract readonly favicon: StaticFile;
}

/** Where index.html has the facts; see the meta element there. */
const FACTS_PLACE = '%SERVICE_FACTS%';
/** Where the document names the picture for shared links, which needs an absolute URL. */
const PICTURE = 'property="og:image" content="';
/** Documents kept for the next request. A client can invent any number of hosts. */
const MAX_ORIGINS = 8;

/** @throws when the page has not been built, or holds a file of an unknown kind. */
export function readPageFiles(folder: string, facts: PageFacts): PageFiles {
  const { html, assets } = readBuiltPage(folder);
  if (!html.includes(FACTS_PLACE)) throw new Error(`index.html has no ${FACTS_PLACE}`);
  const document = html.replace(FACTS_PLACE, () => escapeHtml(JSON.stringify(facts)));
  const byOrigin = new Map<string, StaticFile>();
  return {
    document: (origin) => {
      const known = byOrigin.get(origin);
      if (known) return known;
      const file = compressed(document.replace(PICTURE, () => PICTURE + escapeHtml(origin)));
      if (byOrigin.size >= MAX_ORIGINS) byOrigin.clear();
      byOrigin.set(origin, file);
      return file;
    },
    favicon: readStaticFile(join(folder, 'favicon.ico')),
    assets,
  };
}

/** The document depends on settings and on the request, so it is compressed at run time, in 2 ms of processor time. */
function compressed(html: string): StaticFile {
  const bytes = Buffer.from(html);
  const coded = { br: brotliCompressSync(bytes), gzip: gzipSync(bytes) };
  return staticFile('text/html; charset=utf-8', bytes, coded);
}
