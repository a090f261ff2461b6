/** Metadata in files of the AVIF and WebP codecs, read by libvips. The conformance kit checks everything else. */
import sharp from 'sharp';
import { listResultFormats } from '../../../src/compression/application/formats';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { loadEngine } from '../../../src/compression/infrastructure/codecs/engines';
import { codingsOf } from '../../conformance/format-checks';
import { adobeRgb } from '../../support/icc-profiles';
import { difference, noise, photoPixels, pixelsOf } from '../../support/images';

const ENGINES = ['native', 'squoosh'];
const FORMATS = ['webp', 'avif'];

const IMAGES = {
  'a photo': photoPixels(200, 120),
  'noise with alpha': noise(50, 33, 4, 5),
  'a grey gradient': pixelsOf(40, 40, 1, (i) => i % 256),
};

const icc = Buffer.from(adobeRgb());
const exif = Buffer.from('49492a0008000000010098820200050000001a000000000000004c204100', 'hex');
const xmp = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- odd --></x:xmpmeta>');
const METADATA = {
  'all metadata': { icc, exif, xmp },
  'a profile': { icc },
  EXIF: { exif },
  XMP: { xmp },
  'no metadata': {},
};

/** Every way in which the engine writes the format: lossy in each chroma mode, and lossless. */
async function findCodings(engine: string, name: string) {
  const format = listResultFormats(await loadEngine(engine)).find((one) => one.name === name);
  return codingsOf(format!).map((coding) => ({ coding, format: format! }));
}

/** libvips adds the prefix of JPEG to EXIF. */
async function readMetadata(file: Uint8Array) {
  const { icc, exif, xmp } = await sharp(file).metadata();
  const hasPrefix = exif?.subarray(0, 6).toString('latin1') === 'Exif\0\0';
  return { icc, exif: hasPrefix ? exif.subarray(6) : exif, xmp };
}

const combinations = <A, B>(first: readonly A[], second: readonly B[]) =>
  first.flatMap((a) => second.map((b) => [a, b] as const));

describe.each(combinations(ENGINES, FORMATS))('the engine %s, %s', (engine, name) => {
  let codings: Awaited<ReturnType<typeof findCodings>>;
  beforeAll(async () => {
    codings = await findCodings(engine, name);
    expect(codings).not.toHaveLength(0);
  });

  it.each(combinations(Object.keys(IMAGES), Object.keys(METADATA)))(
    'writes %s with %s, which changes no pixel',
    async (image, kind) => {
      const pixels = IMAGES[image as keyof typeof IMAGES];
      const metadata = METADATA[kind as keyof typeof METADATA];
      for (const { coding, format } of codings) {
        const file = await coding.encode(pixels, { metadata });
        const plain = await coding.encode(pixels);
        expect(await readMetadata(file)).toEqual({
          icc: undefined,
          exif: undefined,
          xmp: undefined,
          ...metadata,
        });
        expect(difference(await format.decode(plain, pixels), await format.decode(file, pixels))).toBe(0);
      }
    },
  );
});

it.each(ENGINES)('the engine %s rounds 10 bits, and keeps white', async (name) => {
  const { avif } = await loadEngine(name);
  const recode = async (pixels: Pixels) =>
    (await avif!.decode(await avif!.encode(pixels, { quality: 90, effort: 1, bitDepth: 10 }))).data;
  for (const channels of [1, 3] as const)
    expect(new Set(await recode(pixelsOf(64, 64, channels, () => 255)))).toEqual(new Set([255]));
  const photo = photoPixels(200, 120);
  const decoded = await recode(photo);
  // Samples that are cut off instead would be darker by 0.4.
  const bias = decoded.reduce((sum, sample, i) => sum + sample - photo.data[i], 0) / decoded.length;
  expect(Math.abs(bias)).toBeLessThan(0.15);
});
