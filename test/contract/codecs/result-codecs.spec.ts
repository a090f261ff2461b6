/** Runs the conformance kit on the result formats of both engines, and on deliberately broken ones, which must fail it. */
import { RESULT_FORMATS, type BuiltInFormat } from '../../../src/contract/formats';
import type { CodecEngine } from '../../../src/compression/application/codecs.port';
import type { LossyCoding, ResultFormat } from '../../../src/compression/application/result-format.port';
import { resultFormatOf } from '../../../src/compression/application/results/result-formats';
import { checksOf } from '../../../src/compression/conformance/format-checks';
import type { TestedFormat } from '../../../src/compression/conformance/tested-format';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { createSquooshEngine } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-engine';

const engines = { native: () => Promise.resolve(createNativeEngine()), squoosh: createSquooshEngine };
const formats = Object.keys(RESULT_FORMATS) as BuiltInFormat[];

describe.each(Object.entries(engines))('the engine %s', (_, load) => {
  let engine: CodecEngine;
  beforeAll(async () => {
    engine = await load();
  });
  describe.each(formats)('writes %s', (name) => {
    it.each(checksOf(resultFormatOf(createNativeEngine(), name)))('$name', ({ run }) =>
      run(resultFormatOf(engine, name)),
    );
  });
});

/** Returns a format whose encoders give what `change` makes of their files. */
function encodingAs(
  name: BuiltInFormat,
  change: (encode: () => Promise<Uint8Array>, image: { readonly data: Uint8Array }) => Promise<Uint8Array>,
): TestedFormat {
  const { encodeLosslessly, lossy, ...format } = resultFormatOf(createNativeEngine(), name);
  return {
    ...format,
    ...(encodeLosslessly
      ? { encodeLosslessly: (pixels, options) => change(() => encodeLosslessly(pixels, options), pixels) }
      : {}),
    lossy: lossy.map((coding) => ({
      ...coding,
      encode: (pixels, options) => change(() => coding.encode(pixels, options), pixels),
    })),
  };
}

function withLossy(name: BuiltInFormat, encode: (of: ResultFormat['lossy'][number]) => object): TestedFormat {
  const format = resultFormatOf(createNativeEngine(), name);
  return { ...format, lossy: format.lossy.map((coding) => ({ ...coding, ...encode(coding) })) };
}

let calls = 0;
let last: Uint8Array | undefined;
const webp = () => resultFormatOf(createNativeEngine(), 'webp');

const FAULTS: readonly (readonly [fault: string, caughtBy: RegExp, format: () => TestedFormat])[] = [
  [
    'encodes everything with loss',
    /looks the same/,
    () => {
      const { lossy, ...format } = webp();
      const image = {
        effort: 'fast',
        pixelCount: 1,
        isPhoto: true,
        density: 1,
        targetScore: 0.9914,
      } as const;
      const purpose = 'delivery';
      const encodeLosslessly: ResultFormat['encodeLosslessly'] = (pixels, { metadata }) =>
        lossy[0].encode(pixels, { quality: 80, purpose, image, metadata });
      return { ...format, encodeLosslessly, lossy };
    },
  ],
  [
    'ignores the quality',
    /a higher quality/,
    () =>
      withLossy('avif', (coding) => ({
        encode: ((pixels, options) =>
          coding.encode(pixels, { ...options, quality: 60 })) satisfies LossyCoding['encode'],
      })),
  ],
  [
    'makes alpha opaque',
    /alpha is exact/,
    () => {
      const format = webp();
      return {
        ...format,
        decode: async (file, original) => {
          const decoded = await format.decode(file, original);
          return { ...decoded, data: decoded.data.map((v, i) => (i % 4 === 3 ? 255 : v)) };
        },
      };
    },
  ],
  [
    'drops the metadata',
    /metadata/,
    () =>
      withLossy('webp', (coding) => ({
        encode: ((pixels, options) =>
          coding.encode(pixels, { ...options, metadata: {} })) satisfies LossyCoding['encode'],
      })),
  ],
  [
    'counts its calls in the file',
    /same bytes/,
    () =>
      encodingAs('avif', async (encode) =>
        Buffer.concat([await encode(), Buffer.of((calls = (calls + 1) % 256))]),
      ),
  ],
  [
    'changes the pixels that it gets',
    /same bytes/,
    () =>
      encodingAs('webp', async (encode, { data }) => {
        const file = await encode();
        data[0] ^= 1;
        return file;
      }),
  ],
  [
    'returns the file of another image',
    /at the same time/,
    () =>
      encodingAs('webp', async (encode) => {
        const before = last;
        last = await encode();
        return before ?? last;
      }),
  ],
  [
    'decodes anything',
    /damaged bytes/,
    () => ({ ...webp(), decode: (_, original) => Promise.resolve(original) }),
  ],
  [
    'stretches thin images',
    /thin, tiny/,
    () => {
      const format = webp();
      return {
        ...format,
        decode: async (file, original) => ({
          ...(await format.decode(file, original)),
          width: Math.max(2, original.width),
        }),
      };
    },
  ],
];

describe('a format that', () => {
  it.each(FAULTS)('%s fails the kit', async (_, caughtBy, format) => {
    const broken = format();
    const check = checksOf(broken).find(({ name }) => caughtBy.test(name));
    await expect(check!.run(broken)).rejects.toThrow();
  });
});
