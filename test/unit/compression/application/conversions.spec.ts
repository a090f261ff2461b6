/** Which format a result gets, with an encoder of AVIF whose sizes and faults are chosen here. */
import type { ResultCodec, CodecEngine } from '../../../../src/compression/application/codecs.port';
import { compressImage } from '../../../../src/compression/application/recipe';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { pngChunk, type PngChunk } from '../../../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../../../src/compression/formats/png/png-metadata';
import { jpegWithBlocks } from '../../../../src/compression/formats/jpeg/metadata/jpeg-blocks';
import { withSegments } from '../../../../src/compression/formats/jpeg/segment-writer';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../../src/settings/settings';
import { greyOfGamma } from '../../../support/icc-profiles';
import {
  graphicPng,
  photoJpeg,
  photoPixels,
  pixelsOf,
  randomNumbers,
  rawImage,
} from '../../../support/images';
import { directorySegment, ultraHdrMap, withGainMaps } from '../../../support/phone-files';
import { cicpChunk } from '../../../file-kinds/png-parts';
import { HEIGHT, PretendedAvif, WIDTH, type Behaviour } from './pretended-avif';

const native = createNativeEngine();

function compress(
  image: Uint8Array,
  formats: CompressionPolicy['formats'],
  avif?: ResultCodec,
  environment = {},
) {
  const { policy } = readSettings(environment).compression;
  const { jpeg, png, webp } = native;
  const engine: CodecEngine = { jpeg, png, ...(webp ? { webp } : {}), ...(avif ? { avif } : {}) };
  return compressImage(image, engine, { ...policy, ...(formats ? { formats } : {}) });
}

const AUTO = ['same', 'avif'];
const small: Behaviour = { bytesPerPixel: 0.02 };
let photo: Buffer;
let own: Uint8Array;
beforeAll(async () => {
  photo = await photoJpeg(WIDTH, HEIGHT, { quality: 95 });
  own = (await compress(photo, undefined)).bytes;
});

describe('auto', () => {
  it('delivers the other format where it is smaller', async () => {
    const { bytes, report } = await compress(photo, AUTO, new PretendedAvif(small));
    expect(report.format).toBe('avif');
    expect(report.score).toBeGreaterThanOrEqual(0.9914);
    expect(bytes.length).toBeLessThan(own.length);
  });

  it('tries tiles of the encoder, encodes at qualities whose files differ, and reports the last', async () => {
    const avif = new PretendedAvif(small);
    const { report } = await compress(photo, AUTO, avif);
    expect([avif.trialWidth % 80, avif.qualities.at(-1)]).toEqual([0, report.quality]);
    expect(report.quality).toBeGreaterThanOrEqual(26);
    // Of four neighbours, two write the same file.
    expect(avif.qualities.every((quality) => quality < 56 || quality % 4 !== 1)).toBe(true);
  });

  it('does not encode the whole image where trials promise nothing', async () => {
    const avif = new PretendedAvif({ bytesPerPixel: 3 });
    const { bytes, report } = await compress(photo, AUTO, avif);
    expect([report.format, avif.wholes]).toEqual(['jpeg', 0]);
    expect(bytes).toEqual(own);
  });

  it('delivers its own format where trials have promised too much', async () => {
    const avif = new PretendedAvif({ ...small, wholeBytesPerPixel: 3 });
    const { bytes, report } = await compress(photo, AUTO, avif);
    expect(avif.wholes).toBeGreaterThan(0);
    expect(report.format).toBe('jpeg');
    expect(bytes).toEqual(own);
  });

  it('never delivers what does not reach the target, however small it is', async () => {
    const { report } = await compress(photo, AUTO, new PretendedAvif({ ...small, error: 90 }));
    expect(report.format).toBe('jpeg');
    expect(report.score).toBeGreaterThanOrEqual(0.9914);
  });

  it('decodes a photo once, also where its own format stays', async () => {
    const decode = jest.spyOn(native.jpeg, 'decode');
    await compress(photo, AUTO, new PretendedAvif({ bytesPerPixel: 3 }));
    const ofUpload = decode.mock.calls.filter(([bytes]) => bytes.length === photo.length);
    decode.mockRestore();
    expect(ofUpload).toHaveLength(1);
  });

  it('makes no trial of WebP for a photo that may become an AVIF', async () => {
    const encode = jest.spyOn(native.webp!, 'encode');
    const { report } = await compress(photo, [...AUTO, 'webp'], new PretendedAvif({ bytesPerPixel: 3 }));
    const trials = encode.mock.calls.length;
    encode.mockRestore();
    expect([report.format, trials]).toEqual(['jpeg', 0]);
  });

  it('stays with its own format where the engine cannot write the other', async () => {
    expect((await compress(photo, AUTO)).report.format).toBe('jpeg');
  });
});

it('of several formats, one that reaches the target is preferred to a smaller one that does not', async () => {
  const avif = new PretendedAvif({ ...small, error: 90 });
  expect((await compress(photo, ['avif', 'webp'], avif)).report.format).toBe('webp');
});

it('a format that is asked for alone is delivered at its best where no quality reaches the target', async () => {
  const { report } = await compress(photo, ['avif'], new PretendedAvif({ ...small, error: 90 }));
  expect(report.format).toBe('avif');
  expect(report.score).toBeLessThan(0.9914);
});

it('a format that is asked for by name holds for a result that has to fit, and what goes is said', async () => {
  const policy = { ...readSettings({}).compression.policy, formats: ['webp'] };
  const image = await gainMapped(photo);
  const { report: usual } = await compressImage(image, native, policy);
  const byteLimit = { maxBytes: Math.round(usual.compressedSize * 0.9), allowsAny: false };
  const { report } = await compressImage(image, native, { ...policy, byteLimit });
  expect(report).toMatchObject({ format: 'webp', removed: ['gain-map'], budget: 'met' });
});

const kinds: Record<string, { make: () => Promise<Uint8Array>; removed?: string; refusal?: RegExp }> = {
  'a gain map': {
    make: () => gainMapped(photo),
    removed: 'gain-map',
  },
  CMYK: {
    make: () => smallPhoto().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer(),
  },
  '16 bits': {
    make: () => smallPhoto().toColourspace('rgb16').png().toBuffer(),
    removed: 'bit-depth',
  },
  'an animation': {
    make: () => graphicWith(pngChunk('acTL', Buffer.of(0, 0, 0, 2, 0, 0, 0, 0))),
    refusal: /animated/,
  },
  'a profile that viewers ignore, because it is for other samples': {
    make: async () => jpegWithBlocks(await smallPhoto().jpeg().toBuffer(), { icc: greyOfGamma(1.8) }),
    removed: 'colour-profile',
  },
  'colours that only PNG can describe': {
    make: () => graphicWith(cicpChunk(9, 16, 0, 1)),
    refusal: /cICP/,
  },
};

describe.each(Object.entries(kinds))('%s', (_, { make, removed, refusal }) => {
  it('stays in its own format with auto, without a trial', async () => {
    const image = await make();
    const avif = new PretendedAvif(small);
    const [auto, plain] = [await compress(image, AUTO, avif), await compress(image, undefined)];
    expect([auto.report.format, avif.encodes]).toEqual([plain.report.format, 0]);
    expect(auto.bytes).toEqual(plain.bytes);
  });

  it('by name is converted and says what went, or is refused', async () => {
    const converted = compress(await make(), ['avif'], new PretendedAvif(small));
    if (refusal) {
      await expect(converted).rejects.toMatchObject({
        code: 'cannot_convert',
        message: expect.stringMatching(refusal) as string,
      });
    } else {
      const { report } = await converted;
      expect([report.format, report.removed ?? []]).toEqual(['avif', removed === undefined ? [] : [removed]]);
    }
  });
});

it('a side that WebP cannot hold is refused by name, and ignored where others are accepted', async () => {
  const wide = graphicPng(16_384, 2);
  const limits = { MAX_DIMENSION_PX: '16384' };
  await expect(compress(wide, ['webp'], undefined, limits)).rejects.toThrow(/16383 px a side/);
  expect((await compress(wide, ['same', 'webp'], undefined, limits)).report.format).toBe('png');
  expect((await compress(wide, ['webp', 'avif'], new PretendedAvif(small), limits)).report.format).toBe(
    'avif',
  );
});

it.each([
  ['a side that WebP cannot hold', () => noisyPng(16_384, 4, 3), ['same', 'webp']],
  ['transparency that JPEG cannot hold', () => noisyPng(160, 120, 4), ['same', 'jpeg']],
])('%s leaves the format out where the result has to fit', async (_, make, formats) => {
  const image = await make();
  const policy = { ...readSettings({ MAX_DIMENSION_PX: '16384' }).compression.policy, formats };
  const { report: usual } = await compressImage(image, native, { ...policy, formats: ['same'] });
  const byteLimit = { maxBytes: Math.round(usual.compressedSize * 0.7), allowsAny: true };
  const { bytes, report } = await compressImage(image, native, { ...policy, byteLimit });
  expect(report.budget).toBe('met');
  expect(bytes.length).toBeLessThanOrEqual(byteLimit.maxBytes);
  await expect(
    compressImage(image, native, { ...policy, formats: formats.slice(1), byteLimit }),
  ).rejects.toMatchObject({ code: 'cannot_convert' });
});

const graphicWith = (chunk: PngChunk) => Promise.resolve(withChunks(graphicPng(WIDTH, HEIGHT), [chunk]));
const smallPhoto = () => rawImage(photoPixels(160, 120));

function noisyPng(width: number, height: number, channels: 3 | 4): Promise<Buffer> {
  const random = randomNumbers(7);
  const pixels = pixelsOf(width, height, channels, (i) => (i % 97) + random() * 60);
  return rawImage(pixels).png().toBuffer();
}

async function gainMapped(jpeg: Buffer) {
  const map = await ultraHdrMap();
  return withGainMaps(withSegments(jpeg, [directorySegment('GainMap', map.length)]), map);
}
