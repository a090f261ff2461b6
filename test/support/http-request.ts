/** Requests that fetch() does not send: with a Host or an Accept-Encoding of the test, or a body with GET. Nothing is decoded. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string | number>;
  readonly body?: Uint8Array;
}

export async function httpRequest(url: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const sent = request(url, { method, headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}
