/** Fetching from URLs: what may come back. */
import { CompressionUnavailable } from '../../../../src/compression/application/running/compression-runner.port';
import type { Problem } from '../../../../src/contract/problem';
import { sourceUnavailable } from '../../../../src/contract/tinify-problems';
import { HttpSourceFetcher } from '../../../../src/tinify/infrastructure/http-source-fetcher';
import { ImageServer } from '../../../support/image-server';
import { graphicPng } from '../../../support/images';

const image = graphicPng(64, 64);
const REFUSED = sourceUnavailable().detail;
const server = new ImageServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => server.reset(image));

function fetched(limits: object = {}, timeoutMs = 10_000): Promise<Buffer> {
  const fetcher = new HttpSourceFetcher([{ name: 'images.test', port: server.port }], {
    resolve: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    isPublic: () => true,
    timeoutMs,
  });
  return fetcher.fetch(`http://images.test:${server.port}/a.png`, {
    maxBytes: 1_000_000,
    onBytes: () => undefined,
    signal: new AbortController().signal,
    ...limits,
  });
}

it.each([204, 206, 404, 500])('responses with status %i are refused', async (status) => {
  server.answer = (_, res) => res.writeHead(status).end();
  await expect(fetched()).rejects.toThrow(REFUSED);
});

it('responses that are encoded are refused', async () => {
  server.answer = (_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(image);
  await expect(fetched()).rejects.toThrow(REFUSED);
});

it('responses that are no image are refused at their first bytes, and none of them are repeated', async () => {
  server.answer = (_, res) => void res.write('root:x:0:0:root'.repeat(100));
  const error = await fetched().catch((thrown: unknown) => thrown as Problem);
  expect(error).toMatchObject({ code: 'unsupported_media_type' });
  expect(JSON.stringify((error as Problem).toBody('id'))).not.toContain('root');
  server.answer = (_, res) => res.end(image.subarray(0, 4));
  await expect(fetched()).rejects.toMatchObject({ code: 'unsupported_media_type' });
  server.answer = (_, res) => res.end();
  await expect(fetched()).rejects.toMatchObject({ code: 'unsupported_media_type' });
});

it('responses that are too large are refused, whether they declare it or not', async () => {
  await expect(fetched({ maxBytes: image.length - 1 })).rejects.toMatchObject({ code: 'image_too_large' });
  server.answer = (_, res) => {
    res.write(image);
    res.on('close', () => clearInterval(more));
    const more = setInterval(() => res.write(Buffer.alloc(64 * 1024)), 1);
  };
  await expect(fetched()).rejects.toMatchObject({ code: 'image_too_large' });
});

it('responses that take too long are refused: before the head, and in the middle of the body', async () => {
  server.answer = () => undefined;
  await expect(fetched({}, 100)).rejects.toThrow(REFUSED);
  server.answer = (_, res) => void res.write(image.subarray(0, 100));
  await expect(fetched({}, 300)).rejects.toThrow(REFUSED);
});

it('responses that end early are refused', async () => {
  server.answer = (_, res) => {
    res.writeHead(200, { 'content-length': image.length });
    res.write(image.subarray(0, 100), () => res.destroy());
  };
  await expect(fetched()).rejects.toThrow(REFUSED);
});

it('a fetch ends when the client disconnects or memory runs out', async () => {
  const client = new AbortController();
  server.answer = (_, res) => {
    res.write(image.subarray(0, 100));
    setImmediate(() => client.abort());
  };
  await expect(fetched({ signal: client.signal })).rejects.toMatchObject({ reason: 'cancelled' });
  server.answer = (_, res) => res.end(image);
  const full = () => {
    throw new CompressionUnavailable('overloaded');
  };
  await expect(fetched({ onBytes: full })).rejects.toMatchObject({ reason: 'overloaded' });
});

it('a fetch may take 15 s in all', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  const limits = { maxBytes: 1, onBytes: () => undefined, signal: new AbortController().signal };
  const fetcher = new HttpSourceFetcher([{ name: 'images.test', port: server.port }]);
  await expect(fetcher.fetch('http://elsewhere.test/a.png', limits)).rejects.toThrow();
  expect(timeout.mock.calls).toEqual([[15_000]]);
});
