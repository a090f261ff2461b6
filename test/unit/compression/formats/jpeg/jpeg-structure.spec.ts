import {
  isChromaHalved,
  readJpegFrame,
  readJpegStructure,
  unusualFeatures,
} from '../../../../../src/compression/formats/jpeg/jpeg-structure';
import { photoJpeg } from '../../../../support/images';
import { withMetadata } from '../../../../support/jpeg-metadata';

const profile = Buffer.from(Array.from({ length: 140_000 }, (_, i) => i % 251));
const isHalved = async (chroma: '4:2:0' | '4:4:4') =>
  isChromaHalved(readJpegStructure(await photoJpeg(32, 24, { chroma })));

it('reads size, orientation and tables', async () => {
  const structure = readJpegStructure(
    withMetadata(await photoJpeg(40, 24, { quality: 100 }), { orientation: 6 }),
  );
  expect(structure).toMatchObject({ storedSize: { width: 40, height: 24 }, orientation: 6, scans: 1 });
  expect(structure.lumaSteps).toHaveLength(64);
  expect(Math.max(...(structure.lumaSteps ?? []))).toBe(1);
  expect([await isHalved('4:2:0'), await isHalved('4:4:4')]).toEqual([true, false]);
});

it('joins a profile from its parts in any order, and drops one that lacks a part', async () => {
  const jpeg = withMetadata(await photoJpeg(16, 16), { iccProfile: profile });
  const parts = readJpegStructure(jpeg).segments.filter(({ marker }) => marker === 0xe2);
  expect(parts).toHaveLength(3);
  const [first, , last] = parts.map(({ start, end }) => jpeg.subarray(start, end));
  const between = jpeg.subarray(parts[0].end, parts[2].start);
  const arranged = (...middle: Uint8Array[]) =>
    Buffer.concat([jpeg.subarray(0, parts[0].start), ...middle, jpeg.subarray(parts[2].end)]);
  expect(readJpegStructure(arranged(last, between, first)).iccProfile).toEqual(profile);
  for (const wrong of [arranged(first, between), arranged(first, between, first)])
    expect(readJpegStructure(wrong).iccProfile).toBeUndefined();
});

it('refuses a file without a frame or a size, and names what decoders cannot read', async () => {
  const jpeg = await photoJpeg(16, 16);
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  const changed = (at: number, ...bytes: number[]) => {
    const copy = Buffer.from(jpeg);
    copy.set(bytes, frame + at);
    return copy;
  };
  expect(() => readJpegFrame(changed(1, 0xe5))).toThrow('no frame header');
  expect(() => readJpegFrame(changed(5, 0, 0))).toThrow('zero');
  const features = [jpeg, changed(1, 0xc9), changed(4, 12), changed(1, 0xc3, 0, 17, 16)].map(unusualFeatures);
  expect(features).toEqual([
    undefined,
    'arithmetic coding (SOF9)',
    '12-bit samples',
    'lossless coding (SOF3) and 16-bit samples',
  ]);
});
