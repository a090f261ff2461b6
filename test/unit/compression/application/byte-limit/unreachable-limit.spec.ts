import sharp from 'sharp';
import type { CodecEngine } from '../../../../../src/compression/application/codecs.port';
import { compressImage } from '../../../../../src/compression/application/recipe';
import type { CompressionPolicy } from '../../../../../src/compression/domain/compression-policy';
import { ImageRefused } from '../../../../../src/contract/image-problems';
import { pngChunk } from '../../../../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../../../../src/compression/formats/png/png-metadata';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../../../src/settings/settings';
import { photoJpeg, photoPixels, rawImage } from '../../../../support/images';

const engine = createNativeEngine();
// What is possible is found the same way with every effort; this one takes the least time.
const { policy } = readSettings({ EFFORT: 'fast' }).compression;

/** Returns the size of the result, or the least possible; decodes of the upload; the longest side tried. */
async function within(
  image: Uint8Array,
  maxBytes: number,
  asked: Partial<CompressionPolicy> = {},
  allowsAny = false,
) {
  let decodes = 0;
  const data = Buffer.from(image.subarray(Math.max(0, Buffer.from(image).indexOf('IDAT'))));
  const isUpload = (bytes: Uint8Array) => Buffer.from(bytes).subarray(-data.length).equals(data);
  const counting = <C extends object>(codec: C, ...methods: (keyof C)[]) => {
    const counted = Object.create(codec) as C;
    for (const method of methods) {
      const call = codec[method] as (this: C, bytes: Uint8Array, ...rest: unknown[]) => unknown;
      counted[method] = ((bytes: Uint8Array, ...rest: unknown[]) => {
        if (isUpload(bytes)) decodes++;
        return call.call(codec, bytes, ...rest);
      }) as never;
    }
    return counted;
  };
  const counted: CodecEngine = {
    jpeg: counting(engine.jpeg, 'decode'),
    png: counting(engine.png, 'decode', 'transform'),
  };
  const work = compressImage(image, counted, { ...policy, ...asked, byteLimit: { maxBytes, allowsAny } });
  const outcome = await work.then(
    ({ bytes, report }) => ({ isMet: report.budget === 'met', bytes: bytes.length }),
    (error: unknown) => {
      if (!(error instanceof ImageRefused) || error.code !== 'budget_unreachable') throw error;
      return { isMet: false, bytes: error.numbers.actual! };
    },
  );
  return { ...outcome, decodes };
}

const pngOf = (svg: string) => sharp(Buffer.from(svg)).png().toBuffer();
const circles = (side: number) => {
  const shapes = Array.from({ length: 12 }, (_, i) => {
    const [x, y] = [((i % 4) + 0.5) * (side / 4), (Math.floor(i / 4) + 0.5) * (side / 3)];
    return `<circle cx="${x}" cy="${y}" r="${side / 11}" fill="rgb(${i * 20},${255 - i * 17},80)"/>`;
  });
  return `<svg width="${side}" height="${side}" xmlns="http://www.w3.org/2000/svg">${shapes.join('')}</svg>`;
};
const photoPng = (width: number, height: number) => rawImage(photoPixels(width, height)).png().toBuffer();

describe('a byte limit that is hard or impossible to reach', () => {
  it('decodes a PNG that is scaled once for all dimensions', async () => {
    const refused = await within(await photoPng(100, 75), 150, { maxDimensionPx: 64 });
    expect(refused).toMatchObject({ isMet: false, decodes: 1 });
  });

  it('is known from the smallest dimensions if the metadata alone exceeds it', async () => {
    const comment = Buffer.concat([Buffer.from('Comment\0', 'latin1'), Buffer.alloc(12_000, 'x')]);
    const png = withChunks(await photoPng(120, 90), [pngChunk('tEXt', comment)]);
    const refused = await within(png, 10_000, { keepMetadata: 'all' });
    expect(refused.isMet).toBe(false);
    expect(refused.bytes).toBeGreaterThan(12_000);
    expect(refused.bytes).toBeLessThan(13_500);
    const any = await within(png, 10_000, { keepMetadata: 'all' }, true);
    expect(any.isMet).toBe(false);
    expect(any.bytes).toBeLessThanOrEqual(refused.bytes);
    expect((await within(png, refused.bytes, { keepMetadata: 'all' })).isMet).toBe(true);
  });

  it('names the smallest size: that one is reached, and no smaller one', async () => {
    const images = [
      await photoJpeg(80, 64, { quality: 86 }),
      await photoPng(48, 36),
      await pngOf(circles(80)),
      await pngOf(circles(120)),
    ];
    for (const image of images) {
      const { bytes: smallest } = await within(image, 60);
      expect((await within(image, smallest)).isMet).toBe(true);
      for (const maxBytes of [smallest - 1, ...[0.98, 0.9].map((share) => smallest * share)]) {
        expect(await within(image, Math.floor(maxBytes))).toMatchObject({ isMet: false, bytes: smallest });
      }
    }
  });
});
