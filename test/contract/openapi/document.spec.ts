import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OpenAPIObject, RequestBodyObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { ROOT, temporaryFolder } from '../../support/folders';
import { describeService } from '../../../src/openapi/document';
import { readSettings } from '../../../src/settings/settings';
import { httpRequest } from '../../support/http-request';
import { graphicPng } from '../../support/images';
import { sharedClient } from '../../support/shared-service';

const service = sharedClient();
let document: OpenAPIObject;
beforeAll(async () => {
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
});

async function lint(source: unknown) {
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

it('asks for no key with AUTH=off', () => {
  const { accounts, compression, rateLimit } = readSettings({ AUTH: 'off' });
  const text = JSON.stringify(describeService({ accounts, compression, rateLimit }));
  expect(/YOUR_API_KEY|"bearer"|missing_api_key":|"security":\[\{/.exec(text)).toBeNull();
  expect(JSON.stringify(document)).toMatch(/"security":\[\{"bearer":\[\]\},\{"apiKey":\[\]\}\]/);
});

it('contains no host, path or detail of this machine', () => {
  expect(JSON.stringify(document)).not.toMatch(/node_modules|sqlite:|postgres:/);
});

it('marks images in both directions as binary, which generators of clients make Blobs of', () => {
  const { requestBody, responses } = document.paths?.['/api/v1/compress'].post ?? {};
  const form = (requestBody as RequestBodyObject).content['multipart/form-data'].schema as SchemaObject;
  const { content } = (responses as Record<string, ResponseObject>)[200];
  const images = Object.values(content ?? {}).map(({ schema }) => schema);
  expect(images.length).toBeGreaterThan(3);
  for (const schema of [form.properties?.['image'], ...images])
    expect(schema).toMatchObject({ type: 'string', format: 'binary' });
});

/** A client in TypeScript: a misspelt path, field or code would not compile. */
const CLIENT = `
import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { paths } from './types.mjs';

const [baseUrl, path] = process.argv.slice(2);
const signedUp = await createClient<paths>({ baseUrl }).POST('/api/v1/accounts', { body: { email: 'typed@example.com' } });
if (!signedUp.data) throw new Error(signedUp.error.detail);
const client = createClient<paths>({
  baseUrl,
  headers: { 'X-API-Key': signedUp.data.apiKey },
  bodySerializer: (body: unknown) => {
    const form = new FormData();
    for (const [name, file] of Object.entries(body as Record<string, string>)) form.append(name, new Blob([file]), name);
    return form;
  },
});
const query = { density: 1.5, max_dimension: 100, effort: 'fast' } as const;
const compress = (file: unknown) =>
  client.POST('/api/v1/compress', { params: { query }, body: { image: file as string }, parseAs: 'blob' });
const { data, response } = await compress(readFileSync(path));
const density: number | undefined = ({} as paths['/api/v1/compress']['post']['responses'][200]['headers'])['X-Density'];
const refused = await client.POST('/api/v1/compress', { body: { image: 'GIF89a...' } });
const isCode: boolean = refused.error?.code === 'unsupported_media_type';
const headers = ['content-type', 'x-compressed-size', 'x-density'].map((name) => response.headers.get(name));
console.log(JSON.stringify({ size: (data as Blob | undefined)?.size, headers, isCode }));
`;

it('gives a typed client that signs up and compresses an image', async () => {
  const folder = temporaryFolder();
  const source = graphicPng(128, 96);
  writeFileSync(join(folder, 'source.png'), source);
  writeFileSync(join(folder, 'client.mts'), CLIENT);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
  const tool = (...path: string[]) => join(ROOT, 'node_modules', ...path);
  await run(tool('openapi-typescript', 'bin', 'cli.js'), `${service.url}/openapi.json`, '-o', 'types.d.mts');
  const options = '--strict --skipLibCheck --module nodenext --target es2022 --lib es2022,dom --types node';
  await run(tool('typescript', 'bin', 'tsc'), ...options.split(' '), 'client.mts');
  const output = await run('client.mjs', service.url, 'source.png');
  const { size, headers, isCode } = JSON.parse(output) as {
    size: number;
    headers: string[];
    isCode: boolean;
  };
  expect([headers, isCode]).toEqual([['image/png', String(size), '1.5'], true]);
  expect(size).toBeLessThan(source.length);
});

it('has a page, whose policy allows scripts of this service only, and no eval', async () => {
  const response = await fetch(`${service.url}/docs`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  const page = await response.text();
  expect(page).not.toMatch(/<script>|https?:\/\/(?!localhost:3000")/);
  const scripts = [...page.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, path]) => path);
  expect(scripts).toHaveLength(1);
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

async function assetAt(path: string, encoding: 'gzip' | 'identity') {
  const request = { headers: { 'Accept-Encoding': encoding } };
  const { headers, body } = await httpRequest(service.url + path, request);
  return { headers, text: (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString() };
}

it('has a summary that is a verb, and samples in two languages, for every operation', () => {
  const operations = Object.values(document.paths ?? {}).flatMap(
    (item) => Object.values(item as object) as unknown[],
  );
  expect(operations.length).toBeGreaterThan(8);
  for (const { summary, 'x-codeSamples': samples } of operations as Record<string, unknown>[]) {
    expect(summary).toMatch(/^(Compress|Create|Get|List|Revoke|Check|Read) /);
    const languages = (samples as { lang: string }[]).map(({ lang }) => lang);
    expect(languages).toEqual(['Shell', 'JavaScript']);
  }
});
