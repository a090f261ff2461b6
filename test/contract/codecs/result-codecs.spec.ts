/** Runs the conformance suite of result codecs on both engines, and on deliberately broken codecs, which must fail it. */
import { SharpAvifCodec } from '../../../src/compression/infrastructure/codecs/native/sharp-avif.codec';
import { SharpWebpCodec } from '../../../src/compression/infrastructure/codecs/native/sharp-webp.codec';
import { SquooshAvifCodec } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-avif.codec';
import { loadSquooshResultModules } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-result-modules';
import { SquooshWebpCodec } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-webp.codec';
import type { ResultCodecs } from './result-codings';
import { FORMAT_CHECKS } from './result-conformance';

const native = (): ResultCodecs => ({ avif: new SharpAvifCodec(), webp: new SharpWebpCodec() });

const engines = {
  native: () => Promise.resolve(native()),
  squoosh: async () => {
    const modules = await loadSquooshResultModules();
    return {
      avif: new SquooshAvifCodec(() => Promise.resolve(modules)),
      webp: new SquooshWebpCodec(() => Promise.resolve(modules)),
    };
  },
};

describe.each(Object.entries(engines))('the result codecs of the %s engine', (_, load) => {
  let codecs: ResultCodecs;
  beforeAll(async () => {
    codecs = await load();
  });
  it.each(FORMAT_CHECKS)('$name', ({ run }) => run(codecs));
});

const FAULTS: readonly (readonly [
  fault: string,
  caughtBy: RegExp,
  breakIt: (codecs: ResultCodecs) => void,
])[] = [
  [
    'ignores the chroma mode',
    /half the chroma/,
    ({ avif }) => {
      const encode = avif.encode.bind(avif);
      avif.encode = (pixels, options) => encode(pixels, { ...options, chroma: '4:2:0' });
    },
  ],
  [
    'ignores the quality',
    /a higher quality/,
    ({ avif }) => {
      const encode = avif.encode.bind(avif);
      avif.encode = (pixels, options) => encode(pixels, { ...options, quality: 60 });
    },
  ],
  [
    'encodes everything with loss',
    /looks the same/,
    ({ webp }) => {
      const encode = webp.encode.bind(webp);
      webp.encode = (pixels, options) => encode(pixels, { ...options, mode: 'lossy' });
    },
  ],
  [
    'drops the metadata',
    /metadata/,
    ({ webp }) => {
      const encode = webp.encode.bind(webp);
      webp.encode = (pixels, { mode, quality, effort }) => encode(pixels, { mode, quality, effort });
    },
  ],
  [
    'counts its calls in the file',
    /same bytes/,
    ({ avif }) => {
      const encode = avif.encode.bind(avif);
      let calls = 0;
      avif.encode = async (pixels, options) =>
        Buffer.concat([await encode(pixels, options), Buffer.of(calls++)]);
    },
  ],
];

describe('a codec that', () => {
  it.each(FAULTS)('%s fails the suite', async (_, caughtBy, breakIt) => {
    const codecs = native();
    breakIt(codecs);
    const check = FORMAT_CHECKS.find(({ name }) => caughtBy.test(name));
    await expect(check!.run(codecs)).rejects.toThrow();
  });
});
