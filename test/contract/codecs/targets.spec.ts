/** Runs the conformance suite of target codecs on both engines, and on deliberately broken codecs, which must fail it. */
import { SharpAvifCodec } from '../../../src/compression/infrastructure/codecs/native/sharp-avif.codec';
import { SharpWebpCodec } from '../../../src/compression/infrastructure/codecs/native/sharp-webp.codec';
import { SquooshAvifCodec } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-avif.codec';
import { loadSquooshTargetModules } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-target-modules';
import { SquooshWebpCodec } from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-webp.codec';
import type { TargetCodecs } from './target-codings';
import { TARGET_CHECKS } from './target-conformance';

const native = (): TargetCodecs => ({ avif: new SharpAvifCodec(), webp: new SharpWebpCodec() });

const engines = {
  native: () => Promise.resolve(native()),
  squoosh: async () => {
    const modules = await loadSquooshTargetModules();
    return {
      avif: new SquooshAvifCodec(() => Promise.resolve(modules)),
      webp: new SquooshWebpCodec(() => Promise.resolve(modules)),
    };
  },
};

describe.each(Object.entries(engines))('the target codecs of the %s engine', (_, load) => {
  let codecs: TargetCodecs;
  beforeAll(async () => {
    codecs = await load();
  });
  it.each(TARGET_CHECKS)('$name', ({ run }) => run(codecs));
});

const FAULTS: readonly (readonly [
  fault: string,
  caughtBy: RegExp,
  breakIt: (codecs: TargetCodecs) => void,
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
    const check = TARGET_CHECKS.find(({ name }) => caughtBy.test(name));
    await expect(check!.run(codecs)).rejects.toThrow();
  });
});
