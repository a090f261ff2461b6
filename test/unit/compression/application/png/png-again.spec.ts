import { readPngStructure } from '../../../../../src/compression/formats/png/png-structure';
import { pngOfChunks } from '../../../../../src/compression/formats/png/png-chunks';
import { compress } from '../../../../support/compressing';
import { png, screenshot, textured } from '../../../../support/drawn-pngs';
import { decodeIndependently } from '../../../../support/images';

const typesIn = (file: Uint8Array) => readPngStructure(file).chunks.map(({ type }) => type);
const pixelsOf = (file: Uint8Array) => decodeIndependently(file).data;
/** Without the result marker, as after a tool that drops private chunks that are safe to drop. */
const withoutMarker = (file: Uint8Array) =>
  pngOfChunks(readPngStructure(file).chunks.filter(({ type }) => type !== 'icRS'));

it.each([
  ['a palette', screenshot],
  ['a near-lossless result', textured],
] as const)('%s is marked, and never compressed with loss again', async (_, draw) => {
  const first = await compress(png(320, 260, draw), { targetScore: 0.998 });
  expect(typesIn(first.bytes)).toContain('icNL');
  for (const file of [first.bytes, withoutMarker(first.bytes)]) {
    const again = await compress(file, { targetScore: 0.98, minSavingsRatio: 0 });
    expect(pixelsOf(again.bytes)).toEqual(pixelsOf(first.bytes));
    expect(again.report.maxError).toBe(0);
    expect(typesIn(again.bytes)).toContain('icNL');
  }
});

it('a lossless result is not marked as lossy', async () => {
  const { bytes } = await compress(png(320, 260, screenshot), { targetScore: 1 });
  expect(typesIn(bytes)).not.toContain('icNL');
});

it.each([
  ['at a lower target', { targetScore: 0.9999 }, {}],
  ['where loss is allowed', { targetScore: 1 }, {}],
] as const)('a lossless result becomes smaller %s', async (_, before, now) => {
  const first = await compress(png(320, 260, screenshot), before);
  expect(first.report.maxError).toBe(0);
  const { bytes, report } = await compress(first.bytes, now);
  expect(report.skipReason).toBeUndefined();
  expect(bytes.length).toBeLessThan(first.bytes.length * 0.75);
});
