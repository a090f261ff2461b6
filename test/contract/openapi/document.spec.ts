/** What others' tools make of the OpenAPI document: a validator, a linter, and a generator of typed clients. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import createClient from 'openapi-fetch';
import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { graphicPng } from '../../support/images';
import { startService, type Service } from '../../support/service';
import type { paths } from './service-client';

let service: Service;
let document: OpenAPIObject;
beforeAll(async () => {
  service = await startService();
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
});
afterAll(() => service.stop());

async function lint(source: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(source), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0].pointer ?? ''} ${message}`);
}

it('is valid OpenAPI 3.1', async () => {
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  expect(await new Validator().validate({ ...structuredClone(document) })).toEqual({ valid: true });
  const broken = { ...structuredClone(document), paths: { 'no-slash': {} } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

it('gives a linter nothing to say', async () => {
  expect(await lint(document)).toEqual([]);
  const nameless = structuredClone(document);
  delete nameless.paths?.['/api/v1/compress'].post?.operationId;
  expect(await lint(nameless)).not.toEqual([]);
});

it('names no host, no path and nothing of this machine', () => {
  expect(JSON.stringify(document)).not.toMatch(/node_modules|sqlite:|postgres:/);
});

it('gives a typed client that signs up and compresses an image', async () => {
  const open = createClient<paths>({ baseUrl: service.url });
  const signedUp = await open.POST('/api/v1/accounts', { body: { email: 'typed@example.com' } });
  if (!signedUp.data) throw new Error(signedUp.error.detail);

  const client = createClient<paths>({
    baseUrl: service.url,
    headers: { 'X-API-Key': signedUp.data.apiKey },
    bodySerializer: (body: unknown) => {
      const form = new FormData();
      for (const [name, file] of Object.entries(body as Record<string, Blob>)) form.append(name, file, name);
      return form;
    },
  });
  const source = graphicPng(128, 96);
  const { data, response } = await client.POST('/api/v1/compress', {
    body: { image: new Blob([new Uint8Array(source)]) },
    parseAs: 'blob',
  });
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(data?.size).toBe(Number(response.headers.get('x-compressed-size')));
  expect(data?.size).toBeLessThan(source.length);

  const refused = await client.POST('/api/v1/compress', { body: { image: new Blob(['GIF89a...']) } });
  // Typed: a misspelt code would not compile.
  expect(refused.error?.code === 'unsupported_media_type').toBe(true);
});

it('is a page too, without script and without anything from elsewhere', async () => {
  const response = await fetch(`${service.url}/docs`);
  const page = await response.text();
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(page).not.toMatch(/<script|<link|<img|<iframe|style="|\son\w+="|url\(|@import|javascript:/i);
  const addresses = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address);
  const ids = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`));
  expect(addresses.filter((address) => !ids.has(address))).toEqual(['/openapi.json']);
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    expect(page).toContain(path);
    for (const { summary } of Object.values(item as object) as { summary: string }[]) {
      expect(page).toContain(`>${summary}</h3>`);
    }
  }
  const { properties } = document.components?.schemas?.['Problem'] as SchemaObject;
  for (const code of (properties?.['code'] as SchemaObject).enum as string[]) {
    expect(page).toContain(`<code>${code}</code>`);
  }
});
