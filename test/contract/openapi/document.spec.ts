/** Checks the OpenAPI document with a validator, a linter and a generator of typed clients. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import createClient from 'openapi-fetch';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { graphicPng } from '../../support/images';
import { sharedClient } from '../../support/shared-service';
import type { paths } from './service-client';

const service = sharedClient();
let document: OpenAPIObject;
beforeAll(async () => {
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
});

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

it('passes the linter', async () => {
  expect(await lint(document)).toEqual([]);
  const nameless = structuredClone(document);
  delete nameless.paths?.['/api/v1/compress'].post?.operationId;
  expect(await lint(nameless)).not.toEqual([]);
});

it('contains no host, path or detail of this machine', () => {
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

it('has a page, whose policy allows scripts of this service only, and no eval', async () => {
  const response = await fetch(`${service.url}/docs`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  const page = await response.text();
  expect(page).not.toMatch(/<script>|https?:\/\/(?!localhost:3000")/);
  const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map(([, path]) => path);
  expect(scripts).toHaveLength(2);
  for (const path of scripts) {
    const packed = await assetAt(path, 'gzip');
    expect(packed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const plain = await assetAt(path, 'identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.text).toContain('SwaggerUIBundle');
    expect(plain.text).toBe(packed.text);
  }
  expect((await fetch(`${service.url}/docs/assets/none.js`)).status).toBe(404);
});

/** A file of the page, not an operation of the document. */
async function assetAt(path: string, encoding: 'gzip' | 'identity') {
  const request = get(service.url + path, { headers: { 'Accept-Encoding': encoding } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  const { headers } = response;
  return { headers, text: (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString() };
}

it('has a summary that is a verb, and samples in five languages, for every operation', () => {
  const operations = Object.values(document.paths ?? {}).flatMap(
    (item) => Object.values(item as object) as unknown[],
  );
  expect(operations.length).toBeGreaterThan(8);
  for (const { summary, 'x-codeSamples': samples } of operations as Record<string, unknown>[]) {
    expect(summary).toMatch(/^(Compress|Compare|Create|Get|List|Revoke|Check|Read) /);
    const languages = (samples as { lang: string }[]).map(({ lang }) => lang);
    expect(languages).toEqual(['Shell', 'JavaScript']);
  }
});
