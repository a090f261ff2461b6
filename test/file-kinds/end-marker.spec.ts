/** A JPG that lacks only its end marker is accepted; one whose data are truncated is refused, wherever it ends. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { decodeUpload } from '../../src/compression/application/jpeg/decode-upload';
import type { CodecEngine } from '../../src/compression/application/codecs.port';
import { readSource, type JpegSource } from '../../src/compression/formats/image-header';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import { readSettings } from '../../src/settings/settings';
import { compressImage } from '../../src/compression/application/compress-image';
import { photoPixels, randomNumbers } from '../support/images';

const [WIDTH, HEIGHT] = [64, 48];
const random = randomNumbers(7);
const noise = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, () => 80 + random() * 90);
const image = () => sharp(noise, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
const KINDS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'baseline 4:2:0': () => image().jpeg({ quality: 85 }).toBuffer(),
  'baseline 4:4:4': () => image().jpeg({ quality: 85, chromaSubsampling: '4:4:4' }).toBuffer(),
  progressive: () => image().jpeg({ quality: 85, progressive: true }).toBuffer(),
  'progressive, many scans': () => image().jpeg({ quality: 85, mozjpeg: true }).toBuffer(),
  grey: () => image().toColourspace('b-w').jpeg().toBuffer(),
  CMYK: () => image().toColourspace('cmyk').jpeg().toBuffer(),
};
/** Bytes from the end of the file at which it is cut. */
const CUTS = [6, 8, 10, 15, 25, 50, 100, 200, 300, 400, 600];
const { policy } = readSettings({}).compression;

describe.each(['native', 'squoosh'] as const)('the %s engine', (name) => {
  let engine: CodecEngine;
  beforeAll(async () => {
    engine = await loadEngine(name);
  });
  const decoded = (bytes: Uint8Array) =>
    decodeUpload(engine.jpeg, readSource(bytes, 1e6) as JpegSource, { orientation: 1 }).then(
      ({ data }) => createHash('sha1').update(data).digest('hex'),
      (error: { readonly code?: string }) => error.code,
    );

  it.each(Object.entries(KINDS))('%s', async (_, make) => {
    const whole = await make();
    const pixels = await decoded(whole);
    expect(pixels).toHaveLength(40);
    for (const end of [2, 1]) expect(await decoded(whole.subarray(0, -end))).toEqual(pixels);
    // Disks and downloads may leave zeros where the end should be.
    expect(await decoded(Buffer.concat([whole.subarray(0, -2), Buffer.alloc(100)]))).toEqual(pixels);
    const cuts = CUTS.filter((bytes) => bytes < whole.length - 700);
    for (const cut of cuts)
      expect([cut, await decoded(whole.subarray(0, -cut))]).toEqual([cut, 'undecodable_image']);
  });

  it('progressive, of which whole scans are missing', async () => {
    const whole = await KINDS['progressive, many scans']();
    for (
      let at = whole.lastIndexOf('\xff\xda', undefined, 'latin1');
      at > 300;
      at = whole.lastIndexOf('\xff\xda', at - 1, 'latin1')
    )
      expect([at, await decoded(whole.subarray(0, at))]).toEqual([at, 'undecodable_image']);
  });

  it('the result is that of the whole file, and reports the size of the upload', async () => {
    const { data, width, height } = photoPixels(160, 120);
    const whole = await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 95 })
      .toBuffer();
    const open = whole.subarray(0, -2);
    const [one, other] = [
      await compressImage(whole, engine, policy),
      await compressImage(open, engine, policy),
    ];
    expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
    expect(other.report.originalSize).toBe(open.length);
    const skipped = await compressImage(open, engine, { ...policy, minSavingsRatio: 0.99 });
    expect([skipped.report.skipReason, Buffer.compare(skipped.bytes, open)]).toEqual([
      'already-optimised',
      0,
    ]);
  });
});
