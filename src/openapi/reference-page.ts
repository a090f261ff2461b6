/** /docs: the OpenAPI document in Scalar's API reference, served from here and loading nothing from elsewhere. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_ORIGIN } from '../contract/code-samples';
import { digestOf, gzippedFile, staticFile, type StaticFile } from '../http/static-file';

const SCRIPT = 'text/javascript; charset=utf-8';

/** Where the build puts the scripts, beside this file. */
const FOLDER = join(__dirname, 'reference');

/**
 * Scalar writes style elements, hence 'unsafe-inline' for styles. Scripts come from this origin only, without eval;
 * requests go to this origin only.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ReferencePage {
  readonly document: Buffer;
  /** The scripts, by names that change with their content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/** @throws when the scripts have not been built. */
export function readReferencePage(title: string): ReferencePage {
  const assets = new Map([asset('scalar.js.gz', 'scalar'), asset('reference.js', 'reference')]);
  const scripts = [...assets.keys()].map((name) => `<script src="/docs/assets/${name}" defer></script>`);
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}: API reference</title>
    <link rel="icon" href="data:," />
    ${scripts.join('\n    ')}
  </head>
  <body>
    <div id="reference" data-example-origin="${EXAMPLE_ORIGIN}">Loading the API reference …</div>
    <noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
  </body>
</html>
`;
  return { document: Buffer.from(html), assets };
}

function asset(fileName: string, name: string): [string, StaticFile] {
  const path = join(FOLDER, fileName);
  if (!existsSync(path)) throw new Error(`The API reference is not built (${path}): run "npm run build".`);
  const read = fileName.endsWith('.gz') ? gzippedFile : staticFile;
  const bytes = readFileSync(path);
  return [`${name}-${digestOf(bytes).slice(0, 11)}.js`, read(bytes, SCRIPT)];
}
