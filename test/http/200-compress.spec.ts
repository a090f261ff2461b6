import { createHash } from 'node:crypto';
import { BOUNDARY, bytesOf, formBody } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';
import { colourAt, decodeIndependently, graphicPng, photoJpeg, difference } from '../support/images';
import { expectHead, expectStatus } from '../support/responses';

const service = sharedClientWithKey();

describe('a JPG becomes a smaller one that looks the same', () => {
  let source: Buffer;
  let response: Response;
  let body: Buffer;
  beforeAll(async () => {
    source = await photoJpeg(640, 480);
    response = await service.send(source);
    body = await bytesOf(response);
  });

  it('has every header of the contract', () => {
    expectHead(response, {
      status: 200,
      'content-type': 'image/jpeg',
      'content-length': String(body.length),
      'x-original-size': String(source.length),
      'x-compressed-size': String(body.length),
      'x-bytes-saved': String(source.length - body.length),
      'x-skipped': null,
      'x-skip-reason': null,
      'x-removed': null,
      'x-original-dimensions': '640x480',
      'x-dimensions': '640x480',
      etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'cache-control': 'no-store',
    });
    expect(body.length).toBeLessThan(source.length);
    const header = (name: string) => response.headers.get(name);
    expect(Number(header('x-quality'))).toBeGreaterThanOrEqual(1);
    expect(Number(header('x-quality'))).toBeLessThanOrEqual(100);
    expect(header('x-ssim')).toMatch(/^[01]\.\d{4}$/);
    expect(Number(header('x-ssim'))).toBeGreaterThanOrEqual(0.9914);
    expect(header('x-request-id')).toMatch(/^[\w-]{36}$/);
    for (const stage of ['queue', 'decode', 'search', 'encode', 'verify']) {
      expect(header('server-timing')).toMatch(new RegExp(`\\b${stage};dur=\\d+\\.\\d`));
    }
  });

  it('contains the same image according to an independent decoder', () => {
    expect(difference(source, body)).toBeLessThan(6);
  });

  it('is returned byte for byte with X-Skipped when it is uploaded again', async () => {
    const again = await service.send(body);
    expectHead(again, {
      'x-skipped': '1',
      'x-skip-reason': 'already-optimised',
      'x-quality': null,
      'x-bytes-saved': '0',
      'x-compressed-size': String(body.length),
    });
    expect(await bytesOf(again)).toEqual(body);
  });
});

it.each(['Authorization: Bearer', 'Authorization: bEaReR', 'X-API-Key', 'both, equal'])(
  'takes the key from %s',
  async (form) => {
    const headers: Record<string, string> = {};
    if (form.startsWith('Authorization'))
      headers['Authorization'] = `${form.split(' ')[1]} ${service.apiKey}`;
    else headers['X-API-Key'] = service.apiKey;
    if (form.startsWith('both')) headers['Authorization'] = `Bearer ${service.apiKey}`;
    const body = new FormData();
    body.append('image', new Blob([new Uint8Array(graphicPng(32, 32))]), 'a.png');
    await expectStatus(service.api('compress', { headers, body }), 200);
  },
);

const named = `Content-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n`;

it.each([
  [
    'of npm form-data for a Buffer, without a file name',
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  ],
  [
    'of .NET ByteArrayContent, without a file name, a type or quotes',
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name=image\r\n\r\n`,
  ],
  ['with spaces and a tab behind the boundary', `--${BOUNDARY}  \t \r\n${named}`],
  [
    'with spaces behind every boundary, and an option',
    `--${BOUNDARY} \r\nContent-Disposition: form-data; name="quality"\r\n\r\nlow\r\n--${BOUNDARY}  \r\n${named}`,
  ],
])('forms of RFC 7578 and RFC 2046: a part %s', async (_, head) => {
  const jpeg = await photoJpeg(160, 120);
  const response = await service.api('compress', {
    apiKey: service.apiKey,
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: new Uint8Array(formBody(jpeg, head)),
  });
  expectHead(response, { status: 200, 'x-original-size': String(jpeg.length) });
});

describe('PNG', () => {
  it('is returned smaller, equal in every pixel and alpha value, without X-Quality', async () => {
    const source = graphicPng(300, 200);
    const response = await service.send(source);
    const body = await bytesOf(response);
    expectHead(response, { 'content-type': 'image/png', 'x-quality': null, 'x-ssim': '1.0000' });
    expect(body.length).toBeLessThan(source.length);
    expect(decodeIndependently(body).data).toEqual(decodeIndependently(source).data);
  });

  it('is recognised by its bytes, not by its name or declared type', async () => {
    const form = new FormData();
    form.append('image', new Blob([new Uint8Array(graphicPng(64, 64))], { type: 'image/jpeg' }), 'photo.jpg');
    const response = await service.api('compress', { apiKey: service.apiKey, body: form });
    expectHead(response, { 'content-type': 'image/png' });
  });
});

describe('an image over the maximum dimension', () => {
  it('is scaled so that the longer side is 3840, not rejected', async () => {
    const response = await service.send(await photoJpeg(4000, 300));
    const decoded = decodeIndependently(await bytesOf(response));
    expect(decoded).toMatchObject({ width: 3840, height: 288 });
    expectHead(response, { 'x-original-dimensions': '4000x300', 'x-dimensions': '3840x288' });
  });

  it('is scaled as a PNG too, with its alpha, and never reports a negative saving', async () => {
    const response = await service.send(graphicPng(20, 4000));
    const decoded = decodeIndependently(await bytesOf(response));
    expect(decoded).toMatchObject({ width: 19, height: 3840 });
    expect(colourAt(decoded, 0.5, 0.1)[3]).toBe(128);
    expect(Number(response.headers.get('x-bytes-saved'))).toBeGreaterThanOrEqual(0);
  });
});
