import { findNinePatch } from '../../../../src/compression/application/png/nine-patch-recipe';
import { Stopwatch, type Work } from '../../../../src/compression/application/work';
import { readSource, type PngSource } from '../../../../src/compression/formats/image-header';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../../src/settings/settings';
import { compiledNinePatch, ninePatch, shadow } from '../../../support/nine-patches';

const { policy } = readSettings({}).compression;
const engine = createNativeEngine();
const workOn = (bytes: Uint8Array, changes = {}): Work<PngSource> => ({
  source: readSource(bytes, Infinity) as PngSource,
  engine,
  policy: { ...policy, ...changes },
  stopwatch: new Stopwatch(),
});
const source = ninePatch(60, 40, shadow);
const size = { width: 60, height: 40 };
const broken = (colour: readonly number[]) => ninePatch(60, 40, shadow, { right: () => colour });
const equal = ninePatch(60, 40, (x, y) => shadow(x, y + 1));

/** Compresses with a recipe whose result is the given file, and the upload where no loss is allowed. */
async function compressed(bytes: Uint8Array, lossy: Uint8Array): Promise<Uint8Array> {
  const work = workOn(bytes);
  const found = await findNinePatch(work, (task) =>
    Promise.resolve({
      bytes: task.policy.pngMode === 'lossless' ? bytes : lossy,
      score: 1,
      dimensions: size,
    }),
  );
  if (!found) throw new Error('not recognised');
  return (await found.compress(work)).bytes;
}

it.each([
  [0, 0, 0, 1],
  [0, 0, 0, 0],
  [4, 5, 6, 255],
])(
  'a result whose frame has the colour %i, %i, %i, %i instead is replaced by one without loss',
  async (...colour) => {
    expect(await compressed(source, broken(colour))).toBe(source);
  },
);

it('a result with the same frame is delivered, and any of a compiled one', async () => {
  expect(await compressed(source, equal)).toBe(equal);
  const compiled = compiledNinePatch(60, 40, shadow);
  expect(await compressed(compiled, equal)).toBe(equal);
});

it('counts only while the usual limit does not scale it', async () => {
  const found = async (changes: object) => (await findNinePatch(workOn(source, changes))) !== undefined;
  expect(await found({ maxDimensionPx: 60 })).toBe(true);
  expect(await found({ maxDimensionPx: 59 })).toBe(false);
  expect(await found({ maxDimensionPx: 30, usualMaxDimensionPx: 60 })).toBe(true);
  expect(await found({ maxDimensionPx: 30, usualMaxDimensionPx: 59 })).toBe(false);
});
