/** The requests of Tinify's integration suites. Older clients send commands with GET, newer ones with POST. */
import sharp from 'sharp';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { chrmChunk, CHROMATICITIES } from '../file-kinds/png-parts';
import { httpRequest } from '../support/http-request';
import { graphicPng } from '../support/images';
import { sharedClientWithKey } from '../support/shared-service';
import { basic } from '../support/tinify';

const COPYRIGHT = 'Copyright Example Studio';
const [WIDTH, HEIGHT] = [137, 21];
const upload = Buffer.from(
  withChunks(graphicPng(WIDTH, HEIGHT), [
    chrmChunk(CHROMATICITIES.rounded),
    pngChunk('tEXt', Buffer.from(`Copyright\0${COPYRIGHT}`, 'latin1')),
  ]),
);

interface Recorded {
  readonly name: string;
  readonly commands?: Readonly<Record<string, unknown>>;
  readonly expected: { readonly type: string; readonly width: number; readonly hasCopyright?: true };
}
const own = { type: 'image/png', width: WIDTH };
const recorded: readonly Recorded[] = [
  { name: 'compress', expected: own },
  {
    name: 'resize',
    commands: { resize: { method: 'fit', width: 50, height: 20 } },
    expected: { type: 'image/png', width: 50 },
  },
  {
    name: 'preserve metadata',
    commands: { preserve: ['copyright', 'creation'] },
    expected: { ...own, hasCopyright: true },
  },
  {
    name: 'transcode to a list of types',
    commands: { convert: { type: ['image/webp'] } },
    expected: { type: 'image/webp', width: WIDTH },
  },
  ...['image/webp', 'image/avif'].map((type) => ({
    name: `transcode to ${type}`,
    commands: { convert: { type } },
    expected: { type, width: WIDTH },
  })),
  {
    name: 'transcode to JPEG',
    commands: { convert: { type: ['image/jpeg'] }, transform: { background: '#000000' } },
    expected: { type: 'image/jpeg', width: WIDTH },
  },
];

const AGENTS = {
  GET: 'Tinify/1.6.0 Python/3.12.3 (CPython)',
  POST: 'Tinify/1.8.1 Node/20.11.0 (linux)',
};

const service = sharedClientWithKey();

function send(method: 'GET' | 'POST', path: string, body?: Buffer, type?: string) {
  const headers = {
    Authorization: basic(service.apiKey),
    'User-Agent': AGENTS[method],
    ...(type ? { 'Content-Type': type } : {}),
    ...(body ? { 'Content-Length': body.length } : {}),
  };
  return httpRequest(service.url + path, { method, headers, ...(body && { body }) });
}

describe.each(['GET', 'POST'] as const)('commands with %s', (method) => {
  let path: string;
  beforeAll(async () => {
    const { status, headers } = await send('POST', '/shrink', upload);
    expect(status).toBe(201);
    path = new URL(String(headers['location']), 'http://localhost').pathname;
  });

  it.each(recorded)('$name', async ({ commands, expected }) => {
    const body = commands && Buffer.from(JSON.stringify(commands));
    const answer = await (body ? send(method, path, body, 'application/json') : send('GET', path));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expected.type]);
    expect((await sharp(answer.body).metadata()).width).toBe(expected.width);
    expect(answer.body.includes(COPYRIGHT)).toBe(expected.hasCopyright === true);
    expect(answer.body.length).toBeLessThan(upload.length);
  });
});
