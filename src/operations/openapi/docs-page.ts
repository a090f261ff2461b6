/** /docs: the OpenAPI document as a page. No script, nothing from elsewhere, readable by machines and on paper. */
import { createHash } from 'node:crypto';
import type { OpenAPIObject, ResponseObject } from 'openapi3-ts/oas31';
import { section, type Operation } from './docs-operation';
import { DOCS_STYLE } from './docs-style';
import { html, Html, inline, prose, table } from './html';

const styleDigest = createHash('sha256').update(DOCS_STYLE).digest('base64');

/** Nothing is allowed but the one style sheet that the page brings along. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${styleDigest}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function docsPage(document: OpenAPIObject): string {
  const operations = operationsOf(document);
  const { info, tags = [] } = document;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}: documentation</title>
        ${new Html(`<style>${DOCS_STYLE}</style>`)}
      </head>
      <body>
        <header>
          <h1>${info.title}</h1>
          <p class="dim">Version ${info.version} · <a href="/openapi.json">OpenAPI 3.1</a></p>
          ${prose(info.description ?? '')}
        </header>
        <nav aria-label="Operations">
          <ul>
            ${operations.map(({ method, path, operation }) => html`<li><a href="#${operation.operationId ?? ''}">${operation.summary ?? ''}</a> <span class="dim">${method} ${path}</span></li>`)}
            <li><a href="#errors">All errors</a></li>
          </ul>
        </nav>
        <main>
          <h2>Authentication</h2>
          <ul>
            ${Object.values(document.components?.securitySchemes ?? {}).map(({ description = '' }) => html`<li>${inline(description)}</li>`)}
          </ul>
          ${tags.map(
            (tag) =>
              html`<h2>${tag.name}</h2>
                ${prose(tag.description ?? '')}
                ${operations.filter(({ operation }) => operation.tags?.includes(tag.name)).map((one) => section(document, one))}`,
          )}
          ${errors(document, operations)}
        </main>
      </body>
    </html> `;
  return page.text;
}

function operationsOf({ paths = {} }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );
}

function errors(document: OpenAPIObject, operations: readonly Operation[]): Html {
  const other = document['x-other-answers'] as Record<string, ResponseObject>;
  const responses = [...operations.map(({ operation }) => operation.responses ?? {}), other];
  const all = new Map<string, { status: number; title: string; detail: string }>();
  for (const response of responses.flatMap((some) => Object.values(some) as ResponseObject[])) {
    const { examples = {} } = response.content?.['application/problem+json'] ?? {};
    for (const [code, example] of Object.entries(examples)) {
      if ('value' in example)
        all.set(code, example.value as { status: number; title: string; detail: string });
    }
  }
  const rows = [...all].sort(([, a], [, b]) => a.status - b.status);
  return html`<h2 id="errors">All errors</h2>
    ${table(
      'Errors by status and code',
      rows.map(([code, { status, title, detail }]) => [
        html`${status} <code>${code}</code>`,
        html`${title}. <span class="dim">${detail}</span>`,
      ]),
    )}`;
}
