import sharp from 'sharp';
import type { Orientation } from '../../src/compression/domain/dimensions';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import {
  decodeIndependently,
  graphicPng,
  photoJpeg,
  photoPixels,
  rawImage,
  difference,
  turned,
} from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import { tiffBlock } from '../support/tiff-block';
import { withEveryEngine } from './engines';

const ALL = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** Three entries, the orientation last although its tag is the smallest, in either byte order. */
const exif = (order: 'II' | 'MM', orientation: number) =>
  tiffBlock(order === 'II', [
    { tag: 0x0213, shorts: [1] },
    { tag: 0x0128, shorts: [2] },
    { tag: 0x0112, shorts: [orientation] },
  ]);

async function displayed(bytes: Uint8Array) {
  const { orientation = 1 } = await sharp(bytes).metadata();
  return { orientation, picture: turned(decodeIndependently(bytes), orientation as Orientation) };
}

withEveryEngine((compress, engine) => {
  describe.each(['II', 'MM'] as const)('byte order %s, entries out of order', (order) => {
    it.each(ALL)('JPEG, orientation %i: upright pixels and no tag left', async (orientation) => {
      const source = withSegments(await photoJpeg(320, 200, { quality: 97 }), [
        exifSegment(exif(order, orientation)),
      ]);
      const { bytes, report } = await compress(source);
      const [before, after] = [await displayed(source), await displayed(bytes)];
      expect(after.orientation).toBe(1);
      expect(difference(before.picture, after.picture)).toBeLessThan(6);
      expect(report.dimensions).toEqual({ width: after.picture.width, height: after.picture.height });
      expect(report.originalDimensions).toEqual(report.dimensions);
    });

    it.each(ALL)('PNG with eXIf, orientation %i: upright pixels and no tag left', async (orientation) => {
      const source = withChunks(graphicPng(64, 40), [pngChunk('eXIf', exif(order, orientation))]);
      const { bytes } = await compress(source);
      const before = turned(decodeIndependently(source), orientation);
      const after = await displayed(bytes);
      expect(after.orientation).toBe(1);
      expect(difference(before, after.picture)).toBe(0);
    });
  });

  if (engine === 'native')
    it.each(ALL)(
      'JPEG, rewritten losslessly, orientation %i: pixels and tag as they were',
      async (orientation) => {
        const tight = await rawImage(photoPixels(160, 96)).jpeg({ quality: 50 }).toBuffer();
        const source = withSegments(tight, [
          exifSegment(exif('II', orientation)),
          { marker: 0xfe, payload: Buffer.alloc(2000) },
        ]);
        const { bytes, report } = await compress(source);
        expect([report.skipReason, report.score]).toEqual([undefined, 1]);
        const [before, after] = [await displayed(source), await displayed(bytes)];
        expect(after.orientation).toBe(orientation);
        expect(difference(before.picture, after.picture)).toBe(0);
      },
    );

  it('JPEG with another sixth byte in the header of EXIF: rotated, as browsers do', async () => {
    const { payload } = exifSegment(exif('II', 6));
    payload.set([0xff], 5);
    const source = withSegments(await photoJpeg(160, 100, { quality: 97 }), [{ marker: 0xe1, payload }]);
    const { bytes, report } = await compress(source);
    expect(report.dimensions).toEqual({ width: 100, height: 160 });
    expect(bytes.includes('Exif')).toBe(false);
    expect(difference(turned(decodeIndependently(source), 6), bytes)).toBeLessThan(6);
  });
});
