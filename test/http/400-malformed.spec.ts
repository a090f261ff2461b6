import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { expectProblem, expectRawProblem, expectStatus } from '../support/responses';
import { BOUNDARY, exchange, formBody, formWith, partHead, RawClient, requestHead } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';

const service = sharedClientWithKey();
let jpeg: Buffer;
beforeAll(async () => (jpeg = await photoJpeg(64, 48)));

const post = (body: FormData | string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  service.api('compress', { apiKey: service.apiKey, headers, body });

const multipart = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

it.each([
  ['missing_image', 'an empty form', () => post(`--${BOUNDARY}--\r\n`, multipart)],
  ['missing_image', 'an empty file', () => post(formWith(new Uint8Array()))],
  ['invalid_multipart', 'a body that is not multipart at all', () => post('hello', multipart)],
  [
    'invalid_multipart',
    'a truncated file',
    () => post(new Uint8Array([...Buffer.from(partHead()), ...jpeg]), multipart),
  ],
  [
    'invalid_multipart',
    'no boundary',
    () => post(new Uint8Array(jpeg), { 'Content-Type': 'multipart/form-data' }),
  ],
])('%s: %s', async (code, _, send) => {
  await expectProblem(send(), 400, code);
});

it('missing_image: a text field called image', async () => {
  const form = new FormData();
  form.append('image', 'photo.jpg');
  await expectProblem(post(form), 400, 'missing_image', 'holds text instead of a JPG or PNG file; with curl');
});

it('unsupported_media_type: a PDF without a file name', async () => {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"\r\nContent-Type: application/pdf\r\n\r\n`;
  const body = new Uint8Array(formBody(Buffer.from('%PDF-1.7 and more'), head));
  await expectProblem(post(body, multipart), 415, 'unsupported_media_type', 'a PDF');
});

describe('parts that are difficult to parse', () => {
  const form = (disposition: string, content: Uint8Array = jpeg) =>
    new Uint8Array(formBody(content, `--${BOUNDARY}\r\n${disposition}\r\n\r\n`));

  it.each([
    ['a file without a name', 'Content-Disposition: form-data; filename="a"', 'unexpected_field'],
    ['a file with an empty name', 'Content-Disposition: form-data; name; filename="a"', 'unexpected_field'],
    ['text without a name', 'Content-Disposition: form-data', 'unexpected_field'],
    ['an attachment', 'Content-Disposition: attachment; name="image"; filename="a"', 'missing_image'],
    ['no disposition', 'X-Nothing: 1', 'missing_image'],
    ['nonsense', ':::', 'missing_image'],
  ])('%s', async (_, disposition, code) => {
    for (const content of [jpeg, Buffer.concat([jpeg, Buffer.alloc(300_000)])]) {
      const response = await post(form(disposition, content), multipart);
      expect(response.status).toBe(400);
      expect(['invalid_multipart', code]).toContain(((await response.json()) as { code: string }).code);
    }
  });

  it('ten thousand part headers', async () => {
    const headers = Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}`).join('\r\n');
    const response = await post(
      form(`${headers}\r\nContent-Disposition: form-data; name="image"`),
      multipart,
    );
    expect(response.status).toBe(400);
  });
});

describe('unexpected_field', () => {
  it('a file in another field', async () => {
    await expectProblem(post(formWith(jpeg, 'file')), 400, 'unexpected_field', '"file"');
  });

  it('a text field beside the image', async () => {
    const form = formWith(jpeg);
    form.append('caption', 'low');
    const detail =
      'The form may contain the file field "image" and the options of this service, not "caption".';
    expect(await expectProblem(post(form), 400, 'unexpected_field')).toMatchObject({ detail });
  });

  it('an option as a file', async () => {
    const form = formWith(jpeg);
    form.append('quality', new Blob(['low']), 'quality');
    const detail = 'Send the option "quality" as text: as a part without a file name.';
    expect(await expectProblem(post(form), 400, 'unexpected_field')).toMatchObject({ detail });
  });
});

it('too_many_files: two files in the field', async () => {
  const form = formWith(jpeg);
  form.append('image', new Blob([new Uint8Array(jpeg)]), 'b.jpg');
  await expectProblem(post(form), 400, 'too_many_files');
});

it('conflicting_credentials: two different keys', async () => {
  const other = await service.signUp();
  const sent = post(formWith(jpeg), { Authorization: `Bearer ${other.apiKey}` });
  await expectProblem(sent, 400, 'conflicting_credentials');
});

describe('invalid_request', () => {
  it.each([
    ['broken JSON', '{"email":'],
    ['no address', '{}'],
    ['not an address', '{"email":"nobody"}'],
    ['a number', '{"email":5}'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['a control character', '{"email":"a\\u0000b@example.com"}'],
    ['a large body', JSON.stringify({ email: 'x'.repeat(20_000) })],
  ])('sign-up with %s', async (_, body) => {
    const headers = { 'Content-Type': 'application/json' };
    await expectProblem(service.api('accounts', { headers, body }), 400, 'invalid_request');
  });

  it('a request of HTTP/1.1 without a Host header, which HTTP/1.0 may omit', async () => {
    const answer = await exchange(service.port, 'GET /health/live HTTP/1.1\r\nX-Host: a\r\n\r\n');
    expectRawProblem(answer, 400, 'invalid_request');
    expect(answer.body).toContain('no Host header');
    await expectStatus(exchange(service.port, 'GET /health/live HTTP/1.0\r\n\r\n'), 200);
  });

  it('bytes that are not HTTP', async () => {
    const client = RawClient.sending(service.port, 'HELLO\r\n\r\n');
    expectRawProblem(await client.answer(), 400, 'invalid_request');
    await client.closed;
  });
});

it('conflicting_credentials: two different Authorization headers; the same key twice is one key', async () => {
  const other = await service.signUp();
  for (const [second, status] of [
    [other.apiKey, 400],
    [service.apiKey, 415],
  ] as const) {
    const head =
      `POST /api/v1/compress HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.apiKey}\r\n` +
      `Authorization: Bearer ${second}\r\nContent-Length: 0\r\n\r\n`;
    await expectStatus(exchange(service.port, head), status);
  }
});

it('logs a client that disconnects during its upload, and releases its resources', async () => {
  const head = requestHead(service.apiKey, { 'Content-Length': 500_000 });
  const client = RawClient.sending(service.port, head + partHead(), jpeg);
  await service.untilMetric('requests_in_flight', 1);
  client.close();
  await eventually(() =>
    expect(service.logs().some(({ message }) => message === 'client disconnected')).toBe(true),
  );
  await expectStatus(service.send(jpeg), 200);
});
