import type { ServiceClient } from './service';

export const basic = (apiKey: string, user = 'api') =>
  `Basic ${Buffer.from(`${user}:${apiKey}`).toString('base64')}`;

/** The path of the location, which is a URL when the request came over HTTPS. */
export const locationOf = (response: Response) =>
  new URL(response.headers.get('location') ?? '', 'http://localhost').pathname;

type Headers = Record<string, string>;

export class TinifyCaller {
  constructor(
    private readonly service: ServiceClient,
    readonly key: string,
  ) {}

  send(method: string, path: string, body?: Uint8Array | string, headers: Headers = {}) {
    return fetch(`${this.service.url}${path}`, {
      method,
      headers: { Authorization: basic(this.key), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  shrink(body: Uint8Array | string, headers?: Headers) {
    return this.send('POST', '/shrink', body, headers);
  }

  command(path: string, commands: unknown, headers: Headers = {}) {
    const type = { 'Content-Type': 'application/json' };
    return this.send('POST', path, JSON.stringify(commands), { ...type, ...headers });
  }
}

export async function expectError(response: Response, status: number, error: string) {
  const body = (await response.json()) as { error: string; message: string };
  expect({ status: response.status, error: body.error, message: body.message }).toMatchObject({
    status,
    error,
  });
  expect(Object.keys(body)).toEqual(['error', 'message']);
  expect(body.message).toMatch(/^[A-Z].*\.$/);
  return body.message;
}
