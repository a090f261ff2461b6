import fc from 'fast-check';

const BOUNDARY = 'fuzz-7d93';
const CRLF = '\r\n';

const part = (image) =>
  fc.record({
    name: fc.constantFrom('image', 'image', 'image', 'file', '', 'im"age'),
    fileName: fc.constantFrom('a.png', 'a.png', '', '../../a', 'x'.repeat(3_000), undefined),
    type: fc.constantFrom('image/png', 'image/png', 'text/plain', 'multipart/mixed; boundary=a', undefined),
    headers: fc.array(
      fc.constantFrom('X-A: b', 'Content-Transfer-Encoding: base64', ': b', 'a', `A: ${'b'.repeat(9_000)}`),
      {
        maxLength: 2,
      },
    ),
    content: fc.oneof(
      { weight: 3, arbitrary: fc.constant(image) },
      fc.nat(image.length).map((length) => image.subarray(0, length)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(
        Buffer.alloc(300_000, `${CRLF}--a`),
        Buffer.alloc(300_000, `${CRLF}--${BOUNDARY}${CRLF}`),
      ),
    ),
  });

const form = (image) =>
  fc
    .record({
      parts: fc.array(part(image), { maxLength: 4 }),
      delimiter: fc.constantFrom(BOUNDARY, BOUNDARY, BOUNDARY, BOUNDARY.slice(1), `${BOUNDARY} `),
      preamble: fc.constantFrom('', '', 'preamble', CRLF),
      end: fc.constantFrom('--\r\n', '--\r\n', '--', '', '--\r\nepilogue'),
    })
    .map(({ parts, delimiter, preamble, end }) =>
      Buffer.concat([
        Buffer.from(preamble),
        ...parts.flatMap(({ name, fileName, type, headers, content }) => [
          Buffer.from(
            [
              `${CRLF}--${delimiter}`,
              `Content-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`,
              ...(type === undefined ? [] : [`Content-Type: ${type}`]),
              ...headers,
              '',
              '',
            ].join(CRLF),
          ),
          content,
        ]),
        Buffer.from(`${CRLF}--${delimiter}${end}`),
      ]),
    );

const chunked = (body, size) => {
  const pieces = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}${CRLF}`), piece, Buffer.from(CRLF));
  }
  return Buffer.concat([...pieces, Buffer.from(`0${CRLF}${CRLF}`)]);
};

/** Ways to declare the length of a body; only the first two are correct. */
const FRAMINGS = {
  length: (body) => [`Content-Length: ${body.length}`, body],
  chunked: (body, size) => ['Transfer-Encoding: chunked', chunked(body, size)],
  short: (body) => [`Content-Length: ${body.length >> 1}`, body],
  long: (body) => [`Content-Length: ${body.length + 1000}`, body],
  huge: (body) => ['Content-Length: 99999999', body],
  both: (body) => [`Content-Length: ${body.length}${CRLF}Transfer-Encoding: chunked`, chunked(body, 100)],
  broken: (body) => ['Transfer-Encoding: chunked', Buffer.concat([Buffer.from(`zz${CRLF}`), body])],
};

const upload = (image, apiKey) =>
  fc
    .record({
      body: form(image),
      framing: fc.constantFrom('length', 'length', 'length', 'chunked', 'chunked', ...Object.keys(FRAMINGS)),
      chunkSize: fc.constantFrom(1_000, 7, 65_536),
      key: fc.constantFrom(apiKey, apiKey, apiKey, `${apiKey.slice(0, -1)}!`, ''),
      boundary: fc.constantFrom(BOUNDARY, BOUNDARY, BOUNDARY, `"${BOUNDARY}"`, '', 'x'.repeat(200)),
      expect: fc.constantFrom('', '', '', 'Expect: 100-continue', 'Expect: something'),
      query: fc.constantFrom(
        ...['', '', '', '?', '?a=1&a=2', '?quality=low&effort=fast', '?max_dimension=20&metadata=all'],
        ...['?max_bytes=90', '?max_bytes=90&allow=any', '?max_bytes=1e9', '?max_dimension=0', '?quality=%00'],
      ),
    })
    .map(({ body, framing, chunkSize, key, boundary, expect, query }) => {
      const [header, framed] = FRAMINGS[framing](body, Math.max(chunkSize, body.length >> 8));
      const lines = [
        `POST /api/v1/compress${query} HTTP/1.1`,
        'Host: localhost',
        `X-API-Key: ${key}`,
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        header,
        ...(expect ? [expect] : []),
        '',
        '',
      ];
      // A client that declares its body and does not wait may lose the response.
      const isHonest = (framing === 'length' || framing === 'chunked') && !expect;
      return { bytes: Buffer.concat([Buffer.from(lines.join(CRLF)), framed]), isHonest };
    });

/** Requests of Tinify's clients; `length` is what the head declares in place of the body's own. */
const tinify = (image, apiKey) =>
  fc
    .record({
      target: fc.constantFrom(
        'POST /shrink',
        'POST /shrink',
        'POST /output/abc',
        'GET /output/abc',
        'GET /keys/abc',
      ),
      key: fc.constantFrom(apiKey, apiKey, apiKey.slice(1), 'a:b:c'),
      body: fc.oneof(
        { weight: 2, arbitrary: fc.constant(image) },
        fc.nat(image.length).map((length) => image.subarray(0, length)),
        fc
          .constantFrom(
            ...[
              '',
              '{}',
              '{"source":{"url":"http://127.0.0.1/"}}',
              '{"resize":{"method":"fit","width":9,"height":1e9}}',
            ],
            ...['{"resize":', '[]', '{"preserve":["location"]}', `{"source":${'['.repeat(50_000)}`],
          )
          .map((text) => Buffer.from(text)),
      ),
      type: fc.constantFrom('image/png', 'application/json', 'application/x-www-form-urlencoded'),
      length: fc.constantFrom(undefined, undefined, undefined, 3, 99_999_999),
    })
    .map(({ target, key, body, type, length }) => {
      const lines = [
        `${target} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Basic ${Buffer.from(`api:${key}`).toString('base64')}`,
        `Content-Type: ${type}`,
        `Content-Length: ${length ?? body.length}`,
        '',
        '',
      ];
      return { bytes: Buffer.concat([Buffer.from(lines.join(CRLF)), body]), isHonest: length === undefined };
    });

const plain = (apiKey) =>
  fc
    .constantFrom(
      'GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
      `GET /api/v1/account HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${apiKey}\r\n\r\n`,
      'DELETE /api/v1/account/keys/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'POST /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"email":',
      'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
    )
    .map((text) => ({ bytes: Buffer.from(text), isHonest: true }));

/** Requests without a response that a connection may have; see src/http/server.ts. */
const MAX_PENDING = 16;

const damage = fc.record({
  kind: fc.constantFrom('flip', 'insert', 'cut', 'repeat'),
  place: fc.nat(1_000_000),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
});

function damaged(bytes, { kind, place, bytes: more }) {
  const at = place % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (kind) {
    case 'flip':
      return Buffer.concat([
        before,
        Buffer.from(after.subarray(0, 1).map((b) => b ^ more[0])),
        after.subarray(1),
      ]);
    case 'insert':
      return Buffer.concat([before, more, after]);
    case 'cut':
      return Buffer.concat([before, after.subarray(more[0])]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, 50), after]);
  }
}

/** Generates a connection: pipelined requests, some damage, and how the bytes arrive. */
export function connections(image, apiKey) {
  return fc
    .record({
      requests: fc.array(
        fc.oneof({ weight: 3, arbitrary: upload(image, apiKey) }, tinify(image, apiKey), plain(apiKey)),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      damages: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(damage, { maxLength: 3 })),
      pieces: fc.constantFrom(1, 1, 2, 30),
      leave: fc.constantFrom('stay', 'stay', 'half-close', 'reset'),
    })
    .map(({ requests, damages, pieces, leave }) => ({
      bytes: damages.reduce(damaged, Buffer.concat(requests.map(({ bytes }) => bytes))),
      // A client that sends only valid requests, no more than may be pending, and stays connected gets at least one response.
      isHonest:
        damages.length === 0 &&
        requests.length <= MAX_PENDING &&
        requests.every(({ isHonest }) => isHonest) &&
        leave === 'stay',
      pieces,
      leave,
    }));
}
