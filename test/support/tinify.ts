import { saying } from './ended';
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
    public key: string,
  ) {}

  send(method: string, path: string, body?: Uint8Array | string, headers: Headers = {}) {
    return fetch(`${this.service.url}${path}`, {
      method,
      headers: { Authorization: basic(this.key), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Uploads an image, and returns the path of its output. */
  async upload(image: Uint8Array) {
    return locationOf(await this.shrink(image));
  }

  shrink(body: Uint8Array | string, headers?: Headers) {
    return this.send('POST', '/shrink', body, headers);
  }

  command(path: string, commands: unknown, headers: Headers = {}) {
    const type = { 'Content-Type': 'application/json' };
    return this.send('POST', path, JSON.stringify(commands), { ...type, ...headers });
  }
}

/** A caller with a new account for each test. */
export function ownCaller(service: ServiceClient) {
  const caller = new TinifyCaller(service, '');
  beforeEach(async () => (caller.key = (await service.signUp()).apiKey));
  return caller;
}

/** @param words of its message; a text may be a part of it */
export async function expectError(
  sent: Response | Promise<Response>,
  status: number,
  error: string,
  words: RegExp | string = '',
) {
  const response = await sent;
  const body: unknown = await response.json();
  const message: unknown = expect.stringMatching(/^[A-Z].*\.$/);
  expect([response.status, body]).toEqual([status, { error, message }]);
  expect(body).toMatchObject({ message: saying(words) });
}
