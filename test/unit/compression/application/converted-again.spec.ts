/** JPGs that were PNGs: sent again, they are recognised like any other JPG of the service. */
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { compress as compressImage, expectUnchanged } from '../../../support/compressing';
import { png, screenshot } from '../../../support/drawn-pngs';

const compress = (file: Uint8Array, changes: Partial<CompressionPolicy>) =>
  compressImage(file, { formats: ['jpeg'], ...changes });

it.each<[string, Partial<CompressionPolicy>]>([
  ['at the usual target', {}],
  ['at a low target', { targetScore: 0.983 }],
  ['for a dense display', { density: 2 }],
  ['within a byte limit', { byteLimit: { maxBytes: 6_000, allowsAny: false } }],
])('%s, a second pass returns the file unchanged', async (_, changes) => {
  const first = await compress(png(160, 120, screenshot), changes);
  expect(first.report.format).toBe('jpeg');
  await expectUnchanged(first.bytes, { formats: ['jpeg'], ...changes });
});

it('a lower target compresses it further', async () => {
  const first = await compress(png(160, 120, screenshot), { targetScore: 0.9953 });
  const again = await compress(first.bytes, { targetScore: 0.983 });
  expect(again.bytes.length).toBeLessThan(first.bytes.length);
});
