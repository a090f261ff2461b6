/** Busboy is the oracle: what it reads of a form has to stay, however the form was damaged. */
import { buffer } from 'node:stream/consumers';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { delimiterOf, splitParts } from '../../../src/guard/multipart';
import { form } from '../../guard/guarded';
import { randomNumbers } from '../../support/images';

const TYPE = 'multipart/form-data; boundary=limit';
const IMAGE = Buffer.from('\x89PNG an image of some bytes', 'latin1');

const head = (rest: string) => `Content-Disposition: form-data; ${rest}`;
const PARTS = [
  [head('name="a"'), Buffer.from('text\r\nof two lines')],
  [`${head('name="f"; filename="a;b.png"')}\r\nContent-Type: image/png`, IMAGE],
  [head("name=g; filename*=UTF-8''%e2%82%ac.png"), Buffer.of()],
  [`${head('name="a"; filename="x"')}\r\nContent-Length: 3`, Buffer.from('--l')],
] as const;
const FORM = Buffer.concat([Buffer.from('preamble\r\n'), form(...PARTS), Buffer.from('epilogue')]);

/** What Busboy reads, in order: names, file names and contents. */
async function read(body: Buffer): Promise<string[]> {
  const found: Promise<string>[] = [];
  const parser = new Busboy({ headers: { 'content-type': TYPE }, isPartAFile: () => true });
  parser.on('file', (name: string, stream: BusboyFileStream, fileName: string) => {
    const content = buffer(stream);
    found.push(
      content.then(
        (bytes) => JSON.stringify([name, fileName, bytes.toString('latin1')]),
        () => 'broken',
      ),
    );
  });
  await new Promise<void>((resolve) =>
    parser
      .on('finish', resolve)
      .on('error', () => resolve())
      .end(body),
  );
  return Promise.all(found);
}

it('finds every part, with its head, by offsets', () => {
  const parts = splitParts(FORM, '--limit');
  expect(parts?.map(({ start, end }) => FORM.subarray(start, end))).toEqual(
    PARTS.map(([, content]) => content),
  );
  expect(parts?.map(({ headAt, start }) => FORM.toString('latin1', headAt, start - 4))).toEqual(
    PARTS.map(([lines]) => lines),
  );
});

it.each([
  ['multipart/form-data; boundary=limit', '--limit'],
  ['multipart/form-data; charset=utf-8; boundary="two words"', '--two words'],
  ['Multipart/Form-Data;boundary=a+b', '--a+b'],
  ['multipart/form-data; boundary=a; boundary=b', undefined],
  ['multipart/form-data', undefined],
  ['multipart/form-data; boundary=', undefined],
  ['multipart/mixed; boundary=limit', undefined],
])('reads the delimiter of %s', (type, delimiter) => expect(delimiterOf(type)).toBe(delimiter));

it('of 1 000 damaged forms, those that are split are read by Busboy as the same parts', async () => {
  const random = randomNumbers(71);
  const below = (limit: number) => Math.floor(random() * limit);
  const PIECES = [
    '\r\n',
    '--limit',
    '--limit--',
    '\r\n--limit\r\n',
    '\n',
    '\0',
    ':',
    'Content-Length: 4\r\n',
    '"',
    ' ',
  ];
  let split = 0;
  for (let i = 0; i < 1_000; i++) {
    const at = below(FORM.length);
    const end = at + below(random() < 0.5 ? 1 : 30);
    const piece = random() < 0.5 ? Buffer.from(PIECES[below(PIECES.length)]) : Buffer.of(below(256));
    const damaged = Buffer.concat([FORM.subarray(0, at), piece, FORM.subarray(end)]);
    const parts = splitParts(damaged, '--limit');
    if (!parts) continue;
    split++;
    const contents = parts.map(({ start, end: stop }) => damaged.toString('latin1', start, stop));
    const seen = (await read(damaged)).map((one) => (JSON.parse(one) as string[])[2]);
    // Busboy leaves out parts without a name.
    expect([i, seen.every((content) => contents.includes(content))]).toEqual([i, true]);
    // With another image in its place, all the rest is read as before.
    const image = parts.find(({ start, end: stop }) => damaged.subarray(start, stop).equals(IMAGE));
    if (!image) continue;
    const smaller = Buffer.concat([
      damaged.subarray(0, image.start),
      Buffer.from('small'),
      damaged.subarray(image.end),
    ]);
    const after = (await read(smaller)).map((one) =>
      one.replace('"small"]', `${JSON.stringify(IMAGE.toString('latin1'))}]`),
    );
    expect(after).toEqual(await read(damaged));
  }
  expect(split).toBeGreaterThan(300);
});
