import { saying } from './ended';
import type { RawAnswer } from './raw-client';
import { bytesOf } from './service';

export async function expectStatus(response: Promise<{ readonly status: number }>, status: number) {
  expect((await response).status).toBe(status);
}

/** Returns the body of a response, whose status has to be 200. */
export async function expectBytes(sent: Response | Promise<Response>) {
  const response = await sent;
  expect(response.status).toBe(200);
  return bytesOf(response);
}

/** Checks the status of a response, and headers by their names; null stands for one that is absent. */
export function expectHead(response: Pick<Response, 'status' | 'headers'>, facts: object) {
  const { status, headers } = response;
  const found = Object.keys(facts).map((name) => [name, name === 'status' ? status : headers.get(name)]);
  expect(Object.fromEntries(found)).toEqual(facts);
}

/**
 * Checks a response against the problem format of the contract, and returns its body.
 * @param words of its detail; a text may be a part of it
 */
export async function expectProblem(
  sent: Response | Promise<Response>,
  status: number,
  code: string,
  words: RegExp | string = '',
) {
  const response = await sent;
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const body = JSON.parse(text) as Record<string, unknown>;
  expectProblemBody(body, status, code);
  expect(body['request_id']).toBe(response.headers.get('x-request-id'));
  expect(body['detail']).toEqual(saying(words));
  return body;
}

/** The same of a response on a raw socket. */
export function expectRawProblem(answer: RawAnswer, status: number, code: string) {
  expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } });
  expectProblemBody(JSON.parse(answer.body) as Record<string, unknown>, status, code);
}

export function expectProblemBody(body: Record<string, unknown>, status: number, code: string) {
  expect(body).toMatchObject({ status, code });
  for (const member of ['type', 'title', 'detail', 'instance', 'request_id']) {
    expect(typeof body[member]).toBe('string');
  }
  expect(String(body['detail'])).toMatch(/^[A-Z0-9].*\.$/);
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.js:|\.ts:|vips|at \w+ \(/i);
}
