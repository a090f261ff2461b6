import { execFileSync } from 'node:child_process';
import { Folder } from '../support/folders';
import { decodeIndependently, photoJpeg, photoPixels, rawImage } from '../support/images';
import { expectProblem, expectRawProblem, expectStatus } from '../support/responses';
import {
  type Account,
  asChunk,
  exchange,
  formWith,
  partHead,
  RawClient,
  requestHead,
} from '../support/service';
import { sharedClient } from '../support/shared-service';

const MIB = 1024 * 1024;
const service = sharedClient('tight');
let account: Account;
let jpeg: Buffer;
beforeAll(async () => (jpeg = await photoJpeg(64, 48)));
beforeEach(async () => (account = await service.signUp()));

/** A JPEG of exactly this many bytes: comments are the padding. */
function padded(size: number): Buffer {
  const parts = [jpeg.subarray(0, 2)];
  let missing = size - jpeg.length;
  while (missing > 0) {
    const length = Math.min(missing, 65_000 + (missing < 65_010 ? 500 : 0));
    parts.push(Buffer.of(0xff, 0xfe, (length - 2) >> 8, (length - 2) & 255), Buffer.alloc(length - 4, 0x20));
    missing -= length;
  }
  return Buffer.concat([...parts, jpeg.subarray(2)]);
}

describe('413 image_too_large', () => {
  it('takes a file of exactly the limit', async () => {
    const file = padded(MIB);
    expect(file.length).toBe(MIB);
    await expectStatus(account.send(file), 200);
  });

  it('refuses a file that is one byte larger and states both sizes', async () => {
    const { limit } = await expectProblem(account.send(padded(MIB + 1)), 413, 'image_too_large');
    expect(limit).toBe(MIB);
  });

  it('refuses a declared length before anything of the body arrives', async () => {
    const answer = await exchange(service.port, requestHead(account.apiKey, { 'Content-Length': 21 * MIB }));
    expect(answer.headers['connection']).toBe('close');
    expectRawProblem(answer, 413, 'image_too_large');
  });

  it('stops a chunked upload without a length at the limit', async () => {
    const head = requestHead(account.apiKey, { 'Transfer-Encoding': 'chunked' });
    const begun = asChunk(Buffer.concat([Buffer.from(partHead()), jpeg]));
    const client = RawClient.sending(service.port, head, begun);
    for (let i = 0; i < 40; i++) client.write(asChunk(Buffer.alloc(64 * 1024)));
    await expectStatus(client.answer(), 413);
    client.close();
  });
});

describe('415 unsupported_media_type', () => {
  it.each([
    ['HTML', '<html><body>', ''],
    ['one byte', 'x', ''],
    ['GIF', 'GIF89a....', 'a GIF, '],
    ['BMP', 'BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0', 'a BMP, '],
    ['WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'a WebP, '],
    ['AVIF', '\0\0\0 ftypavif', 'an AVIF, '],
    ['HEIC', '\0\0\0 ftypheic', 'a HEIC, '],
    ['TIFF', 'II*\0\b\0\0\0\0\0', 'a TIFF, '],
    ['PDF', '%PDF-1.7\n', 'a PDF, '],
  ])('%s', async (_, start, name) => {
    const detail = `The file is ${name}not a JPG or PNG, judging by its first bytes.`;
    const refused = await expectProblem(account.send(Buffer.from(start)), 415, 'unsupported_media_type');
    expect(refused).toMatchObject({ detail });
  });

  it('is sent after the first bytes, before the rest has arrived', async () => {
    const begun = `${requestHead(account.apiKey, { 'Content-Length': MIB })}${partHead()}GIF89a....`;
    await expectStatus(exchange(service.port, begun), 415);
  });

  it('the image as the body, with a command that works instead', async () => {
    const url = `${service.url}/api/v1/compress`;
    const headers = { 'Content-Type': 'image/jpeg' };
    const response = await service.api('compress', {
      apiKey: account.apiKey,
      headers,
      body: new Uint8Array(jpeg),
    });
    const { title, detail } = await expectProblem(response, 415, 'unsupported_media_type');
    expect(title).toBe('The body is not multipart/form-data');
    const [sentence, command] = String(detail).slice(0, -'.'.length).split(': ');
    expect(sentence).toContain('as multipart/form-data, in the file field "image"');
    const place = new Folder();
    place.put('photo.jpg', jpeg);
    const env = { ...process.env, KEY: account.apiKey };
    execFileSync('bash', ['-c', command.replace('URL', url)], { cwd: place.folder, env });
    const { width, height } = decodeIndependently(jpeg);
    expect(decodeIndependently(place.read('smaller.jpg'))).toMatchObject({ width, height });
  });
});

describe('422', () => {
  it('undecodable_image: truncated to half', async () => {
    const whole = await photoJpeg(400, 300);
    const half = whole.subarray(0, whole.length / 2);
    await expectProblem(account.send(half), 422, 'undecodable_image');
  });

  it('undecodable_image: a truncated CMYK JPEG, which is never decoded for its pixels', async () => {
    const cmyk = await rawImage(photoPixels(300, 200)).toColourspace('cmyk').jpeg().toBuffer();
    await expectStatus(account.send(cmyk), 200);
    const half = cmyk.subarray(0, cmyk.length / 2);
    await expectProblem(account.send(half), 422, 'undecodable_image');
  });
});

it('serves valid images afterwards, with any file name', async () => {
  const form = formWith(jpeg, 'image', '../../etc/pässwd"\\.jpg');
  await expectStatus(service.api('compress', { apiKey: account.apiKey, body: form }), 200);
});
