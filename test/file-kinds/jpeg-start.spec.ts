/** JPG results begin with JFIF or EXIF, which many programs require, and state the resolution of the upload. */
import sharp from 'sharp';
import { uint32s } from '../../src/compression/formats/bytes';
import { readJpegFile, type JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { withSegments, withoutSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { readChunks, pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { graphicPng, photoJpeg, photoPixels, rawImage, difference } from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import { tiffBlock } from '../support/tiff-block';
import { expectUnchanged, withEveryEngine } from './engines';

const FAST = { EFFORT: 'fast' };
const jfif = (unit: number, x: number, y: number): JpegSegment => ({
  marker: 0xe0,
  payload: Buffer.from([...Buffer.from('JFIF\0'), 1, 1, unit, x >> 8, x & 255, y >> 8, y & 255, 0, 0]),
});
const exif = (x: number, y = x, orientation = 1) =>
  exifSegment(
    tiffBlock(true, [
      { tag: 0x010f, ascii: 'SecretCamera' },
      { tag: 0x0112, shorts: [orientation] },
      { tag: 0x011a, rationals: [x, 1] },
      { tag: 0x011b, rationals: [y, 1] },
      { tag: 0x0128, shorts: [2] },
      { tag: 0x8298, ascii: '2026 Jane Owner' },
    ]),
  );
/** Unit and density of the JFIF header with which a file begins. */
function densityOf(jpeg: Uint8Array) {
  const bytes = Buffer.from(jpeg);
  if (bytes.toString('latin1', 2, 11) !== '\xff\xe0\0\x10JFIF\0') return undefined;
  return [bytes[13], bytes.readUInt16BE(14), bytes.readUInt16BE(16)];
}
const startsWithExif = (jpeg: Uint8Array) => Buffer.from(jpeg).toString('latin1', 6, 12) === 'Exif\0\0';
const photo = (...segments: JpegSegment[]) =>
  photoJpeg(160, 120, { chroma: '4:4:4', quality: 97 }).then((jpeg) => withSegments(jpeg, segments));
const phys = (perMetre: number) =>
  pngChunk('pHYs', Buffer.concat([uint32s(perMetre, perMetre), Buffer.of(1)]));

withEveryEngine((compress, engine) => {
  it.each([
    ['none', [], [0, 1, 1]],
    ['72 dpi', [jfif(1, 72, 72)], [1, 72, 72]],
    ['300 dpi', [jfif(1, 300, 300)], [1, 300, 300]],
    ['118 per centimetre', [jfif(2, 118, 118)], [2, 118, 118]],
    ['the shape of its pixels', [jfif(0, 10, 11)], [0, 10, 11]],
    ['300 dpi in EXIF', [exif(300)], [1, 300, 300]],
    ['300 dpi in EXIF, and none in JFIF', [jfif(0, 1, 1), exif(300)], [1, 300, 300]],
    ['72 dpi in JFIF, and 300 in EXIF', [jfif(1, 72, 72), exif(300)], [1, 72, 72]],
    ['a broken one', [jfif(1, 0, 300)], [0, 1, 1]],
  ] as const)('an upload with %s', async (_, segments, expected) => {
    const source = await photo(...segments);
    for (const KEEP_METADATA of ['none', 'copyright', 'all']) {
      const { bytes } = await compress(source, { ...FAST, KEEP_METADATA });
      expect(densityOf(bytes)).toEqual(expected);
      await expectUnchanged(compress, bytes, { ...FAST, KEEP_METADATA });
    }
  });

  it('JFIF is all that is added to a result without other metadata', async () => {
    const { bytes } = await compress(await photo(), FAST);
    const rest = withoutSegments(bytes, ({ marker }) => marker === 0xe0);
    expect(bytes.length - rest.length).toBe(18);
    expect(readJpegFile(rest).segments[0].marker).toBe(0xfe);
    // Results of earlier versions begin with the comment that marks them.
    await expectUnchanged(compress, rest, FAST);
  });

  it.each([
    ['scaled, of 300 dpi', jfif(1, 300, 300), '80', [1, 150, 150]],
    ['scaled, of 72 dpi', jfif(1, 72, 72), '80', [1, 72, 72]],
    ['scaled, of oblong pixels', jfif(0, 10, 11), '80', [0, 10, 11]],
    ['rotated, of oblong pixels', exif(200, 100, 6), '160', [1, 100, 200]],
  ])('print size and shape stay: %s', async (_, segment, MAX_DIMENSION_PX, expected) => {
    const { bytes } = await compress(await photo(segment), { ...FAST, MAX_DIMENSION_PX });
    expect(densityOf(bytes)).toEqual(expected);
  });

  it('of a PNG with 300 dpi, and a PNG of a JPG with 300 dpi', async () => {
    const png = withChunks(graphicPng(64, 48), [phys(11811)]);
    const physicalAfter = async (source: Uint8Array, settings = {}) => {
      const { bytes } = await compress(source, { ...FAST, ...settings });
      return readChunks(bytes).filter(({ type }) => type === 'pHYs');
    };
    expect(await physicalAfter(png)).toEqual([phys(11811)]);
    expect(await physicalAfter(png, { MAX_DIMENSION_PX: '32' })).toEqual([phys(5906)]);
    expect(await physicalAfter(withChunks(graphicPng(64, 48), [phys(2835)]))).toEqual([]);
    expect(await physicalAfter(await photo(jfif(1, 300, 300)), { FORMAT: 'png' })).toEqual([phys(11811)]);
    const opaque = await rawImage(photoPixels(80, 60)).png().toBuffer();
    const { bytes } = await compress(withChunks(opaque, [phys(11811)]), { ...FAST, FORMAT: 'jpeg' });
    expect(densityOf(bytes)).toEqual([1, 300, 300]);
  });

  it('a copy without metadata begins like any result', async () => {
    const never = { ...FAST, MIN_SAVINGS_PERCENT: '90' };
    const plain = await photoJpeg(160, 120, { quality: 40 });
    const secret = { marker: 0xe5, payload: Buffer.from('Secret, and more of it') };
    const copyOf = async (...segments: JpegSegment[]) => {
      const { bytes } = await compress(withSegments(plain, [...segments, secret]), never);
      expect(bytes.includes('Secret')).toBe(false);
      await expectUnchanged(compress, bytes, never);
      return bytes;
    };
    expect(densityOf(await copyOf())).toEqual([0, 1, 1]);
    expect(densityOf(await copyOf(jfif(1, 72, 72)))).toEqual([1, 72, 72]);
    expect(densityOf(await copyOf(exif(72)))).toEqual([0, 1, 1]);
    expect(densityOf(await copyOf(exif(300)))).toEqual([1, 300, 300]);
  });

  if (engine === 'native') {
    const small = { ...FAST, MIN_SAVINGS_PERCENT: '0' };

    it('a lossless rewrite of YCbCr and of grey', async () => {
      for (const isGrey of [false, true]) {
        const tight = await rawImage(photoPixels(160, 120))
          .toColourspace(isGrey ? 'b-w' : 'srgb')
          .jpeg({ quality: 30 })
          .toBuffer();
        const source = withSegments(tight, [exif(300)]);
        const { bytes, report } = await compress(source, small);
        expect(report.score).toBe(1);
        expect(densityOf(bytes)).toEqual([1, 300, 300]);
      }
    });

    /** Stored without a conversion, and without JFIF, by which decoders would take it for YCbCr. */
    it.each([
      ['RGB', 3, 'Adobe\0\x64\0\0\0\0\0'],
      ['CMYK', 4, undefined],
    ] as const)(
      '%s begins with EXIF, which states the resolution, and never with JFIF',
      async (name, channels, adobe) => {
        const coded = await rawImage(photoPixels(160, 120))
          .toColourspace(name === 'CMYK' ? 'cmyk' : 'srgb')
          .jpeg({ quality: 30, chromaSubsampling: '4:4:4' })
          .toBuffer();
        const bare = withSegments(
          withoutSegments(coded, ({ marker }) => marker === 0xe0),
          adobe ? [{ marker: 0xee, payload: Buffer.from(adobe, 'latin1') }] : [],
        );
        for (const [segments, length] of [
          [[exif(300)], 80],
          [[], 40],
        ] as const) {
          const source = withSegments(bare, [...segments, { marker: 0xfe, payload: Buffer.alloc(2000) }]);
          const { bytes, report } = await compress(source, small);
          expect([report.skipReason, report.score, (await sharp(bytes).metadata()).channels]).toEqual([
            undefined,
            1,
            channels,
          ]);
          expect([startsWithExif(bytes), bytes.includes('JFIF')]).toEqual([true, false]);
          const { density, exif: block } = await sharp(bytes).metadata();
          expect(density).toBe(segments.length > 0 ? 300 : 72);
          expect(block?.length).toBeLessThan(length);
          expect(difference(bytes, source)).toBe(0);
          await expectUnchanged(compress, bytes, small);
        }
      },
    );
  }
});
