import {
  continued,
  lacksOnlyItsEnd,
  withoutPadding,
} from '../../../../../src/compression/formats/jpeg/end-marker';
import { readJpegFile } from '../../../../../src/compression/formats/jpeg/jpeg-segments';
import { photoJpeg, type JpegOptions } from '../../../../support/images';
import { segment } from '../../../../support/jpeg-metadata';

const isWhole = (bytes: Uint8Array) => lacksOnlyItsEnd(bytes, readJpegFile(bytes));
const unended = async (options: JpegOptions = {}) => (await photoJpeg(48, 32, options)).subarray(0, -2);
const scansOf = (bytes: Buffer) =>
  Array.from(bytes.keys()).filter((at) => bytes[at] === 0xff && bytes[at + 1] === 0xda);

it('counts a progressive file as whole only with all of its scans', async () => {
  const jpeg = await unended({ progressive: true });
  expect(isWhole(jpeg)).toBe(true);
  for (const at of scansOf(jpeg)) expect(isWhole(jpeg.subarray(0, at))).toBe(false);
});

it.each([
  ['8 × 8 px', { chroma: '4:4:4' }, 8],
  ['16 × 16 px', { chroma: '4:2:0' }, 2],
  ['8 × 8 px of one component, in the last scan', { chroma: '4:2:0', progressive: true }, 8],
] as const)(
  'counts the restart markers where a file has an interval: units of %s',
  async (_, options, interval) => {
    const jpeg = await unended(options);
    const [scan] = scansOf(jpeg);
    // 48 × 32 px are 24 small units or 6 large ones: two markers are needed.
    const restarted = (...markers: number[]) =>
      Buffer.concat([
        jpeg.subarray(0, scan),
        segment(0xdd, Buffer.of(0, interval)),
        jpeg.subarray(scan),
        ...markers.map((marker) => Buffer.of(0xff, marker, 1)),
      ]);
    expect([restarted(), restarted(0xd0), restarted(0xd0, 0xd1)].map(isWhole)).toEqual([false, false, true]);
  },
);

it('drops padding and half an end marker, but not the zeros with which a scan may end', () => {
  const data = Buffer.of(1, 2, 0, 0);
  expect(withoutPadding(data)).toEqual(data);
  expect(withoutPadding(Buffer.concat([data, Buffer.alloc(6)]))).toEqual(Buffer.of(1, 2));
  expect(withoutPadding(Buffer.of(1, 2, 0xff))).toEqual(Buffer.of(1, 2));
  expect(continued(data, Buffer.of(9))).toEqual(Buffer.of(1, 2, 0, 0, 9, 0xff, 0xd9));
});
