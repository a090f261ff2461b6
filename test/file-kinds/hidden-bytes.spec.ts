/** What lies behind the end of a picture: kept, skipped or dropped, never lost without a word. */
import { withSegments } from '../../src/compression/formats/jpeg/jpeg-segments';
import { decodeIndependently, graphicPng, photoJpeg, rmse } from '../support/images';
import {
  directorySegment,
  film,
  GAIN_MAP_KINDS,
  multiPicture,
  smallPicture,
  xmpSegment,
} from '../support/phone-files';
import { withEveryEngine } from './engines';

const zip = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(5000, 7)]);

withEveryEngine((compress) => {
  const returned = async (source: Uint8Array, settings: Readonly<Record<string, string>> = {}) => {
    const { bytes, report } = await compress(source, settings);
    if (report.skipReason) expect(Buffer.from(bytes).equals(Buffer.from(source))).toBe(true);
    return report.skipReason;
  };

  it.each([
    ['MotionPhoto', () => [directorySegment('MotionPhoto', film.length)], Buffer.alloc(0)],
    [
      'MicroVideo',
      () => [
        xmpSegment(`<rdf:Description GCamera:MicroVideo="1" GCamera:MicroVideoOffset="${film.length}"/>`),
      ],
      Buffer.alloc(0),
    ],
    ["Samsung's, behind a block of its own", () => [], Buffer.from('\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data')],
  ])('a motion photo (%s) is skipped, also when it is too large', async (_, segments, before) => {
    const photo = withSegments(await photoJpeg(320, 240, { chroma: '4:4:4' }), segments());
    const source = Buffer.concat([photo, before, film]);
    expect(await returned(source)).toBe('motion-photo');
    expect(await returned(source, { MAX_DIMENSION_PX: '100' })).toBe('motion-photo');
  });

  it('a motion photo with a gain map is skipped too', async () => {
    const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
    const source = Buffer.concat([
      multiPicture(await photoJpeg(320, 240, { chroma: '4:4:4' }), [{ picture: map, type: 0 }]),
      film,
    ]);
    expect(await returned(source)).toBe('motion-photo');
  });

  it('a second view, a depth map, a second gain map: skipped as several pictures', async () => {
    const photo = await photoJpeg(320, 240, { chroma: '4:4:4' });
    const plain = await smallPicture();
    const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
    expect(await returned(multiPicture(photo, [{ picture: plain, type: 0x020002 }]))).toBe('multi-picture');
    expect(await returned(multiPicture(photo, [{ picture: plain, type: 0 }]))).toBe('multi-picture');
    const maps = [map, map].map((picture) => ({ picture, type: 0 }));
    expect(await returned(multiPicture(photo, maps))).toBe('multi-picture');
    const withDepth = withSegments(photo, [directorySegment('Depth', plain.length)]);
    expect(await returned(Buffer.concat([withDepth, plain]))).toBe('multi-picture');
  });

  it('previews, archives and unknown bytes are dropped, and the sizes are true', async () => {
    const photo = await photoJpeg(320, 240, { chroma: '4:4:4' });
    const preview = await smallPicture();
    for (const source of [
      multiPicture(photo, [{ picture: preview, type: 0x010002 }]),
      multiPicture(
        photo,
        [0x010001, 0x010002].map((type) => ({ picture: preview, type })),
      ),
      Buffer.concat([photo, zip]),
      Buffer.concat([graphicPng(120, 90), zip]),
    ]) {
      const picture = source.subarray(0, source.includes(zip) ? -zip.length : undefined);
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      expect([report.originalSize, report.compressedSize]).toEqual([source.length, bytes.length]);
      expect(report.bytesSaved).toBe(source.length - bytes.length);
      expect(Buffer.from(bytes).includes('PK\x03\x04')).toBe(false);
      expect(Buffer.from(bytes).includes('MPF\0')).toBe(false);
      expect(rmse(decodeIndependently(picture), decodeIndependently(bytes))).toBeLessThan(6);
    }
  });
});
