/** A JPG that lacks only its end marker is accepted; one whose data are truncated is refused, wherever it ends. */
import { createHash } from 'node:crypto';
import { decodeUpload } from '../../src/compression/application/jpeg/jpeg-image';
import type { CodecEngine } from '../../src/compression/application/codecs.port';
import { readSource, type JpegSource } from '../../src/compression/formats/image-header';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import type { ImageRefused } from '../../src/contract/image-problems';
import { compressImage } from '../../src/compression/application/recipe';
import { policy } from '../support/default-policy';
import { photoPixels, pixelsOf, randomNumbers, rawImage } from '../support/images';

const [WIDTH, HEIGHT] = [64, 48];
const random = randomNumbers(7);
const noise = pixelsOf(WIDTH, HEIGHT, 3, () => 80 + random() * 90);
const image = () => rawImage(noise);
const KINDS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'baseline 4:2:0': () => image().jpeg({ quality: 85 }).toBuffer(),
  'baseline 4:4:4': () => image().jpeg({ quality: 85, chromaSubsampling: '4:4:4' }).toBuffer(),
  progressive: () => image().jpeg({ quality: 85, progressive: true }).toBuffer(),
  'progressive, many scans': () => image().jpeg({ quality: 85, mozjpeg: true }).toBuffer(),
  grey: () => image().toColourspace('b-w').jpeg().toBuffer(),
  CMYK: () => image().toColourspace('cmyk').jpeg().toBuffer(),
};
/** Bytes from the end of the file at which it is cut. */
const CUTS = [6, 8, 15, 50, 200, 400];

describe.each(['native', 'squoosh'] as const)('the %s engine', (name) => {
  let engine: CodecEngine;
  beforeAll(async () => (engine = await loadEngine(name)));
  const decoded = (bytes: Uint8Array) =>
    decodeUpload(engine.jpeg, readSource(bytes, 1e6) as JpegSource, { orientation: 1 }).then(
      ({ data }) => createHash('sha1').update(data).digest('hex'),
      (error: unknown) => (error as ImageRefused).code,
    );

  it.each(Object.entries(KINDS))('%s', async (_, make) => {
    const whole = await make();
    const pixels = await decoded(whole);
    expect(pixels).toHaveLength(40);
    for (const end of [2, 1]) expect(await decoded(whole.subarray(0, -end))).toEqual(pixels);
    // Disks and downloads may leave zeros where the end should be.
    expect(await decoded(Buffer.concat([whole.subarray(0, -2), Buffer.alloc(100)]))).toEqual(pixels);
    const cuts = CUTS.filter((bytes) => bytes < whole.length - 700);
    for (const cut of cuts) {
      const truncated = whole.subarray(0, -cut);
      // The padding would be read as grey blocks.
      const padded = [0, 0xff, 0x5a].map((byte) => Buffer.concat([truncated, Buffer.alloc(5000, byte)]));
      for (const source of [truncated, ...padded])
        expect([cut, await decoded(source)]).toEqual([cut, 'undecodable_image']);
    }
  });

  it('progressive, of which whole scans are missing', async () => {
    const whole = await KINDS['progressive, many scans']();
    const first = whole.indexOf('\xff\xda', 0, 'latin1');
    // Each scan but the first has tables in front of it.
    const ends = [...whole.toString('latin1').matchAll(/\xff\xc4/g)].map(({ index }) => index);
    const later = ends.filter((at) => at > first);
    expect(later.length).toBeGreaterThan(2);
    for (const at of later)
      expect([at, await decoded(whole.subarray(0, at))]).toEqual([at, 'undecodable_image']);
  });

  it('the result is that of the whole file, and reports the size of the upload', async () => {
    const whole = await rawImage(photoPixels(480, 360)).jpeg({ quality: 95 }).toBuffer();
    const open = whole.subarray(0, -2);
    const results = async (maxDimensionPx: number) => [
      await compressImage(whole, engine, { ...policy, maxDimensionPx }),
      await compressImage(open, engine, { ...policy, maxDimensionPx }),
    ];
    const [one, other] = await results(480);
    expect(one.bytes).toEqual(other.bytes);
    // Its last blocks do not show in a thumbnail.
    const [small, same] = await results(16);
    expect(small.bytes).toEqual(same.bytes);
    expect(other.report.originalSize).toBe(open.length);
    const skipped = await compressImage(open, engine, { ...policy, minSavingsRatio: 0.99 });
    expect(skipped.report.skipReason).toBe('already-optimised');
    expect(skipped.bytes).toEqual(open);
  });
});
