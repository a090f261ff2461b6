/** A decoder starts before this thread prepares the comparison, so that both take the time of one. */
import sharp from 'sharp';
import { compressImage } from '../../../../src/compression/application/recipe';
import { posteriseToFit } from '../../../../src/compression/application/png/png-candidates';
import { preparePng } from '../../../../src/compression/application/png/png-image';
import { Stopwatch, meanwhile } from '../../../../src/compression/application/context';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import * as ssimScore from '../../../../src/compression/domain/score/ssim-score';
import { readSource } from '../../../../src/compression/formats/image-header';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { policy } from '../../../support/default-policy';
import { png, screenshot } from '../../../support/drawn-pngs';
import { photoJpeg } from '../../../support/images';

const photo = photoJpeg(200, 160);
const drawing = png(240, 200, screenshot);
let events: string[];

jest.mock('../../../../src/compression/domain/score/ssim-score', () => {
  const real = jest.requireActual<typeof ssimScore>('../../../../src/compression/domain/score/ssim-score');
  class Observed extends real.ScoreReference {
    constructor(...source: ConstructorParameters<typeof ssimScore.ScoreReference>) {
      events.push('prepares');
      super(...source);
    }
  }
  return { ...real, ScoreReference: Observed };
});

/** Returns codecs that say when a decoder starts and when its pixels are there, which is never at once. */
function observed() {
  const engine = createNativeEngine();
  for (const codec of [engine.jpeg, engine.png, engine.webp, engine.avif]) {
    if (!codec) continue;
    const decode = codec.decode.bind(codec) as (...file: unknown[]) => Promise<never>;
    codec.decode = async (...file: unknown[]) => {
      events.push('decodes');
      const pixels = await decode(...file);
      await new Promise(setImmediate);
      events.push('decoded');
      return pixels;
    };
  }
  return engine;
}

beforeEach(() => {
  events = [];
});

const withPolicy = (asked: Partial<CompressionPolicy>) => async (image: Uint8Array) => {
  await compressImage(image, observed(), { ...policy, ...asked });
};

it.each([
  ['a JPG', photo, withPolicy({})],
  ['a photo as WebP', photo, withPolicy({ formats: ['webp'] })],
  ['a photo as AVIF', photo, withPolicy({ formats: ['avif'] })],
  ['a drawing as AVIF', drawing, withPolicy({ formats: ['avif'] })],
  [
    'a PNG that would grow',
    drawing,
    async (image: Uint8Array) => {
      const source = readSource(image, policy.maxPixels);
      if (source.format !== 'png') throw new Error('This is no PNG');
      const drawn = preparePng(source, { engine: observed(), policy, stopwatch: new Stopwatch() });
      await posteriseToFit(drawn, await drawn.pixels(), 20_000);
    },
  ],
])('%s: what is delivered is decoded while its reference is prepared', async (_, image, run) => {
  await run(await image);
  expect(events.join(' ')).toContain('decodes prepares decoded');
});

it.each(['jpeg', 'png', 'webp', 'avif'] as const)('libvips starts at once: %s', async (format) => {
  const { data: file } = await sharp(await photo)
    .toFormat(format)
    .toBuffer({ resolveWithObject: true });
  const starts = jest.spyOn(sharp.prototype as sharp.Sharp, 'toBuffer');
  const { jpeg, ...others } = createNativeEngine();
  const header = { storedSize: { width: 200, height: 160 }, components: { length: 3 } };
  const decoding =
    format === 'jpeg' ? jpeg.decode(file, { header, orientation: 1 }) : others[format]?.decode(file);
  const { length } = starts.mock.calls;
  starts.mockRestore();
  expect((await decoding)?.width).toBe(200);
  expect(length).toBe(1);
});

it('a failure while preparing is thrown, and that of the decoder is not left unhandled', async () => {
  const fail = () => {
    throw new Error('no memory');
  };
  await expect(meanwhile(Promise.reject(new Error('damaged')), fail)).rejects.toThrow('no memory');
  await expect(meanwhile(Promise.reject(new Error('damaged')), () => 1)).rejects.toThrow('damaged');
});
