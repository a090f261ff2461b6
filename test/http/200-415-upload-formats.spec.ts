/** Uploads besides JPG and PNG, over HTTP: `UPLOAD_FORMATS`, what every entry says of it, and files that would cost too much. */
import sharp from 'sharp';
import { expectHead, expectProblem } from '../support/responses';
import { photoPixels, rawImage } from '../support/images';
import { bytesOf, ownServiceWithKey } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';
import { TinifyCaller } from '../support/tinify';

const service = ownServiceWithKey({
  UPLOAD_FORMATS: 'jpg,webp,avif',
  TINIFY_API: 'on',
  MEMORY_BUDGET_MB: '256',
});
const shared = sharedClientWithKey();
const photo = rawImage(photoPixels(160, 120));

it.each(['webp', 'avif'] as const)('a %s comes back smaller, as what it is', async (format) => {
  const image = await photo.clone().toFormat(format, { quality: 92 }).toBuffer();
  const response = await service.send(image);
  const bytes = await bytesOf(response);
  expectHead(response, {
    status: 200,
    'content-type': `image/${format}`,
    'x-original-size': String(image.length),
    'x-compressed-size': String(bytes.length),
  });
  expect(Number(response.headers.get('x-quality'))).toBeGreaterThan(20);
  expect((await sharp(bytes).metadata()).width).toBe(160);
  const again = await service.send(bytes);
  expectHead(again, { 'x-skipped': '1' });
  expect(await bytesOf(again)).toEqual(bytes);
});

it.each(['webp', 'avif'] as const)("Tinify's transform fills a transparent %s", async (format) => {
  const clear = sharp({ create: { width: 60, height: 40, channels: 4, background: '#0000' } });
  const tinify = new TinifyCaller(service, service.apiKey);
  const path = await tinify.upload(await clear.toFormat(format).toBuffer());
  const transform = { background: '#ff0000' };
  for (const [type, commands] of Object.entries({
    [`image/${format}`]: { transform },
    'image/jpeg': { transform, convert: { type: 'image/jpeg' } },
  })) {
    const response = await tinify.command(path, commands);
    expectHead(response, { status: 200, 'content-type': type });
    const [red, green, blue] = await sharp(await bytesOf(response))
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    expect(red).toBeGreaterThan(245);
    expect(Math.max(green, blue)).toBeLessThan(10);
  }
});

it('other formats are refused, by the sentence that names the kind and what is accepted', async () => {
  const png = await photo.clone().png().toBuffer();
  const ofPng = await expectProblem(service.send(png), 415, 'unsupported_media_type');
  expect(ofPng['detail']).toBe('The file is a PNG, not a JPG, WebP or AVIF, judging by its first bytes.');
  const webp = await photo.clone().webp().toBuffer();
  const ofWebp = await expectProblem(shared.send(webp), 415, 'unsupported_media_type');
  expect(ofWebp['detail']).toBe('The file is a WebP, not a JPG or PNG, judging by its first bytes.');
});

it('the page, the API document and the missing file say which are accepted', async () => {
  const page = await (await fetch(service.url)).text();
  const document = await (await fetch(`${service.url}/openapi.json`)).text();
  expect(page).toContain('&quot;isUpload&quot;:true');
  expect(document).toContain('A JPG, WebP or AVIF file.');
  const empty = service.api('compress', { apiKey: service.apiKey, body: new FormData() });
  const words = 'Send a JPG, WebP or AVIF file in the field "image".';
  await expectProblem(empty, 400, 'missing_image', words);
});

/** Of 34 bytes, one frame of which there is nothing. */
function hugeWebp(width: number, height: number): Buffer {
  const file = Buffer.alloc(34);
  file.write('RIFF', 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WEBPVP8L', 8, 'latin1');
  file.writeUInt32LE(14, 16);
  file[20] = 0x2f;
  file.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14, 21);
  return file;
}

/** An AVIF of 160 × 120 px whose frame has 65 536 × 2 048 by its sequence header (AV1 specification, 5.5.1). */
async function hugeAvif(): Promise<Buffer> {
  const avif = await photo.clone().avif({ effort: 0 }).toBuffer();
  // A reduced header of a still picture, then 16 bits for each side, then no tools and 8 bits a sample.
  const bits = `0001100000${'1'.repeat(24)}${(2_047).toString(2).padStart(16, '0')}`;
  const bytes = (bits.padEnd(72, '0').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  Buffer.of(0x0a, bytes.length, ...bytes).copy(avif, avif.indexOf('mdat', 0, 'latin1') + 4);
  return avif;
}

it('what an upload needs is known from its header', async () => {
  const words = /^The image needs \d+(\.\d+)? MiB of memory to be decoded; the limit is 384 MiB\./;
  await expectProblem(service.send(hugeWebp(16_383, 15_000)), 422, 'needs_too_much_memory', words);
  await expectProblem(service.send(await hugeAvif()), 422, 'needs_too_much_memory');
});

it("Tinify's clients send it, too", async () => {
  const image = await photo.clone().webp({ quality: 92 }).toBuffer();
  const response = await new TinifyCaller(service, service.apiKey).shrink(image);
  const { input, output } = (await response.json()) as Record<string, { readonly type: string }>;
  expect([response.status, input.type, output.type]).toEqual([201, 'image/webp', 'image/webp']);
});
