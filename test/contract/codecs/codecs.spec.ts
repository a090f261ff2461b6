/** Runs the conformance kit on both engines, and on deliberately broken codecs, which must fail it. */
import {
  ENGINE_NAMES,
  type CodecEngine,
  type JpegCodec,
} from '../../../src/compression/application/codecs.port';
import { pngOfPixels } from '../../../src/compression/formats/png/png-chunks';
import { loadEngine } from '../../../src/compression/infrastructure/codecs/engines';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { decodeJpeg, JPEG_CHECKS } from '../../conformance/jpeg-checks';
import { PNG_CHECKS } from '../../conformance/png-checks';

const CHECKS = { ...JPEG_CHECKS, ...PNG_CHECKS };

describe.each(ENGINE_NAMES)('the %s engine', (name) => {
  let engine: CodecEngine;
  beforeAll(async () => (engine = await loadEngine(name)));
  it.each(Object.entries(CHECKS))('%s', (_, check) => check(engine));
});

type Encode = JpegCodec['encode'];
const encoding = (change: (encode: Encode) => Encode) => (engine: CodecEngine) => {
  engine.jpeg.encode = change(engine.jpeg.encode.bind(engine.jpeg));
};

const FAULTS: readonly (readonly [fault: string, caughtBy: RegExp, change: (engine: CodecEngine) => void])[] =
  [
    [
      'ignores the orientation of JPEGs',
      /JPEG: all eight orientations/,
      ({ jpeg }) => {
        const decode = jpeg.decode.bind(jpeg);
        jpeg.decode = (file, options) => decode(file, { ...options, orientation: 1 });
      },
    ],
    [
      'names the steps of another quality',
      /JPEG: writes the quantization steps/,
      ({ jpeg }) => {
        const lumaSteps = jpeg.lumaSteps.bind(jpeg);
        jpeg.lumaSteps = (quality, chroma) => lumaSteps(Math.max(1, quality - 9), chroma);
      },
    ],
    [
      'tries at another quality than it delivers',
      /JPEG: a trial shows/,
      encoding(
        (encode) => (pixels, options) =>
          encode(pixels, { ...options, quality: options.purpose === 'trial' ? 95 : options.quality }),
      ),
    ],
    [
      'decodes trials without colour',
      /JPEG: trials are decoded/,
      ({ jpeg }) => {
        jpeg.decodeTrial = async (file) => {
          const decoded = await decodeJpeg(jpeg, file);
          const { channels, data } = decoded;
          return { ...decoded, data: data.map((_, i) => data[i - (i % channels)]) };
        };
      },
    ],
    [
      'goes back to another coding',
      /JPEG: restores a former/,
      ({ jpeg }) => {
        jpeg.encodeWithFormerTables = (pixels, { quality, chroma }) =>
          jpeg.encode(
            { ...pixels, data: pixels.data.map((v) => v & 0xf0) },
            { quality, chroma, purpose: 'delivery' },
          );
      },
    ],
    [
      'always halves the chroma',
      /JPEG: 4:2:0 has half/,
      encoding((encode) => (pixels, options) => encode(pixels, { ...options, chroma: '4:2:0' })),
    ],
    [
      'calls a lossy rewrite lossless',
      /JPEG: a lossless rewrite/,
      ({ jpeg }) => {
        jpeg.recodeLosslessly = async (file) =>
          jpeg.encode(await decodeJpeg(jpeg, file), { quality: 85, chroma: '4:4:4', purpose: 'delivery' });
      },
    ],
    [
      'delivers what it can of a file cut off',
      /JPEG: garbage/,
      ({ jpeg }) => {
        const decode = jpeg.decode.bind(jpeg);
        jpeg.decode = (file, options) =>
          decode(file, options).catch(() => ({ width: 1, height: 1, channels: 3, data: new Uint8Array(3) }));
      },
    ],
    [
      'gives other bytes every time',
      /JPEG: a result does not depend/,
      encoding((encode) => {
        let calls = 0;
        return async (...image) => Buffer.concat([await encode(...image), Buffer.of(calls++)]);
      }),
    ],
    [
      'keeps a byte of the image before',
      /JPEG: a result does not depend/,
      encoding((encode) => {
        let before = 0;
        return async (pixels, options) => {
          const encoded = Buffer.concat([await encode(pixels, options), Uint8Array.of(before)]);
          before = pixels.data[0];
          return encoded;
        };
      }),
    ],
    [
      'makes PNGs larger',
      /PNG: is optimised without/,
      ({ png }) => {
        const optimise = png.optimise.bind(png);
        png.optimise = async (file) => Buffer.concat([await optimise(file), Buffer.alloc(100_000)]);
      },
    ],
    [
      'loses 16 bits',
      /PNG: 16-bit samples stay/,
      ({ png }) => {
        png.transform = async (file) => pngOfPixels(await png.decode(file));
      },
    ],
    [
      'finds everything equal',
      /PNG: detects a difference/,
      ({ png }) => {
        png.arePixelsEqual = () => Promise.resolve(true);
      },
    ],
  ];

it.each(FAULTS)('an engine that %s fails the kit', async (_, caughtBy, change) => {
  const engine = createNativeEngine();
  change(engine);
  const [, check] = Object.entries(CHECKS).find(([name]) => caughtBy.test(name))!;
  await expect(check(engine)).rejects.toThrow();
});
