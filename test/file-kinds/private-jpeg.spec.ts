/** A JPG that cannot become smaller loses its private metadata all the same; without any it is returned unchanged. */
import sharp from 'sharp';
import { readJpegFile } from '../../src/compression/formats/jpeg/jpeg-segments';
import { withSegments, withoutSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { adobeRgb } from '../support/icc-profiles';
import { photoJpeg, photoPixels } from '../support/images';
import { withMetadata } from '../support/jpeg-metadata';
import { ARTIST, fullJpeg } from '../support/metadata-files';
import {
  directorySegment,
  GAIN_MAP_KINDS,
  motionVideo,
  multiPicture,
  picturesByIndex,
  smallPicture,
} from '../support/phone-files';
import { withEveryEngine } from './engines';
import {
  cleaned,
  expectUnchanged,
  HARMLESS_SEGMENTS,
  jfif,
  latin1,
  PRIVATE_SEGMENTS,
  segment,
} from './private-pieces';

withEveryEngine((compress) => {
  let jpeg: Uint8Array;
  beforeAll(async () => {
    jpeg = (await compress(await photoJpeg(320, 240))).bytes;
  });

  it.each(Object.entries(PRIVATE_SEGMENTS))('removes %s, and nothing else', async (_, found) => {
    expect(await cleaned(compress, withSegments(jpeg, [found]))).toEqual(Buffer.from(jpeg));
  });

  it.each(Object.entries(HARMLESS_SEGMENTS))('%s is no reason to change a file', async (_, found) => {
    await expectUnchanged(compress, withSegments(jpeg, [found]));
  });

  it('density, profile and padding are no reason to change a file', async () => {
    await expectUnchanged(compress, withSegments(jpeg, [jfif()]));
    await expectUnchanged(compress, withMetadata(jpeg, { iccProfile: adobeRgb() }));
    await expectUnchanged(compress, Buffer.concat([jpeg, Buffer.alloc(64)]));
  });

  it('removes the thumbnail of JFIF and keeps the density', async () => {
    // One of the engines writes a JFIF segment, the other does not.
    const bare = withoutSegments(jpeg, ({ marker }) => marker === 0xe0);
    const source = withSegments(bare, [jfif('Secret')]);
    expect(await cleaned(compress, source)).toEqual(Buffer.from(withSegments(bare, [jfif()])));
  });

  it('removes what follows the image', async () => {
    const preview = multiPicture(jpeg, [{ picture: await smallPicture(), type: 0x010002 }]);
    for (const source of [Buffer.concat([jpeg, latin1('Secret')]), preview]) {
      expect(await cleaned(compress, source)).toEqual(Buffer.from(jpeg));
    }
  });

  it('removes metadata between the scans', async () => {
    const { data, width, height } = photoPixels(64, 48);
    const plain = await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 30, mozjpeg: true })
      .toBuffer();
    const at = plain.indexOf(Buffer.from([0xff, 0xda]), plain.indexOf(Buffer.from([0xff, 0xda])) + 2);
    const hidden = Buffer.from([0xff, 0xe5, 0, 8, ...latin1('Secret')]);
    const source = Buffer.concat([plain.subarray(0, at), hidden, plain.subarray(at)]);
    const { bytes } = await compress(source, { MIN_SAVINGS_PERCENT: '90' });
    expect(Buffer.from(bytes)).toEqual(plain);
  });

  it('keeps orientation and profile, as an independent reader finds them', async () => {
    const icc = adobeRgb();
    const source = fullJpeg(withMetadata(jpeg, { iccProfile: icc }), 6, 320, 240);
    const bytes = await cleaned(compress, source);
    expect(bytes.toString('latin1')).not.toMatch(/Secret|Thumbnail/);
    const { orientation, icc: kept, xmp, iptc: names } = await sharp(bytes).metadata();
    expect([orientation, xmp, names]).toEqual([6, undefined, undefined]);
    expect(kept).toEqual(Buffer.from(icc));
  });

  it('a file of another program, which saves too little', async () => {
    const plain = await photoJpeg(320, 240, { quality: 30 });
    const settings = { MIN_SAVINGS_PERCENT: '90' };
    await expectUnchanged(compress, plain, settings);
    const source = withSegments(plain, [PRIVATE_SEGMENTS['vendor data']]);
    const { bytes, report } = await compress(source, settings);
    expect(Buffer.from(bytes).equals(plain)).toBe(true);
    // The quality that sharp was asked for.
    expect([report.skipReason, report.quality, report.score]).toEqual([undefined, 30, 1]);
    await expectUnchanged(compress, bytes, settings);
  });

  it('KEEP_METADATA=copyright keeps author and copyright, all keeps everything', async () => {
    const copyright = { KEEP_METADATA: 'copyright' };
    const full = fullJpeg(jpeg, 1, 320, 240);
    const bytes = await cleaned(compress, full, copyright);
    expect(bytes.toString('latin1')).toContain(ARTIST);
    expect(bytes.toString('latin1')).not.toMatch(/Secret|Thumbnail/);
    for (const kept of ['an artist', 'an IPTC by-line'])
      await expectUnchanged(compress, withSegments(jpeg, [PRIVATE_SEGMENTS[kept]]), copyright);
    await expectUnchanged(compress, full, { KEEP_METADATA: 'all' });
  });

  it('a gain map stays where its index says', async () => {
    const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
    const source = multiPicture(await photoJpeg(320, 240), [{ picture: map, type: 0 }]);
    const once = await compress(source);
    await expectUnchanged(compress, once.bytes);
    const commented = withSegments(map, [segment(0xfe, 'a comment')]);
    const main = once.bytes.subarray(0, readJpegFile(once.bytes).end);
    await expectUnchanged(compress, Buffer.concat([main, commented]));
    const author = withSegments(map, [PRIVATE_SEGMENTS['an artist']]);
    expect((await compress(Buffer.concat([main, author]))).bytes).toEqual(Buffer.from(once.bytes));
    const located = withSegments(once.bytes, [PRIVATE_SEGMENTS['a position']]);
    const { bytes } = await compress(located);
    expect(Buffer.from(bytes).equals(Buffer.from(once.bytes))).toBe(true);
    expect(picturesByIndex(bytes)[1]).toEqual(map);
  });

  it('a gain map without an index does not make the file larger', async () => {
    const map = await smallPicture(GAIN_MAP_KINDS['Ultra HDR']);
    const source = Buffer.concat([withSegments(jpeg, [PRIVATE_SEGMENTS['vendor data']]), map]);
    const settings = { MIN_SAVINGS_PERCENT: '90' };
    const { bytes, report } = await compress(source, settings);
    expect([report.skipReason, report.bytesSaved]).toEqual([undefined, source.length - bytes.length]);
    expect(bytes.length).toBeLessThan(source.length);
    expect(Buffer.from(bytes).includes('Secret')).toBe(false);
    expect(Buffer.from(bytes).includes(map)).toBe(true);
    await expectUnchanged(compress, bytes, settings);
  });

  it('KEEP_COMPANIONS=all keeps what follows the image, and how readers find it', async () => {
    const settings = { KEEP_COMPANIONS: 'all' };
    const view = await smallPicture();
    const stereo = multiPicture(withSegments(jpeg, [segment(0xfe, 'a comment')]), [
      { picture: view, type: 0x020002 },
    ]);
    await expectUnchanged(compress, stereo, settings);
    // Before the index, and behind it.
    const at = stereo.indexOf('MPF\0') - 4;
    const behindIndex = at + 2 + stereo.readUInt16BE(at + 2);
    const vendor = withSegments(Buffer.from([0xff, 0xd8]), [PRIVATE_SEGMENTS['vendor data']]).subarray(2);
    const grown = Buffer.concat([stereo.subarray(0, behindIndex), vendor, stereo.subarray(behindIndex)]);
    const entry = grown.indexOf('MPF\0') + 4 + 50;
    grown.writeUInt32BE(grown.readUInt32BE(entry + 4) + vendor.length, entry + 4);
    grown.writeUInt32BE(grown.readUInt32BE(entry + 24) + vendor.length, entry + 24);
    expect(picturesByIndex(grown)[1]).toEqual(view);
    const bytes = await cleaned(compress, grown, settings);
    const [main, found] = picturesByIndex(bytes);
    expect(found).toEqual(view);
    expect(main.length).toBe(bytes.length - view.length);
    expect(bytes.includes('Secret')).toBe(false);
  });

  it('KEEP_COMPANIONS=all keeps the directory of a motion photo, and no other XMP', async () => {
    const settings = { KEEP_COMPANIONS: 'all' };
    const directory = directorySegment('MotionPhoto', motionVideo.length);
    await expectUnchanged(compress, Buffer.concat([withSegments(jpeg, [directory]), motionVideo]), settings);
    const packet = Buffer.from(directory.payload).toString('latin1');
    const chatty = packet.replace('<Container:Directory>', '<dc:creator>Secret</dc:creator>$&');
    const source = Buffer.concat([withSegments(jpeg, [segment(0xe1, chatty)]), motionVideo]);
    const bytes = await cleaned(compress, source, settings);
    expect(bytes.subarray(-motionVideo.length)).toEqual(motionVideo);
    const xmp = (await sharp(bytes).metadata()).xmpAsString;
    expect(xmp).toContain(`Item:Semantic="MotionPhoto" Item:Length="${motionVideo.length}"`);
    expect(xmp).not.toContain('Secret');
  });
});
