import { compress, expectUnchanged, policy } from '../../../support/compressing';
import { graphicPng, photoJpeg } from '../../../support/images';

const uploads = {
  JPG: () => photoJpeg(640, 480),
  PNG: () => Promise.resolve(graphicPng(320, 240)),
};

describe.each(Object.entries(uploads))('a %s for a display of density 2', (_, upload) => {
  it('reaches the target as it is seen, and comes back byte for byte at 2 and above', async () => {
    const source = await upload();
    const { bytes, report } = await compress(source, { density: 2 });
    expect(report.density).toBe(2);
    expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
    for (const density of [2, 3]) await expectUnchanged(bytes, { density });
  });
});

it.each(['jpeg', 'avif', 'webp'])('takes fewer bytes as %s', async (format) => {
  const source = await photoJpeg(640, 480);
  const sizes: number[] = [];
  for (const density of [1, 2, 3])
    sizes.push((await compress(source, { density, formats: [format] })).bytes.length);
  expect(sizes[1]).toBeLessThan(0.8 * sizes[0]);
  expect(sizes[2]).toBeLessThan(sizes[1]);
});

it('a JPG for density 2 loses nothing more at density 1, where its losses are seen', async () => {
  const { bytes } = await compress(await photoJpeg(640, 480), { density: 2 });
  const { report } = await compress(bytes, {});
  expect(report.score).toBe(1);
  expect(report.density).toBeUndefined();
});

it('a JPG for density 1 still becomes smaller at density 2', async () => {
  const { bytes } = await compress(await photoJpeg(640, 480), {});
  const { report } = await compress(bytes, { density: 2 });
  expect(report.compressedSize).toBeLessThan(0.9 * bytes.length);
});

it('says at which density a small image was judged', async () => {
  expect((await compress(await photoJpeg(160, 48), { density: 3 })).report.density).toBe(1.5);
});
