/** Runs the conformance kit on the result formats of both engines, and on deliberately broken ones, which must fail it. */
import { FORMATS, type BuiltInFormat } from '../../../src/contract/formats';
import { ENGINE_NAMES, type CodecEngine } from '../../../src/compression/application/codecs.port';
import type { LossyCoding, ResultFormat } from '../../../src/compression/application/result-format.port';
import { getResultFormat } from '../../../src/compression/application/formats';
import { loadEngine } from '../../../src/compression/infrastructure/codecs/engines';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { factsOf, FORMAT_CHECKS } from '../../conformance/format-checks';

const formats = Object.keys(FORMATS) as BuiltInFormat[];

describe.each(ENGINE_NAMES)('the engine %s', (engineName) => {
  let engine: CodecEngine;
  beforeAll(async () => (engine = await loadEngine(engineName)));
  describe.each(formats)('writes %s', (name) => {
    it.each(Object.entries(FORMAT_CHECKS))('%s', (_, check) => check(getResultFormat(engine, name)));
  });
});

const native = (name: BuiltInFormat) => getResultFormat(createNativeEngine(), name);

type Encode = LossyCoding['encode'];
function encoding(name: BuiltInFormat, change: (encode: Encode) => Encode): ResultFormat {
  const format = native(name);
  const lossy = format.lossy.map((coding) => ({ ...coding, encode: change(coding.encode.bind(coding)) }));
  return { ...format, lossy };
}

function decoding(change: (decode: ResultFormat['decode']) => ResultFormat['decode']): ResultFormat {
  const format = native('webp');
  return { ...format, decode: change(format.decode.bind(format)) };
}

const FAULTS: readonly (readonly [fault: string, caughtBy: RegExp, format: () => ResultFormat])[] = [
  [
    'encodes everything with loss',
    /looks the same/,
    () => {
      const format = native('webp');
      const options = { quality: 80, purpose: 'delivery' } as const;
      const encodeLosslessly: ResultFormat['encodeLosslessly'] = (pixels, { metadata }) =>
        format.lossy[0].encode(pixels, { ...options, image: factsOf(pixels), metadata });
      return { ...format, encodeLosslessly };
    },
  ],
  [
    'ignores the quality',
    /a higher quality/,
    () => encoding('avif', (encode) => (pixels, options) => encode(pixels, { ...options, quality: 60 })),
  ],
  [
    'makes alpha opaque',
    /alpha is exact/,
    () =>
      decoding((decode) => async (...file) => {
        const decoded = await decode(...file);
        return { ...decoded, data: decoded.data.map((v, i) => (i % 4 === 3 ? 255 : v)) };
      }),
  ],
  [
    'drops the metadata',
    /metadata/,
    () => encoding('webp', (encode) => (pixels, options) => encode(pixels, { ...options, metadata: {} })),
  ],
  [
    'counts its calls in the file',
    /same bytes/,
    () =>
      encoding('avif', (encode) => {
        let calls = 0;
        return async (...image) => Buffer.concat([await encode(...image), Buffer.of(calls++)]);
      }),
  ],
  [
    'changes the pixels that it gets',
    /same bytes/,
    () =>
      encoding('webp', (encode) => async (pixels, options) => {
        const file = await encode(pixels, options);
        pixels.data[0] ^= 1;
        return file;
      }),
  ],
  [
    'returns the file of another image',
    /at the same time/,
    () =>
      encoding('webp', (encode) => {
        let last: Uint8Array | undefined;
        return async (...image) => {
          const before = last;
          last = await encode(...image);
          return before ?? last;
        };
      }),
  ],
  ['decodes anything', /damaged bytes/, () => decoding(() => (_, original) => Promise.resolve(original))],
  [
    'stretches thin images',
    /thin, tiny/,
    () =>
      decoding((decode) => async (file, original) => ({
        ...(await decode(file, original)),
        width: Math.max(2, original.width),
      })),
  ],
];

it.each(FAULTS)('a format that %s fails the kit', async (_, caughtBy, format) => {
  const [, check] = Object.entries(FORMAT_CHECKS).find(([name]) => caughtBy.test(name))!;
  await expect(check(format())).rejects.toThrow();
});
