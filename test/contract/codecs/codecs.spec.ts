/** Runs the conformance suite on every engine, and on deliberately broken ones, which must fail it. */
import type { CodecEngine } from '../../../src/compression/application/codecs.port';
import { pngOfPixels } from '../../../src/compression/formats/png/png-chunks';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { createSquooshEngine } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-engine';
import { ENGINE_CHECKS } from '../../../src/compression/conformance/engine-checks';
import { decodeJpeg } from '../../../src/compression/conformance/images';
import { createToyEngine } from './toy-engine';

const engines = {
  native: () => Promise.resolve(createNativeEngine()),
  squoosh: createSquooshEngine,
  toy: () => Promise.resolve(createToyEngine()),
};

describe.each(Object.entries(engines))('the %s engine', (_, load) => {
  let engine: CodecEngine;
  beforeAll(async () => {
    engine = await load();
  });
  it.each(ENGINE_CHECKS)('$name', ({ run }) => run(engine));
});

/** Returns the native engine with one method replaced. */
function broken(fault: (engine: CodecEngine) => void): CodecEngine {
  const engine = createNativeEngine();
  fault(engine);
  return engine;
}

const FAULTS: readonly (readonly [fault: string, caughtBy: RegExp, engine: () => CodecEngine])[] = [
  [
    'ignores the orientation of JPEGs',
    /JPEG: all eight orientations/,
    () =>
      broken(({ jpeg }) => {
        const decode = jpeg.decode.bind(jpeg);
        jpeg.decode = (file, options) => decode(file, { ...options, orientation: 1 });
      }),
  ],
  [
    'ignores the quality',
    /JPEG: a higher quality/,
    () =>
      broken(({ jpeg }) => {
        const encode = jpeg.encode.bind(jpeg);
        jpeg.encode = (pixels, options) => encode(pixels, { ...options, quality: 80 });
      }),
  ],
  [
    'names the steps of another quality',
    /JPEG: the quantization steps/,
    () =>
      broken(({ jpeg }) => {
        const lumaSteps = jpeg.lumaSteps.bind(jpeg);
        jpeg.lumaSteps = (quality, chroma) => lumaSteps(Math.max(1, quality - 9), chroma);
      }),
  ],
  [
    'tries at another quality than it delivers',
    /JPEG: a trial encode/,
    () =>
      broken(({ jpeg }) => {
        const encode = jpeg.encode.bind(jpeg);
        jpeg.encode = (pixels, options) =>
          encode(pixels, { ...options, quality: options.purpose === 'trial' ? 95 : options.quality });
      }),
  ],
  [
    'decodes trials without colour',
    /JPEG: a trial is decoded/,
    () =>
      broken(({ jpeg }) => {
        jpeg.decodeTrial = async (file) => {
          const decoded = await decodeJpeg(jpeg, file);
          const { channels, data } = decoded;
          return { ...decoded, data: data.map((_, i) => data[i - (i % channels)]) };
        };
      }),
  ],
  [
    'goes back to another coding',
    /JPEG: restores a former/,
    () =>
      broken(({ jpeg }) => {
        jpeg.encodeWithFormerTables = (pixels, { quality, chroma }) =>
          jpeg.encode(
            { ...pixels, data: pixels.data.map((v) => v & 0xf0) },
            { quality, chroma, purpose: 'delivery' },
          );
      }),
  ],
  [
    'always halves the chroma',
    /JPEG: 4:2:0 has half/,
    () =>
      broken(({ jpeg }) => {
        const encode = jpeg.encode.bind(jpeg);
        jpeg.encode = (pixels, options) => encode(pixels, { ...options, chroma: '4:2:0' });
      }),
  ],
  [
    'calls a lossy rewrite lossless',
    /JPEG: a lossless rewrite/,
    () =>
      broken(({ jpeg }) => {
        jpeg.recodeLosslessly = async (file) =>
          jpeg.encode(await decodeJpeg(jpeg, file), {
            quality: 85,
            chroma: '4:4:4',
            purpose: 'delivery',
          });
      }),
  ],
  [
    'delivers what it can of a file cut off',
    /JPEG: garbage/,
    () =>
      broken(({ jpeg }) => {
        const decode = jpeg.decode.bind(jpeg);
        jpeg.decode = (file, options) =>
          decode(file, options).catch(() => ({ width: 1, height: 1, channels: 3, data: new Uint8Array(3) }));
      }),
  ],
  [
    'gives other bytes every time',
    /JPEG: the same input/,
    () =>
      broken(({ jpeg }) => {
        const encode = jpeg.encode.bind(jpeg);
        let calls = 0;
        jpeg.encode = async (pixels, options) =>
          Buffer.concat([await encode(pixels, options), Buffer.of(calls++)]);
      }),
  ],
  [
    'makes PNGs larger',
    /PNG: is optimised without/,
    () =>
      broken(({ png }) => {
        const optimise = png.optimise.bind(png);
        png.optimise = async (file) => Buffer.concat([await optimise(file), Buffer.alloc(100_000)]);
      }),
  ],
  [
    'loses 16 bits',
    /PNG: 16-bit samples/,
    () =>
      broken(({ png }) => {
        png.transform = async (file) => pngOfPixels(await png.decode(file));
      }),
  ],
  [
    'keeps a byte of the image before',
    /JPEG: a result does not depend/,
    () =>
      broken(({ jpeg }) => {
        const encode = jpeg.encode.bind(jpeg);
        let before = 0;
        jpeg.encode = async (pixels, options) => {
          const encoded = Buffer.concat([await encode(pixels, options), Uint8Array.of(before)]);
          before = pixels.data[0];
          return encoded;
        };
      }),
  ],
  [
    'finds everything equal',
    /PNG: detects a difference/,
    () => broken(({ png }) => (png.arePixelsEqual = () => Promise.resolve(true))),
  ],
];

describe('an engine that', () => {
  it.each(FAULTS)('%s fails the suite', async (_, caughtBy, load) => {
    const engine = load();
    const check = ENGINE_CHECKS.find(({ name }) => caughtBy.test(name));
    await expect(check!.run(engine)).rejects.toThrow();
  });
});
