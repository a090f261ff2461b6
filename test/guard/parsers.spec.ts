/** What parsers of others read of the same requests, directly and through the guard: equal, but for images that became smaller. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts, untilListening } from '../deployment/tools';
import { temporaryFolder } from '../support/folders';
import { decodeIndependently, graphicPng, photoJpeg } from '../support/images';
import { hasPrograms, isAvailable } from '../support/services';
import { servePhp } from './apps/app';
import { Guard, PATIENT } from './guarded';

const here = join(__dirname, 'parsers');
const PYTHON = '/usr/bin/python3';
const modules = spawnSync(PYTHON, ['-c', 'import django, werkzeug']);
const hasModules = isAvailable(modules.status === 0, `Django or Werkzeug of ${PYTHON}`);

type Start = (port: number) => ChildProcess;
const start = (program: string, file: string, name: string) => (port: number) =>
  spawn(program, [join(here, file), name, `${port}`], { stdio: 'ignore' });
const php = (port: number) => servePhp(here, temporaryFolder(), port, `require '${here}/parser.php';`);

const PARSERS: [name: string, isThere: boolean, start: Start][] = [
  ['PHP', hasPrograms('php'), php],
  ['Busboy', true, start(process.execPath, 'parser.mjs', 'busboy')],
  ['formidable', true, start(process.execPath, 'parser.mjs', 'formidable')],
  ['Django', hasModules, start(PYTHON, 'parser.py', 'django')],
  ['Werkzeug', hasModules, start(PYTHON, 'parser.py', 'werkzeug')],
];

const BOUNDARY = '----Boundary7MA4YWxkTrZu0gW';
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;
const END = `--${BOUNDARY}--\r\n`;
const JPEG = 'Content-Type: image/jpeg';

const part = (content: string | Buffer, disposition: string, ...headers: string[]) => {
  const head = [`--${BOUNDARY}`, `Content-Disposition: form-data; ${disposition}`, ...headers, '', ''];
  return joined(head.join('\r\n'), content, '\r\n');
};
const joined = (...pieces: (string | Buffer)[]) => Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
const replaced = (body: Buffer, pattern: RegExp, by: string) =>
  Buffer.from(body.toString('latin1').replace(pattern, by), 'latin1');

type Row = readonly [name: string, smaller: number, type: string, body: Buffer, isChunked?: boolean];

async function rows(): Promise<Row[]> {
  const photo = await photoJpeg(320, 240);
  const graphic = graphicPng(200, 150);
  const form = (name: string, smaller: number, ...parts: Buffer[]): Row => [
    name,
    smaller,
    FORM,
    joined(...parts, END),
  ];
  /** A form with the photo alone. */
  const alone = (name: string, ...head: [string, ...string[]]) => form(name, 1, part(photo, ...head));
  const image = part(photo, 'name="a"; filename="a.jpg"', JPEG);
  const png = part(graphic, 'name="b"; filename="b.png"', 'Content-Type: image/png');
  const [one, two] = ['1', '2'].map((n) => part(photo, `name="a[]"; filename="${n}.jpg"`, JPEG));
  const empty = part('', 'name="e"; filename=""', 'Content-Type: application/octet-stream');
  const plain = part('text', 'name="a"; filename="a.txt"', 'Content-Type: text/plain');
  const md5 = part(createHash('md5').update(photo).digest('hex'), 'name="m"');
  const body = joined(image, END);
  const swapped = replaced(body, /(Content-Disposition: .*)\r\nContent-Type:(.*)/, 'content-TYPE:$2\r\n$1');
  return [
    form(
      'fields around two files',
      2,
      part('1', 'name="x"'),
      image,
      part('', 'name="y"'),
      png,
      part('ü', 'name="z"'),
    ),
    form('two files of one name', 2, one, two),
    form('two fields of one name', 1, part('1', 'name="t[]"'), part('2', 'name="t[]"'), image),
    form('line breaks in a text', 1, part(`1\r\n2\n\r\n--${BOUNDARY.slice(1)}\r\n`, 'name="t"'), image),
    form('a name in UTF-8', 1, part('☃', 'name="größe"'), part(photo, 'name="фото"; filename="🏖.jpg"', JPEG)),
    form('an empty file', 1, empty, image),
    alone('quoted names', 'name="a \\"b\\"; c"; filename="x; y \\"z\\" %22.jpg"', JPEG),
    alone('names without quotes', 'name=a; filename=a.jpg', JPEG),
    alone('filename*', `name="a"; filename="na.jpg"; filename*=UTF-8''na%C3%AFve.jpg`, JPEG),
    alone('a path as a file name', 'name="a"; filename="C:\\photos\\a.jpg"', JPEG),
    alone('a part with its length', 'name="a"; filename="a.jpg"', JPEG, `Content-Length: ${photo.length}`),
    alone('a type that lies', 'name="a"; filename="a.txt"', 'Content-Type: text/plain'),
    alone('no type', 'name="a"; filename="a.jpg"'),
    ['headers in another order', 1, FORM, swapped],
    ['preamble and epilogue', 1, FORM, joined('preamble\r\n', body, 'epilogue\r\n')],
    ['a quoted boundary', 1, `multipart/form-data; charset=utf-8; boundary="${BOUNDARY}"`, body],
    ['a chunked form', 1, FORM, body, true],
    ['a JPEG as the body', 1, 'image/jpeg', photo],
    ['a PNG as octets', 1, 'application/octet-stream', graphic],
    ['a chunked JPEG', 1, 'image/jpeg', photo, true],
    form('an image whose MD5 is a field', 0, md5, image),
    form('a form without an image', 0, plain),
    ['a form that is cut', 0, FORM, body.subarray(0, -END.length - 100)],
    ['a form with bare line feeds', 0, FORM, replaced(body, /\r\n/g, '\n')],
  ];
}

type Read = Record<string, unknown> & { readonly bytes?: string };

async function send(url: string, [, , type, body, isChunked]: Row) {
  const framing = isChunked ? {} : { 'content-length': body.length };
  const headers = { host: 'forms.example', 'content-type': type, ...framing };
  const sent = request(url, { method: 'POST', agent: false, headers });
  const half = body.length >> 1;
  sent.write(body.subarray(0, half));
  const [res] = (await once(sent.end(body.subarray(half)), 'response')) as [IncomingMessage];
  const answer = await text(res);
  const read = (answer.startsWith('[') ? JSON.parse(answer) : [{ answer }]) as Read[];
  return { status: res.statusCode, read };
}

const bytesOf = ({ bytes = '' }: Read) => Buffer.from(bytes, 'base64');
const isImage = (one: Read) => /^(\/9j|iVBOR)/.test(one.bytes ?? '');

/** Images as their dimensions. Without a type, formidable takes an image for a text, and it is broken with and without the guard. */
function shown(one: Read) {
  if (/^\ufffd/.test(String(one['value']))) return { ...one, value: 'an image as text' };
  if (!isImage(one)) return one;
  const { width, height } = decodeIndependently(bytesOf(one));
  return { ...one, bytes: `${one.bytes?.slice(0, 3)} ${width} × ${height} px` };
}

describe.each(PARSERS)('%s', (_name, isThere, startParser) => {
  (isThere ? it : it.skip)('reads the same through the guard, with smaller images', async () => {
    const [port] = await freePorts(1);
    const server = startParser(port);
    const ended = once(server, 'exit');
    await untilListening(port);
    const url = `http://127.0.0.1:${port}`;
    const guard = await Guard.before(url, ...PATIENT);
    const sent = await rows();
    try {
      for (const row of sent) {
        const [name, smaller] = row;
        const [direct, guarded] = [await send(url, row), await send(guard.url, row)];
        const [expected, actual] = [direct, guarded].map(({ status, read }) => ({
          name,
          status,
          read: smaller > 0 ? read.map(shown) : read,
        }));
        expect(actual).toEqual(expected);
        const images = direct.read.map(bytesOf).filter((_, i) => smaller > 0 && isImage(direct.read[i]));
        const results = guarded.read.filter(isImage).map(bytesOf);
        images.forEach((bytes, i) => expect(results[i].length).toBeLessThan(bytes.length));
      }
      const counts = (await guard.end()).map(({ smaller }) => smaller);
      // A form without an image is not logged.
      const logged = sent.filter(([name]) => name !== 'a form without an image');
      expect(counts).toEqual(logged.map(([, smaller]) => smaller));
    } finally {
      await guard.end();
      server.kill();
      await ended;
    }
  });
});
