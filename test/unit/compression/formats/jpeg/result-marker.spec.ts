import { COM, readJpegHead } from '../../../../../src/compression/formats/jpeg/jpeg-segments';
import { withSegments, withoutSegments } from '../../../../../src/compression/formats/jpeg/segment-writer';
import {
  isResultMarker,
  resultMarker,
  readResultMarker as readMarkerOf,
} from '../../../../../src/compression/formats/jpeg/result-marker';
import { photoJpeg } from '../../../../support/images';
import { withMetadata } from '../../../../support/jpeg-metadata';

const readResultMarker = (jpeg: Uint8Array) => readMarkerOf(jpeg, readJpegHead(jpeg).segments)?.targetScore;

const marked = async (target = 0.9914) => {
  const jpeg = await photoJpeg(64, 48);
  return Buffer.from(withSegments(jpeg, [resultMarker(jpeg, { targetScore: target, density: 1 })]));
};

it.each([0.9, 0.983, 0.9914, 0.99987, 0.995])('reads the target %d back', async (target) => {
  expect(readResultMarker(await marked(target))).toBe(target);
});

it.each([0.99145678, 0.9999999, 0.9000005])('marks the target %d with no higher one', async (target) => {
  const read = readResultMarker(await marked(target));
  expect(read).toBeLessThanOrEqual(target);
  expect(read).toBeCloseTo(target, 5);
});

it('takes at most 32 bytes', async () => {
  expect((await marked()).length - (await photoJpeg(64, 48)).length).toBeLessThanOrEqual(32);
});

it('stays valid when other tools add or remove metadata', async () => {
  const jpeg = withMetadata(await marked(), { orientation: 6, iccProfile: Buffer.alloc(70_000, 5) });
  const commented = withSegments(jpeg, [{ marker: COM, payload: Buffer.from('a holiday') }]);
  expect(readResultMarker(commented)).toBe(0.9914);
  expect(readResultMarker(withoutSegments(commented, ({ marker }) => marker === 0xe0))).toBe(0.9914);
});

it('is invalid after any byte of tables, frame or scans has changed', async () => {
  const jpeg = await marked();
  const tables = jpeg.indexOf(Buffer.of(0xff, 0xdb));
  for (const at of [tables + 8, jpeg.indexOf(Buffer.of(0xff, 0xc0)) + 5, jpeg.length - 20, jpeg.length - 3]) {
    const changed = Buffer.from(jpeg);
    changed[at] ^= 1;
    expect(readResultMarker(changed)).toBeUndefined();
  }
  expect(readResultMarker(jpeg.subarray(0, -4))).toBeUndefined();
});

it('is not read from other comments or from files without one', async () => {
  const jpeg = await photoJpeg(64, 48);
  expect(readResultMarker(jpeg)).toBeUndefined();
  for (const comment of ['ICS1', 'ICS1 0.9914 zzzzzzzz', 'ICS2 0.9914 00000000', 'ICS1 1.9914 00000000']) {
    const segment = { marker: COM, payload: Buffer.from(comment) };
    expect(isResultMarker(segment)).toBe(false);
    expect(readResultMarker(withSegments(jpeg, [segment]))).toBeUndefined();
  }
});
