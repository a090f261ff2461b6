/** Danger: a page of another site makes the browser of a visitor send requests, under a rebound name or its own. */
import { httpRequest, type Sent } from '../support/http-request';
import { graphicPng } from '../support/images';
import { BOUNDARY, formBody, ownService, type ServiceClient } from '../support/service';
import { sharedClient } from '../support/shared-service';

const open = ownService({ AUTH: 'off' });
const proxied = sharedClient('tight');

async function send({ url }: ServiceClient, path: string, request: Sent) {
  const { status, body } = await httpRequest(url + path, request);
  return `${status} ${/"code":"(\w+)"/.exec(body.toString('latin1'))?.[1] ?? ''}`.trim();
}

const upload = (headers: Record<string, string>) => ({
  method: 'POST',
  headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  body: formBody(graphicPng(16, 16)),
});

it.each([
  'evil.example',
  'localhost.evil.example',
  '10.0.0.1',
  'evil.example:3000',
  '127.0.0.1.evil.example',
])('on a loopback address nothing but the probes answers under the name %s', async (Host) => {
  const headers = { Host };
  const routes = ['/', '/docs', '/openapi.json', '/api/v1/account', '/nothing', '/assets/a/compressed'];
  for (const path of routes)
    expect([path, await send(open, path, { headers })]).toEqual([path, '403 cross_site']);
  expect(await send(open, '/api/v1/compress', upload(headers))).toBe('403 cross_site');
  for (const path of ['/api/v1/accounts', '/api/v1/trials'])
    expect(await send(open, path, { method: 'POST', headers })).toBe('403 cross_site');
  for (const probe of ['live', 'ready'])
    expect(await send(open, `/health/${probe}`, { headers })).toBe('200');
});

it.each(['localhost', 'LOCALHOST:80', 'app.localhost', '127.0.0.1', '127.1.2.3:80', '[::1]:80', ''])(
  'its own name "%s" works',
  async (Host) => {
    expect(await send(open, '/api/v1/account', { headers: { Host } })).toBe('200');
    expect(await send(open, '/api/v1/compress', upload({ Host }))).toBe('200');
  },
);

it('with TRUST_PROXY the names are those of the proxy', async () => {
  expect(await send(proxied, '/docs', { headers: { Host: 'images.example.com' } })).toBe('200');
});

describe('a request of a page of another site', () => {
  const Site = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };

  it('is refused if it changes something, and never for following a link', async () => {
    expect(await send(open, '/api/v1/compress', upload(Site))).toBe('403 cross_site');
    expect(await send(open, '/api/v1/account/keys', { method: 'POST', headers: Site })).toBe(
      '403 cross_site',
    );
    expect(await send(open, '/api/v1/account/keys/a', { method: 'DELETE', headers: Site })).toBe(
      '403 cross_site',
    );
    for (const path of ['/', '/docs', '/api/v1/account'])
      expect(await send(open, path, { headers: Site })).toBe('200');
    expect(await send(open, '/', { method: 'HEAD', headers: Site })).toBe('200');
  });

  it.each(['same-origin', 'same-site', 'none'])('is not one with Sec-Fetch-Site: %s', async (site) => {
    expect(await send(open, '/api/v1/compress', upload({ ...Site, 'Sec-Fetch-Site': site }))).toBe('200');
  });

  it('is allowed from an origin of CORS_ORIGINS', async () => {
    const { apiKey } = await proxied.signUp();
    const from = (Origin: string) => upload({ ...Site, Origin, 'X-API-Key': apiKey });
    expect(await send(proxied, '/api/v1/compress', from('https://app.example.com'))).toBe('200');
    expect(await send(proxied, '/api/v1/compress', from('https://evil.example'))).toBe('403 cross_site');
  });
});
