import sharp from 'sharp';
import { uint32s } from '../../src/compression/formats/bytes';
import { readJpegFile } from '../../src/compression/formats/jpeg/jpeg-segments';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { asciiField, shortField, TYPE, writeDirectory, writeTiff } from '../../src/compression/formats/tiff';
import { colourAt, decodeIndependently, photoJpeg } from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import {
  directorySegment,
  GAIN_MAP_KINDS,
  isoGainMapSegment,
  picturesByIndex,
  smallPicture,
  ultraHdrMap,
  withGainMaps,
} from '../support/phone-files';
import { expectUnchanged, withEveryEngine } from './engines';

const APPLE_NOTE = Buffer.from('Apple iOS\0\0\x01MM', 'latin1');
const rational = (numerator: number) => uint32s(numerator, 1000);

/** The gain map as found by libultrahdr, the reference library. */
const byLibultrahdr = async (bytes: Uint8Array) => (await sharp(bytes).metadata()).gainMap?.image;

withEveryEngine((compress) => {
  describe.each(Object.entries(GAIN_MAP_KINDS))('%s', (kind, segments) => {
    it('keeps the map, and the index points to it', async () => {
      const map = await smallPicture(segments);
      const iso = kind === 'ISO 21496-1' ? [isoGainMapSegment(Buffer.alloc(4))] : [];
      const photo = withSegments(await photoJpeg(320, 240, { chroma: '4:4:4' }), [
        directorySegment('GainMap', map.length),
        ...iso,
      ]);
      const source = withGainMaps(photo, map);
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      expect(report.compressedSize).toBe(bytes.length);
      const [main, found, ...more] = picturesByIndex(bytes);
      expect(found).toEqual(map);
      expect(more).toEqual([]);
      expect(main.length + map.length).toBe(bytes.length);
      expect(readJpegFile(bytes).end).toBe(main.length);
      // libultrahdr supports Apple's maps only in files of newer phones.
      expect(await byLibultrahdr(bytes)).toEqual(kind === 'Apple' ? await byLibultrahdr(source) : map);
      if (kind === 'Ultra HDR') {
        // Google's readers locate the map from the end of the file, by its length in the directory.
        const length = /Item:Semantic="GainMap" Item:Length="(\d+)"/.exec(bytes.toString('latin1'))?.[1];
        expect(Number(length)).toBe(map.length);
      }
      if (iso.length > 0) expect(bytes.indexOf('urn:iso:std:iso:ts:21496')).toBeLessThan(main.length);
      await expectUnchanged(compress, bytes);
    });
  });

  it('the orientation tag applies to image and map, also if the image is scaled', async () => {
    const map = await ultraHdrMap();
    const photo = await photoJpeg(320, 240, { orientation: 6, chroma: '4:4:4' });
    const source = withGainMaps(photo, map);
    for (const [settings, size] of [
      [{}, '240x320'],
      [{ MAX_DIMENSION_PX: '160' }, '120x160'],
    ] as const) {
      const { bytes, report } = await compress(source, settings);
      expect(report.skipReason).toBeUndefined();
      expect(`${report.dimensions.width}x${report.dimensions.height}`).toBe(size);
      const { orientation, width, height, autoOrient } = await sharp(bytes).metadata();
      expect(orientation).toBe(6);
      expect(width).toBeGreaterThan(height);
      expect(`${autoOrient.width}x${autoOrient.height}`).toBe(size);
      // Stored as it was: red in the first corner.
      const [red, green] = colourAt(decodeIndependently(picturesByIndex(bytes)[0]), 0.02, 0.02);
      expect(red).toBeGreaterThan(green + 100);
      expect(picturesByIndex(bytes)[1]).toEqual(map);
    }
  });

  it('removes camera and location from the map, unless all metadata is kept', async () => {
    const map = await smallPicture([
      exifSegment(writeTiff([asciiField(0x010f, 'SecretCamera')])),
      { marker: 0xfe, payload: Buffer.from('SecretComment') },
      ...GAIN_MAP_KINDS['Ultra HDR'],
    ]);
    const source = withGainMaps(await photoJpeg(320, 240, { chroma: '4:4:4' }), map);
    const { bytes } = await compress(source);
    expect(bytes.includes('Secret')).toBe(false);
    expect((await byLibultrahdr(bytes))?.length).toBe(picturesByIndex(bytes)[1].length);
    const kept = await compress(source, { KEEP_METADATA: 'all' });
    expect(picturesByIndex(kept.bytes)[1]).toEqual(map);
  });

  it("keeps the headroom in Apple's older maker notes, and nothing else of them", async () => {
    const numbers = [
      { tag: 0x21, type: TYPE.signedRational, value: rational(1518) },
      { tag: 0x30, type: TYPE.signedRational, value: rational(7) },
      asciiField(0x2b, 'SecretIdentifier'),
    ];
    const note = Buffer.concat([APPLE_NOTE, writeDirectory(numbers, APPLE_NOTE.length)]);
    const exif = writeTiff([
      asciiField(0x010f, 'Apple'),
      asciiField(0x0110, 'SecretModel'),
      { tag: 0x8769, directory: [{ tag: 0x927c, type: TYPE.undefined, value: note }] },
      shortField(0x0112, 1),
    ]);
    const photo = withSegments(await photoJpeg(320, 240, { chroma: '4:4:4' }), [exifSegment(exif)]);
    const map = await smallPicture(GAIN_MAP_KINDS.Apple);
    const { bytes } = await compress(withGainMaps(photo, map));
    const at = bytes.indexOf('Apple iOS\0');
    expect(at).toBeGreaterThan(0);
    expect(bytes.readUInt16BE(at + 14)).toBe(2);
    expect([bytes.readUInt16BE(at + 16), bytes.readUInt16BE(at + 28)]).toEqual([0x21, 0x30]);
    const valueAt = (entry: number) => at + bytes.readUInt32BE(entry + 8);
    expect(bytes.readInt32BE(valueAt(at + 16))).toBe(1518);
    expect(bytes.readInt32BE(valueAt(at + 28))).toBe(7);
    expect(bytes.includes('Secret')).toBe(false);
  });
});
