/** Data after the end of an image are removed, but for gain maps, and the report names what was removed. */
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { graphicPng, photoJpeg, difference } from '../support/images';
import {
  directorySegment,
  motionVideo,
  multiPicture,
  smallPicture,
  ultraHdrMap,
  withGainMaps,
  xmpSegment,
} from '../support/phone-files';
import { withEveryEngine } from './engines';

const zip = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(5000, 7)]);
const microVideo = xmpSegment(
  `<rdf:Description GCamera:MicroVideo="1" GCamera:MicroVideoOffset="${motionVideo.length}"/>`,
);

withEveryEngine((compress) => {
  let photo: Buffer;
  beforeAll(async () => (photo = await photoJpeg(320, 240, { chroma: '4:4:4' })));
  /** Compresses to the still image alone, and returns what was removed. */
  const still = async (source: Uint8Array, settings: Readonly<Record<string, string>> = {}) => {
    const { bytes, report } = await compress(source, settings);
    expect(report.skipReason).toBeUndefined();
    if (!settings['MAX_DIMENSION_PX']) expect(difference(photo, bytes)).toBeLessThan(6);
    expect(bytes.indexOf(Buffer.of(0xff, 0xd8, 0xff), 2)).toBe(-1);
    expect(bytes.toString('latin1')).not.toMatch(/ftyp|M(otionPhoto|icroVideo)="1"|PK\x03|MPF/);
    return report.removed;
  };

  it.each([
    ['MotionPhoto', [directorySegment('MotionPhoto', motionVideo.length)], ''],
    ['MicroVideo', [microVideo], ''],
    ["Samsung's, behind a block of its own", [], '\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data'],
  ])('the video of a motion photo (%s)', async (_, segments, before) => {
    const source = Buffer.concat([withSegments(photo, segments), Buffer.from(before), motionVideo]);
    for (const settings of [{}, { MAX_DIMENSION_PX: '100' }])
      expect(await still(source, settings)).toEqual(['motion-video']);
    const lostXmp = segments.length > 0 ? ['xmp-positions'] : [];
    expect(await still(source, { KEEP_METADATA: 'all' })).toEqual(['motion-video', ...lostXmp]);
  });

  it('a second view, a depth map and a second gain map', async () => {
    const plain = await smallPicture();
    const map = await ultraHdrMap();
    for (const source of [
      multiPicture(photo, [{ picture: plain, type: 0x020002 }]),
      withGainMaps(photo, plain),
      Buffer.concat([withSegments(photo, [directorySegment('Depth', plain.length)]), plain]),
    ])
      expect(await still(source)).toEqual(['other-pictures']);
    expect((await compress(withGainMaps(photo, map, map))).report.removed).toEqual(['other-pictures']);
  });

  it('a motion photo keeps its gain map', async () => {
    const map = await ultraHdrMap();
    const source = Buffer.concat([withGainMaps(photo, map), motionVideo]);
    const { bytes, report } = await compress(source);
    expect(report.removed).toEqual(['motion-video']);
    expect(bytes.includes(map)).toBe(true);
  });

  it('previews go without a word, archives and unknown bytes do not', async () => {
    const preview = await smallPicture();
    const types = [0x010001, 0x010002].map((type) => ({ picture: preview, type }));
    for (const source of [multiPicture(photo, types.slice(1)), multiPicture(photo, types)])
      expect(await still(source)).toBeUndefined();
    expect(await still(Buffer.concat([photo, zip]))).toEqual(['other-data']);
    const { bytes, report } = await compress(Buffer.concat([graphicPng(120, 90), zip]));
    expect(report.removed).toEqual(['other-data']);
    expect([report.bytesSaved, bytes.includes('PK\x03')]).toEqual([
      graphicPng(120, 90).length + zip.length - bytes.length,
      false,
    ]);
  });
});
