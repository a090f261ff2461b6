/** Images in uploads become smaller, everything around them stays, and whatever goes wrong lets the original pass. */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { crc32 } from 'node:zlib';
import { eventually } from '../support/eventually';
import { corpusFiles, readCorpus } from '../support/corpus';
import { decodeIndependently, photoJpeg, graphicPng } from '../support/images';
import { workersOf } from '../support/process-memory.cjs';
import { form, FILE, FORM, Guard, TEXT, Upstream } from './guarded';

let upstream: Upstream;
let guard: Guard;
let photo: Buffer;

beforeAll(async () => {
  photo = await photoJpeg(400, 300, { quality: 98 });
  upstream = await Upstream.open();
  const options = '--put --wait 600 --path /up/ /exactly --metrics-port 0';
  guard = await Guard.start(upstream.port, ...options.split(' '));
});
afterEach(() => {
  upstream.arrived.length = 0;
});
afterAll(async () => {
  await guard.stop();
  upstream.close();
});

let uploads = 0;
const newPath = () => `/up/${++uploads}`;

/** Posts a form and returns what arrives, and the line of the log. */
async function post(body: Buffer, headers: Record<string, string> = FORM, query = '') {
  const path = newPath();
  await guard.post(path + query, body, headers);
  return { arrived: upstream.only(), line: await guard.line(path) };
}

const IMAGE = { 'content-type': 'image/jpeg' };
const inOnePiece = (bytes: Uint8Array) => ReadableStream.from([bytes]);

it('in a form, only images change: all of them, whatever their fields are called', async () => {
  const png = graphicPng(200, 150);
  const file = `${FILE}\r\nX-Own: 1\r\nContent-Length: ${photo.length}`;
  const sent = form([TEXT, 'before'], [file, photo], [TEXT, 'between'], [FILE, png], [FILE, 'no image']);
  const { arrived, line } = await post(sent);
  expect(line).toMatchObject({ images: 2, smaller: 2, before: photo.length + png.length, passed: [] });
  expect(arrived.headers['content-length']).toBe(String(arrived.body.length));
  const [before, after] = [sent, arrived.body].map((body) => body.toString('latin1').split('--limit'));
  const images = [after[2], after[4]].map((part) =>
    Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4, -2), 'latin1'),
  );
  const heads = after.map((part, i) => part !== before[i] && part.slice(0, part.indexOf('\r\n\r\n')));
  const ownHead = `\r\n${FILE}\r\nX-Own: 1\r\nContent-Length: ${images[0].length}`;
  expect(heads).toEqual([false, false, ownHead, false, `\r\n${FILE}`, false, false]);
  expect(images.map(decodeIndependently)).toMatchObject([
    { width: 400, height: 300 },
    { width: 200, height: 150 },
  ]);
});

it.each(['image/jpeg', 'application/octet-stream'])('a body of %s is an image by its bytes', async (type) => {
  const { arrived, line } = await post(photo, { 'content-type': type });
  expect(arrived.body.length).toBe(line['after']);
  expect(decodeIndependently(arrived.body)).toMatchObject({ width: 400, height: 300 });
});

it('all of forty images become smaller, without a warning', async () => {
  const { line } = await post(form(...Array.from({ length: 40 }, () => [FILE, photo] as const)));
  expect(line).toMatchObject({ images: 40, smaller: 40, passed: [] });
  expect(guard.errors).not.toContain('Warning');
});

it('a chunked body stays chunked', async () => {
  const body = inOnePiece(form([FILE, photo]));
  await guard.fetch(newPath(), { method: 'POST', headers: FORM, body, duplex: 'half' });
  const { headers, body: arrived } = upstream.only();
  expect(headers['transfer-encoding']).toBe('chunked');
  expect(arrived.length).toBeLessThan(photo.length);
});

it('of a PUT whose image changed, the answer has no ETag', async () => {
  const put = (type: string, body: Buffer) =>
    guard.fetch(newPath(), { method: 'PUT', headers: { 'content-type': type }, body });
  expect((await put('image/jpeg', photo)).headers.get('etag')).toBeNull();
  expect(upstream.only().body.length).toBeLessThan(photo.length);
  expect((await put('application/pdf', photo)).headers.get('etag')).toBe('"of-the-body"');
  expect(upstream.only().body).toEqual(photo);
});

it('only the paths that are named are looked at', async () => {
  for (const [path, isSmaller] of [
    ['/exactly', true],
    ['/exactly/not', false],
    ['/other', false],
  ] as const) {
    await guard.post(path, photo, IMAGE);
    expect([path, upstream.only().body.length < photo.length]).toEqual([path, isSmaller]);
  }
});

describe('a request passes as it is', () => {
  const passes = async (
    why: string | RegExp,
    body: Buffer,
    headers: Record<string, string> = FORM,
    query = '',
  ) => {
    const { arrived, line } = await post(body, headers, query);
    expect(line['passed']).toEqual([expect.stringMatching(why)]);
    expect(arrived.body).toEqual(body);
  };

  it.each([
    'Content-Encoding: identity',
    'Content-Range: bytes 0-1/2',
    'Content-MD5: x',
    'Digest: x',
    'Repr-Digest: x',
    'Content-Digest: x',
    'Signature: x',
    'Signature-Input: x',
    'X-Signature: x',
    'X-Hub-Signature-256: x',
    'Stripe-Signature: x',
    'X-Shopify-Hmac-Sha256: x',
    'X-MAC: x',
    'x-amz-content-sha256: x',
    'x-amz-checksum-crc32: x',
    'x-amz-date: x',
    'x-goog-hash: x',
    'x-goog-upload-offset: 0',
    'x-ms-blob-type: x',
    'x-bz-content-sha1: x',
    'x-immich-checksum: x',
    'OC-Checksum: x',
    'OC-Total-Length: 1',
    'OC-Chunked: 1',
    'X-Expected-Entity-Length: 1',
    'X-File-Size: 1',
    'X-Upload-Content-Length: 1',
    'Upload-Offset: 0',
    'Tus-Resumable: 1.0.0',
    'Cache-Control: no-transform',
    'Authorization: AWS4-HMAC-SHA256 x',
    'Authorization: Hawk x',
    'Authorization: HMAC x',
    'Authorization: Signature x',
    'Authorization: Digest qop="auth-int"',
    'Authorization: OAuth oauth_body_hash="x"',
    'Authorization: SharedKey a:x',
    'User-Agent: rclone/v1.70',
  ])('with %s', (header) => {
    const [name, value] = header.split(': ');
    const headers = { ...FORM, [name]: value };
    return passes(/^header |^no-transform|^signed|^rclone/, form([FILE, photo]), headers);
  });

  it.each(['?name=a.jpg&chunk=0&chunks=2', '?resumableChunkNumber=1', '?partNumber=1&uploadId=x'])(
    'with a part of a file in the query: %s',
    (query) => passes('a part of a file', photo, IMAGE, query),
  );

  it.each(['X-Chunk-Index', 'X-Upload-Offset'])('with a part of a file in a header: %s', (name) =>
    passes('a part of a file', photo, { ...IMAGE, [name]: '0' }),
  );

  it.each(['?X-Amz-Signature=1', '?a=1&X-Goog-Signature=1', '?sig=1'])('with a signed query %s', (query) =>
    passes('signed', form([FILE, photo]), FORM, query),
  );

  it.each([
    [`${FILE}\r\nContent-Transfer-Encoding: base64`, 'encoded part'],
    [`${FILE}\r\nContent-MD5: x`, 'header content-md5 of a part'],
    ['Content-Disposition: form-data; name="n"\r\nContent-Type: multipart/mixed; boundary=q', 'nested form'],
    ['Content-Disposition: form-data; name="dzchunkindex"', 'a part of a file'],
    ['Content-Disposition: form-data; name=chunks', 'a part of a file'],
    ['Content-Disposition: form-data; name="currentChunkIndex"', 'a part of a file'],
  ])('with a part that has %j', (head, why) => passes(why, form([head, 'x'], [FILE, photo])));

  it('with a part of a file in JSON', () =>
    passes('a part of a file', form([FILE, photo], [TEXT, '{"file": {"chunkIndex" : 0}}'])));

  it('with an image that would lose what stands behind it', () => {
    const archive = Buffer.from('PK\x03\x04, and a ZIP file');
    return passes('would lose other-data', form([FILE, Buffer.concat([graphicPng(200, 150), archive])]));
  });

  it('that names another host, or is unrelated, does not', async () => {
    for (const scheme of [
      'Digest qop="auth"',
      'Bearer x',
      'OAuth oauth_nonce="x"',
      'eyJ9.e30.x',
      'Token a|b',
      'Ghost eyJ9.e30.x',
    ]) {
      const headers = { ...FORM, Authorization: scheme, 'x-amz-cf-id': 'x' };
      const fields = ['part_number', 'chunky'].map(
        (name) => [TEXT.replace(/name="?\w+"?/, `name="${name}"`), '7'] as const,
      );
      expect((await post(form([FILE, photo], ...fields), headers)).line).toMatchObject({ smaller: 1 });
    }
  });

  describe('if something else describes the image', () => {
    const hashes = () => {
      const crc = Buffer.alloc(4);
      crc.writeUInt32BE(crc32(photo));
      return ['md5', 'sha1', 'sha256', 'sha384', 'sha512']
        .map((name) => createHash(name).update(photo).digest())
        .concat(crc);
    };
    const described = 'described elsewhere';
    it('by its length', () => passes(described, form([FILE, photo], [TEXT, `{"size":${photo.length}}`])));
    it('by a digest, in another part', async () => {
      for (const hash of hashes()) {
        await passes(described, form([FILE, photo], [TEXT, `sum=${hash.toString('hex').toUpperCase()}`]));
        await passes(described, form([TEXT, `{"sum":"x-${hash.toString('base64')}"}`], [FILE, photo]));
      }
    });
    it('by a digest that is escaped, or a number', async () => {
      const [, , sha256] = hashes();
      const escaped = sha256.toString('base64').replace(/[+/=]/g, (one) => {
        const code = one.charCodeAt(0).toString(16);
        return code === '2f' ? '\\/' : `\\u00${code.toUpperCase()}`;
      });
      await passes(described, form([FILE, photo], [TEXT, `{"sum":"${escaped}"}`]));
      await passes(described, form([FILE, photo], [TEXT, encodeURIComponent(sha256.toString('base64'))]));
      await passes(described, form([FILE, photo], [TEXT, `{"crc":${crc32(photo)}}`]));
    });
    it('in base64, as in a token or a policy', async () => {
      const claims = [`{"payload":"${hashes()[2].toString('hex')}"}`, `["range",1,${photo.length}]`];
      for (const claim of claims.map((text) => Buffer.from(text))) {
        await passes(described, form([TEXT, claim.toString('base64')], [FILE, photo]));
        for (const Authorization of [
          `Bearer eyJ9.${claim.toString('base64url')}.x`,
          `Nostr ${claim.toString('base64')}`,
        ])
          await passes(described, photo, { ...IMAGE, Authorization });
      }
    });
    it('by a digest, in the target or a header', async () => {
      const [md5, sha1] = hashes();
      await passes(described, photo, IMAGE, `?m=${encodeURIComponent(md5.toString('base64'))}`);
      await passes(described, photo, { ...IMAGE, 'x-mine': sha1.toString('base64url') });
    });
  });

  it.each([
    ['without its last delimiter', form([FILE, '']).subarray(0, -4)],
    [
      'with line feeds only',
      Buffer.from('--limit\nContent-Disposition: form-data; name="a"\n\nb\n--limit--\n'),
    ],
    ['with two equal headers', form([`${FILE}\r\nContent-Type: image/png`, 'x'])],
    ['that is empty of parts', Buffer.from('--limit--\r\n')],
  ])('a form %s', (_case, body) => passes('unclear form', body));

  it('with more than 1 MB besides its images', () =>
    passes('much besides images', form([FILE, photo], [FILE, Buffer.alloc(1_100_000)])));

  it('with more than 1 MB in the heads of its parts', () => {
    const field = [`Content-Disposition: form-data; name="f"\r\nX: ${'x'.repeat(1e4)}`, ''] as const;
    return passes('much besides images', form([FILE, photo], ...Array.from({ length: 110 }, () => field)));
  });

  it('every faulty file, or becomes smaller', async () => {
    for (const name of corpusFiles('bad')) {
      const file = readCorpus('bad', name);
      if (file.length === 0) continue;
      const { arrived, line } = await post(file, { 'content-type': 'application/octet-stream' });
      if (line['smaller'] === 0) expect([name, arrived.body]).toEqual([name, file]);
      else expect(arrived.body.length).toBeLessThan(file.length);
    }
  });
});

describe('fails open', () => {
  const withGuard = async (args: readonly string[], work: (one: Guard) => Promise<void>) => {
    const own = await Guard.start(upstream.port, ...args);
    await work(own).finally(() => own.stop());
  };
  const passes = async (one: Guard, body: Buffer, why: string) => {
    const path = newPath();
    expect(await one.post(path, body, IMAGE)).toMatchObject({ status: 200 });
    expect(upstream.arrived.pop()?.body).toEqual(body);
    expect(await one.line(path)).toMatchObject({ passed: [why] });
  };

  it('for an image that is not done in time, and images that are too large', () =>
    withGuard(['--wait', '0.1', '--effort', 'max', '--max-megapixels', '0.5'], async (one) => {
      await passes(one, await photoJpeg(800, 600, { quality: 98 }), 'deadline_exceeded');
      await passes(one, await photoJpeg(1000, 800), 'too_many_pixels');
    }));

  it('for uploads that find no room', () =>
    withGuard(['--max-upload', '20kB', '--memory', '30kB'], async (one) => {
      await passes(one, photo, 'too large');
      await passes(one, photo.subarray(0, 16_000), 'no memory');
    }));

  it('when a worker dies, and goes on', () =>
    withGuard(['--jobs', '1', '--sandbox', 'off'], async (one) => {
      const large = await photoJpeg(2400, 1800, { quality: 95 });
      const path = newPath();
      const answer = one.post(path, large, IMAGE);
      const settled = answer.then(() => 'settled');
      while ((await Promise.race([settled, Promise.resolve('waiting')])) === 'waiting') {
        for (const pid of workersOf(one.pid))
          try {
            process.kill(pid, 'SIGKILL');
          } catch (error) {
            // One that has just ended cannot be signalled, and need not be.
            expect(error).toMatchObject({ code: 'ESRCH' });
          }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect((await answer).status).toBe(200);
      expect(upstream.only().body).toEqual(large);
      await eventually(async () => {
        await one.post('/after', photo, IMAGE);
        expect(upstream.only().body.length).toBeLessThan(photo.length);
      });
    }));

  it('in a dry run, which says what it would save', () =>
    withGuard(['--dry-run'], async (one) => {
      const path = newPath();
      await one.post(path, photo, IMAGE);
      expect(upstream.only().body).toEqual(photo);
      expect(await one.line(path)).toMatchObject({ smaller: 1 });
    }));

  it('without keeping room for clients that have left', () =>
    withGuard(['--held', '2', '--effort', 'max', '--jobs', '1'], async (one) => {
      const large = await photoJpeg(1600, 1200, { quality: 95 });
      const leaving = ['/left/1', '/left/2'].map((path) => {
        const stop = new AbortController();
        const init = { method: 'POST', body: large, headers: IMAGE, signal: stop.signal };
        return { path, stop, ended: one.fetch(path, init).catch(() => undefined) };
      });
      // Until both are held.
      await eventually(() => passes(one, photo, 'too many held'));
      for (const { stop } of leaving) stop.abort();
      await Promise.all(leaving.map(({ ended }) => ended));
      await eventually(async () => {
        await one.post('/after', photo, IMAGE);
        expect(upstream.arrived.pop()?.body.length).toBeLessThan(photo.length);
      });
    }));

  it('when a chunked body stops fitting with its last piece', () =>
    withGuard(['--max-upload', '20kB'], async (one) => {
      const body = inOnePiece(photo);
      await one.fetch('/chunked', { method: 'POST', body, headers: IMAGE, duplex: 'half' });
      expect(upstream.only().body).toEqual(photo);
    }));

  it('for a client that is slow: what is held goes upstream, and the rest streams', () =>
    withGuard([], async (one) => {
      let received = '';
      upstream.handler = (req, res) => {
        req.on('data', (piece: Buffer) => (received += piece.toString()));
        req.on('end', () => res.end('ok'));
      };
      const socket = connect(one.port, '127.0.0.1');
      socket.write(
        'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: 8\r\n\r\nslow',
      );
      await eventually(() => expect(received).toBe('slow'));
      socket.write('rest');
      await eventually(() => expect(received).toBe('slowrest'));
      socket.destroy();
      upstream.handler = undefined;
      expect(await one.line('/slow')).toMatchObject({ passed: ['slow client'] });
    }));
});

it('50 uploads at once all arrive, as images of the same size', async () => {
  await Promise.all(Array.from({ length: 50 }, () => guard.post('/up/many', form([FILE, photo]), FORM)));
  expect(upstream.arrived).toHaveLength(50);
  for (const { body } of upstream.arrived)
    expect(body.length).toBeLessThanOrEqual(form([FILE, photo]).length);
});

it('goes on if nobody can write its log', async () => {
  const unread = await Guard.start(upstream.port);
  unread.closeLog();
  for (const path of ['/a', '/b', '/c']) {
    await unread.post(path, photo, IMAGE);
    expect(upstream.only().body.length).toBeLessThan(photo.length);
  }
  await unread.stop();
});

it('logs nothing but sizes, paths and reasons, and gives its totals there and as metrics', async () => {
  await guard.post('/up/secret?token=hidden', form([FILE.replace('a.jpg', 'hidden.jpg'), photo]), {
    ...FORM,
    cookie: 'hidden=1',
  });
  await guard.line('/up/secret');
  guard.signal('SIGUSR2');
  const totals = await eventually(() => {
    const last = guard.lines().at(-1);
    expect(last).toMatchObject({
      uploads: expect.any(Number) as number,
      images: expect.any(Number) as number,
    });
    return last;
  });
  const metrics = await (await fetch(`${guard.metricsUrl}/metrics`)).text();
  expect(metrics).toMatch(/\{reason="header"\} \d+\n/);
  expect(metrics).not.toContain('x-ms-');
  expect(metrics).toContain(`\nics_guard_uploads_total ${String(totals?.['uploads'])}\n`);
  expect(metrics).toContain('\nics_guard_held_requests 0\n');
  const statuses = ['/health', '/other'].map(async (path) => (await fetch(guard.metricsUrl + path)).status);
  expect(await Promise.all(statuses)).toEqual([200, 404]);
  expect(JSON.stringify(guard.lines())).not.toContain('hidden');
});
