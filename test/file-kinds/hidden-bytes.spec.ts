/** Data after the end of an image is kept or removed, and the report names what was removed. */
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { decodeIndependently, graphicPng, photoJpeg, rmse } from '../support/images';
import {
  directorySegment,
  motionVideo,
  GAIN_MAP_KINDS,
  multiPicture,
  smallPicture,
  xmpSegment,
} from '../support/phone-files';
import { withEveryEngine } from './engines';

const zip = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(5000, 7)]);

withEveryEngine((compress) => {
  const KEPT = { KEEP_COMPANIONS: 'all' };
  /** Why the file is returned unchanged with these settings. */
  const skipReason = async (source: Uint8Array, settings: Readonly<Record<string, string>> = {}) => {
    const { bytes, report } = await compress(source, settings);
    if (report.skipReason) expect(Buffer.from(bytes).equals(Buffer.from(source))).toBe(true);
    return report.skipReason;
  };
  /** The result contains only the still image. */
  const still = async (
    photo: Uint8Array,
    source: Uint8Array,
    settings: Readonly<Record<string, string>> = {},
  ) => {
    const { bytes, report } = await compress(source, settings);
    expect(report.skipReason).toBeUndefined();
    expect(bytes.length).toBeLessThan(photo.length);
    if (!settings['MAX_DIMENSION_PX'])
      expect(rmse(decodeIndependently(photo), decodeIndependently(bytes))).toBeLessThan(6);
    return { bytes: Buffer.from(bytes), report };
  };

  it.each([
    ['MotionPhoto', () => [directorySegment('MotionPhoto', motionVideo.length)], Buffer.alloc(0)],
    [
      'MicroVideo',
      () => [
        xmpSegment(
          `<rdf:Description GCamera:MicroVideo="1" GCamera:MicroVideoOffset="${motionVideo.length}"/>`,
        ),
      ],
      Buffer.alloc(0),
    ],
    ["Samsung's, behind a block of its own", () => [], Buffer.from('\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data')],
  ])(
    'compresses and scales the still image of a motion photo (%s), and removes the video',
    async (_, segments, before) => {
      const photo = withSegments(await photoJpeg(320, 240, { chroma: '4:4:4' }), segments());
      const source = Buffer.concat([photo, before, motionVideo]);
      for (const settings of [{}, { MAX_DIMENSION_PX: '100' }, { KEEP_METADATA: 'all' }]) {
        const { bytes, report } = await still(photo, source, settings);
        expect(report.removed).toEqual(['motion-video']);
        expect(bytes.includes('ftyp')).toBe(false);
        expect(/M(otionPhoto|icroVideo)="1"/.test(bytes.toString('latin1'))).toBe(false);
      }
      expect(await skipReason(source, KEPT)).toBe('motion-photo');
      expect(await skipReason(source, { ...KEPT, MAX_DIMENSION_PX: '100' })).toBe('motion-photo');
    },
  );

  it('a motion photo with a gain map keeps the map', async () => {
    const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
    const photo = await photoJpeg(320, 240, { chroma: '4:4:4' });
    const source = Buffer.concat([multiPicture(photo, [{ picture: map, type: 0 }]), motionVideo]);
    const { bytes, report } = await compress(source);
    expect(report.removed).toEqual(['motion-video']);
    expect(Buffer.from(bytes).includes('hdr-gain-map')).toBe(true);
    expect(await skipReason(source, KEPT)).toBe('motion-photo');
    const bare = await compress(source, { KEEP_COMPANIONS: 'none', KEEP_METADATA: 'all' });
    expect(bare.report.removed).toEqual(['motion-video', 'gain-map']);
    expect(Buffer.from(bare.bytes).includes('hdr-gain-map')).toBe(false);
  });

  it('removes and reports a second view, a depth map and a second gain map', async () => {
    const photo = await photoJpeg(320, 240, { chroma: '4:4:4' });
    const plain = await smallPicture();
    const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
    const withDepth = withSegments(photo, [directorySegment('Depth', plain.length)]);
    for (const source of [
      multiPicture(photo, [{ picture: plain, type: 0x020002 }]),
      multiPicture(photo, [{ picture: plain, type: 0 }]),
      Buffer.concat([withDepth, plain]),
    ]) {
      const { bytes, report } = await still(photo, source);
      expect(report.removed).toEqual(['other-pictures']);
      expect(bytes.indexOf(Buffer.from([0xff, 0xd8, 0xff]), 2)).toBe(-1);
      expect(await skipReason(source, KEPT)).toBe('multi-picture');
    }
    const maps = multiPicture(
      photo,
      [map, map].map((picture) => ({ picture, type: 0 })),
    );
    expect((await compress(maps)).report.removed).toEqual(['other-pictures']);
    expect(await skipReason(maps, KEPT)).toBe('multi-picture');
  });

  it('removes previews, archives and unknown bytes, and reports the sizes of the files', async () => {
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
