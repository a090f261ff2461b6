/**
 * The checks of an engine: the requirements of the recipes. `ics codec test` runs them
 * (docs/adding-a-codec.md). Every check throws an AssertionError with the expected result. jpeg-js and pngjs decode
 * independently; images are compared by similarity, never by bytes.
 */
import assert from 'node:assert/strict';
import { JPEG_CHECKS } from './jpeg-checks';
import { JPEG_DECODING_CHECKS, JPEG_TABLE_CHECKS } from './jpeg-decoding-checks';
import { PNG_CHUNK_CHECKS } from './png-chunk-checks';
import { PNG_CHECKS } from './png-checks';
import type { ConformanceCheck } from './images';
import type { CodecEngine } from '../application/codecs.port';
import { pngOfPixels } from '../formats/png/png-chunks';
import { noise } from './tested-format';

/** Sizes that fill whole blocks and sizes that do not. */
const SIZES = [
  [1, 1],
  [16, 16],
  [50, 33],
] as const;
const CHANNELS = [1, 3, 4] as const;

/** Images of which traces could stay in the memory of the codecs. */
const OTHERS = [1, 2].map((seed) =>
  CHANNELS.map((channels) => noise(40 + seed * 10, 60, channels, seed)).map((pixels) => ({
    pixels,
    file: pngOfPixels(pixels),
  })),
);

interface Step {
  readonly what: string;
  readonly run: () => Promise<Uint8Array | undefined>;
}

/** Fails if the bytes of a step differ once other images were compressed, each time in front of it. */
async function staySame(
  steps: readonly Step[],
  { png }: CodecEngine,
  compressOther: (other: (typeof OTHERS)[number][number]) => Promise<unknown>,
): Promise<void> {
  const first: (Uint8Array | undefined)[] = [];
  for (const { run } of steps) first.push(await run());
  for (const others of OTHERS) {
    for (const { file } of others) await png.optimise(file);
    for (const [i, { what, run }] of steps.entries()) {
      for (const other of others) await compressOther(other);
      const again = await run();
      assert.deepEqual(again && Buffer.from(again), first[i] && Buffer.from(first[i]), what);
    }
  }
}

/**
 * Requirements that keep images apart: a worker compresses images of several accounts with the same codec, so a result
 * must not depend on earlier images, not even where no viewer shows it.
 */
const ISOLATION_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'JPEG: a result does not depend on earlier images',
    async run(engine) {
      const { jpeg } = engine;
      const steps = SIZES.flatMap(([width, height]) =>
        CHANNELS.flatMap((channels): Step[] => {
          const image = noise(width, height, channels, 9);
          const what = `${width} x ${height}, ${channels} channels`;
          const codings = (['4:2:0', '4:4:4'] as const).flatMap((chroma) =>
            (['trial', 'delivery'] as const).map((purpose) => ({ quality: 80, chroma, purpose })),
          );
          return [
            ...codings.map((coding) => ({
              what: `${what}, ${coding.chroma} for ${coding.purpose}`,
              run: () => jpeg.encode(image, coding),
            })),
            {
              what: `${what}, former tables`,
              run: () =>
                jpeg.encodeWithFormerTables(image, { family: 'engine', quality: 80, chroma: '4:2:0' }),
            },
          ];
        }),
      );
      await staySame(steps, engine, ({ pixels }) =>
        jpeg.encode(pixels, { quality: 90, chroma: '4:4:4', purpose: 'delivery' }),
      );
    },
  },
  {
    name: 'PNG: a result does not depend on earlier images',
    async run(engine) {
      const { png } = engine;
      const steps = SIZES.flatMap(([width, height]): Step[] => {
        const image = noise(width, height, 4, 9);
        const file = pngOfPixels(image);
        const what = `${width} x ${height}`;
        return [
          { what: `${what}, optimised`, run: () => png.optimise(file) },
          { what: `${what}, deflated`, run: () => png.deflate(image.data, 'balanced') },
          { what: `${what}, turned`, run: () => png.transform(file, { orientation: 6 }) },
          { what: `${what}, palette`, run: async () => (await png.quantise(image, 90))?.rows },
        ];
      });
      await staySame(steps, engine, ({ file }) => png.optimise(file));
    },
  },
];

export const ENGINE_CHECKS: readonly ConformanceCheck[] = [
  ...JPEG_CHECKS,
  ...JPEG_DECODING_CHECKS,
  ...JPEG_TABLE_CHECKS,
  ...PNG_CHECKS,
  ...PNG_CHUNK_CHECKS,
  ...ISOLATION_CHECKS,
];
