/** With `all`, what EXIF says about pixels is true of the new ones. */
import { exifToKeep } from '../../../../src/compression/formats/exif';
import { planReshaping, type WrittenMetadata } from '../../../../src/compression/formats/reshaping';
import { TiffReader } from '../../../../src/compression/formats/tiff';
import { tiffBlock } from '../../../support/tiff-block';

const EXIF = 0x8769;
const block = (isLittleEndian: boolean) =>
  tiffBlock(isLittleEndian, [
    { tag: 0x0112, shorts: [1] },
    { tag: 0x011a, rationals: [300, 1] },
    { tag: 0x011b, rationals: [600, 1] },
    { tag: 0x0128, shorts: [2] },
    {
      tag: EXIF,
      directory: [
        { tag: 0xa002, shorts: [400] },
        { tag: 0xa003, shorts: [300] },
      ],
    },
  ]);
const updatedExif = (tiff: Uint8Array, now: Omit<WrittenMetadata, 'keep'>) =>
  exifToKeep(tiff, { ...now, keep: 'all' })!;
/** Numbers by tag; rationals as quotients. */
function numbersIn(tiff: Uint8Array): Record<number, number> {
  const reader = TiffReader.open(tiff)!;
  const first = reader.directory();
  const exif = reader.subdirectory(first.entries.get(EXIF))!;
  const all = [...first.entries, ...exif.entries];
  return Object.fromEntries(
    all.map(([tag, { type, at }]) => [
      tag,
      type === 3 ? reader.uint16(at) : reader.uint32(at) / reader.uint32(at + 4),
    ]),
  );
}

describe.each([true, false])('little-endian: %s', (isLittleEndian) => {
  it('scaled by half: sizes and resolutions follow', () => {
    const dimensions = { width: 200, height: 150 };
    const reshaped = planReshaping({ width: 400, height: 300 }, dimensions, 1);
    const found = numbersIn(updatedExif(block(isLittleEndian), { orientation: 1, dimensions, reshaped }));
    expect(found).toMatchObject({ 0x011a: 150, 0x011b: 300, 0xa002: 200, 0xa003: 150 });
  });

  it('not reshaped: nothing changes', () => {
    const source = block(isLittleEndian);
    const same = updatedExif(source, { orientation: 1, dimensions: { width: 400, height: 300 } });
    expect(same).toEqual(source);
  });
});
