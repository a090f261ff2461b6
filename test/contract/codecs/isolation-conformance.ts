/**
 * Requirements that keep images apart: a worker compresses images of several accounts with the same codec, so a result
 * must not depend on earlier images, not even where no viewer shows it.
 */
import assert from 'node:assert/strict';
import type { CodecEngine } from '../../../src/compression/application/codecs.port';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { pngOfPixels } from '../../../src/compression/formats/png/png-rows';
import { randomNumbers } from '../../support/images';
import type { ConformanceCheck } from './pictures';

/** Sizes that fill whole blocks and sizes that do not. */
const SIZES = [
  [1, 1],
  [16, 16],
  [50, 33],
] as const;
const CHANNELS = [1, 3, 4] as const;

function noise(width: number, height: number, channels: Pixels['channels'], seed: number): Pixels {
  const random = randomNumbers(seed);
  const data = Uint8Array.from({ length: width * height * channels }, () => random() * 256);
  return { width, height, channels, data };
}

/** Leaves traces of other images in the memory of the codecs. */
async function compressOthers({ jpeg, png }: CodecEngine, seed: number): Promise<void> {
  for (const channels of CHANNELS) {
    const other = noise(40 + seed * 10, 60, channels, seed);
    await jpeg.encode(other, { quality: 90, chroma: '4:4:4', purpose: 'delivery' });
    await png.optimise(pngOfPixels(other));
  }
}

/** Fails if the bytes differ from one run to the next. */
async function staysSame(
  engine: CodecEngine,
  what: string,
  run: () => Promise<Uint8Array | undefined>,
): Promise<void> {
  const first = await run();
  for (const seed of [1, 2]) {
    await compressOthers(engine, seed);
    const again = await run();
    assert.deepEqual(again && Buffer.from(again), first && Buffer.from(first), what);
  }
}

export const ISOLATION_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'JPEG: a result does not depend on earlier images',
    async run(engine) {
      for (const [width, height] of SIZES) {
        for (const channels of CHANNELS) {
          const image = noise(width, height, channels, 9);
          const what = `${width} x ${height}, ${channels} channels`;
          for (const chroma of ['4:2:0', '4:4:4'] as const) {
            for (const purpose of ['trial', 'delivery'] as const) {
              await staysSame(engine, `${what}, ${chroma} for ${purpose}`, () =>
                engine.jpeg.encode(image, { quality: 80, chroma, purpose }),
              );
            }
          }
          await staysSame(engine, `${what}, former tables`, () =>
            engine.jpeg.encodeWithFormerTables(image, { family: 'engine', quality: 80, chroma: '4:2:0' }),
          );
        }
      }
    },
  },
  {
    name: 'PNG: a result does not depend on earlier images',
    async run(engine) {
      const { png } = engine;
      for (const [width, height] of SIZES) {
        const image = noise(width, height, 4, 9);
        const file = pngOfPixels(image);
        const what = `${width} x ${height}`;
        await staysSame(engine, `${what}, optimised`, () => png.optimise(file));
        await staysSame(engine, `${what}, deflated`, () => png.deflate(image.data, 'balanced'));
        await staysSame(engine, `${what}, turned`, () => png.transform(file, { orientation: 6 }));
        await staysSame(engine, `${what}, palette`, async () => (await png.quantise(image, 90))?.rows);
      }
    },
  },
];
