/** Images of 16 bits per sample in added formats, with a format that stores samples as they are. */
import { compressImage } from '../../../../../src/compression/application/compress-image';
import type { CodedFormat } from '../../../../../src/compression/application/result-format.port';
import type { DeepPixels } from '../../../../../src/compression/domain/deep-pixels';
import type { Pixels } from '../../../../../src/compression/domain/pixels';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import { addedFormat } from '../../../../../src/compression/packages/added-format';
import { readManifest } from '../../../../../src/compression/packages/manifest';
import { readSettings } from '../../../../../src/settings/settings';
import { deepPngOf } from '../../../../../src/compression/conformance/images';
import { randomNumbers } from '../../../../support/images';

const SIDE = 120;
/** Larger than a mosaic. */
const PHOTO_SIDE = 500;
const facts = { label: 'Raw', mediaType: 'image/x-raw', extensions: ['raw'] };
const manifest = readManifest({ apiVersion: 1, format: { name: 'raw', hasAlpha: true, ...facts } });

/** The samples, one byte for the depth, and one that makes lossy files smaller than others. */
const stored = ({ data }: Pixels | DeepPixels): Uint8Array =>
  Buffer.concat([
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    Buffer.of(data.BYTES_PER_ELEMENT),
  ]);
const bitsOf = (file: Uint8Array) => 8 * file[file.length - 1];
const samplesOf = (file: Uint8Array) => new Uint16Array(new Uint8Array(file.subarray(0, -1)).buffer);

interface Changes {
  readonly hasAlpha?: boolean;
  readonly maxPixels?: number;
  readonly isFaulty?: boolean;
  readonly isDeep?: boolean;
}

/** Compresses to the format; returns the report, the file, and the encodes. */
async function compress(png: Uint8Array, formats: string[], changes: Changes = {}, environment = {}) {
  const { hasAlpha = true, maxPixels, isFaulty = false, isDeep = true } = changes;
  const encodes: string[] = [];
  const named = (name: string, { data, width }: Pixels | DeepPixels) => {
    const part = width === SIDE || width === PHOTO_SIDE ? 'whole' : 'part';
    encodes.push(`${name} ${part} ${8 * data.BYTES_PER_ELEMENT}`);
  };
  const codings = {
    encode: (pixels: Pixels | DeepPixels) => {
      named('loss', pixels);
      return Promise.resolve(stored(pixels));
    },
    encodeLosslessly: (pixels: Pixels | DeepPixels) => {
      named('exact', pixels);
      return Promise.resolve(stored(pixels));
    },
  };
  const code: CodedFormat = {
    ...codings,
    decode: (file, original) => Promise.resolve({ ...original, data: new Uint8Array(file.subarray(0, -1)) }),
  };
  const deep: CodedFormat['deep'] = {
    ...codings,
    ...(maxPixels === undefined ? {} : { maxPixels }),
    decode: (file, original) => {
      const data = samplesOf(file);
      if (isFaulty) data[7] ^= 1;
      return Promise.resolve({ ...original, data });
    },
  };
  if (typeof manifest === 'string' || !manifest.format) throw new Error('no manifest');
  const format = addedFormat({ ...manifest.format, hasAlpha }, isDeep ? { ...code, deep } : code);
  const { policy } = readSettings(environment).compression;
  const engine = { ...createNativeEngine(), added: [format] };
  const { bytes, report } = await compressImage(png, engine, { ...policy, formats });
  return { bytes, report, encodes };
}

const graphic = deepPngOf(SIDE, 3, (i) => 1000 + (i % SIDE) * 257 + 3);
const faded = deepPngOf(SIDE, 4, (i) => 30_001 + (i % SIDE) * 200);
const coloured = deepPngOf(SIDE, 3, (i, c) => 1000 + (i % SIDE) * 257 + c);
const tinted = deepPngOf(SIDE, 4, (i, c) => 30_001 + (i % SIDE) * 200 + c);
const random = randomNumbers(5);
const photo = deepPngOf(PHOTO_SIDE, 3, () => 20_000 + random() * 20_000);

describe('an image that needs its 16 bits', () => {
  it('keeps all samples of a graphic, and alpha', async () => {
    for (const [image, channels] of [
      [graphic, 1],
      [faded, 2],
      [coloured, 3],
      [tinted, 4],
    ] as const) {
      const { bytes, report, encodes } = await compress(image, ['raw']);
      expect([report.format, report.score, report.maxError, report.removed]).toEqual([
        'raw',
        1,
        0,
        undefined,
      ]);
      expect(encodes).toEqual(['exact whole 16']);
      expect([bitsOf(bytes), samplesOf(bytes).length]).toEqual([16, SIDE * SIDE * channels]);
    }
    const samples = samplesOf((await compress(graphic, ['raw'])).bytes);
    expect([samples[0], samples[5]]).toEqual([1003, 1003 + 5 * 257]);
    const { bytes } = await compress(tinted, ['raw']);
    expect([...samplesOf(bytes).subarray(4, 8)]).toEqual([30_201, 30_202, 30_203, 30_204]);
  });

  it('is searched in 8 bits and delivered in 16 where a photo becomes the format by name', async () => {
    const { bytes, report, encodes } = await compress(photo, ['raw']);
    expect([bitsOf(bytes), report.removed]).toEqual([16, undefined]);
    expect(new Set(encodes)).toEqual(new Set(['loss part 8', 'loss whole 16']));
  });

  it('loses nothing where its own format is accepted too', async () => {
    expect((await compress(photo, ['same', 'raw'])).encodes).toEqual(['exact whole 16']);
  });

  it('is a fault of the format if a sample differs', async () => {
    await expect(compress(graphic, ['raw'], { isFaulty: true })).rejects.toThrow('other samples of 16 bits');
  });

  it.each<[string, Changes, Uint8Array]>([
    ['holds 8 bits', { isDeep: false }, graphic],
    ['holds fewer pixels of 16 bits', { maxPixels: SIDE * SIDE - 1 }, graphic],
  ])('gets 8 bits, which X-Removed says, in a format that %s', async (_, changes, image) => {
    const { bytes, report, encodes } = await compress(image, ['raw'], changes);
    expect([bitsOf(bytes), report.removed]).toEqual([8, ['bit-depth']]);
    expect(encodes.every((name) => name.endsWith(' 8'))).toBe(true);
    expect((await compress(image, ['same', 'raw'], changes)).report.format).toBe('png');
  });

  it('gets 8 bits in a format without alpha, if its alpha rounds to opaque', async () => {
    const nearlyOpaque = deepPngOf(SIDE, 2, (i) => 65_500 + (i % 3));
    const { bytes } = await compress(nearlyOpaque, ['raw'], { hasAlpha: false });
    expect(bitsOf(bytes)).toBe(8);
  });

  it('is rounded with PNG_DEPTH=8', async () => {
    const { bytes, report } = await compress(graphic, ['raw'], {}, { PNG_DEPTH: '8' });
    expect([bitsOf(bytes), report.removed]).toEqual([8, ['bit-depth']]);
  });
});
