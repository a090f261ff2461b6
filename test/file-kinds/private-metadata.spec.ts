/** A file that cannot become smaller loses its private metadata all the same; without any it is returned unchanged. */
import sharp from 'sharp';
import {
  readJpegFile,
  withoutSegments,
  withSegments,
  type JpegSegment,
} from '../../src/compression/formats/jpeg/jpeg-segments';
import { pngChunk, readChunks, type PngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { asciiField, shortField, TYPE, writeTiff, type TiffField } from '../../src/compression/formats/tiff';
import { adobeRgb } from '../support/icc-profiles';
import { graphicPng, photoJpeg, photoPixels } from '../support/images';
import { exifSegment, withMetadata } from '../support/jpeg-metadata';
import { ARTIST, fullJpeg, fullPngChunks } from '../support/metadata-files';
import {
  directorySegment,
  GAIN_MAP_KINDS,
  motionVideo,
  multiPicture,
  picturesByIndex,
  smallPicture,
  xmpSegment,
} from '../support/phone-files';
import { withEveryEngine, type Compress } from './engines';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const segment = (marker: number, text: string): JpegSegment => ({ marker, payload: latin1(text) });
const inExif = (...fields: TiffField[]) => writeTiff([{ tag: 0x8769, directory: fields }]);
const photoshop = (id: number, data: string) =>
  segment(
    0xed,
    `Photoshop 3.0\x008BIM${String.fromCharCode(id >> 8, id & 255)}\0\0\0\0\0${String.fromCharCode(data.length)}${data}${data.length % 2 ? '\0' : ''}`,
  );
const iptc = (number: number, value: string) =>
  photoshop(0x0404, `\x1c\x02${String.fromCharCode(number)}\0${String.fromCharCode(value.length)}${value}`);

/** 72 dots per inch, and a thumbnail of 1 × 2 px. */
const jfif = (thumbnail = '') =>
  segment(0xe0, `JFIF\0\x01\x01\x01\0\x48\0\x48${thumbnail ? '\x01\x02' : '\0\0'}${thumbnail}`);

const PRIVATE_EXIF: Record<string, Uint8Array> = {
  'a position': writeTiff([{ tag: 0x8825, directory: [asciiField(0x001d, 'Secret')] }]),
  'an artist': writeTiff([asciiField(0x013b, ARTIST)]),
  'a description': writeTiff([asciiField(0x010e, 'Secret')]),
  'a serial number': inExif(asciiField(0xa431, 'Secret')),
  'the owner of the camera': inExif(asciiField(0xa430, 'Secret')),
  'a maker note': inExif({ tag: 0x927c, type: TYPE.undefined, value: latin1('Secret') }),
  'the date of the picture': inExif(asciiField(0x9003, '2026:01:02 03:04:05')),
  'a block that cannot be read': latin1('Secret and not TIFF'),
};
const HARMLESS_EXIF: Record<string, Uint8Array> = {
  'an orientation': writeTiff([shortField(0x0112, 6)]),
  'camera, program and exposure': writeTiff([
    asciiField(0x010f, 'Maker'),
    asciiField(0x0110, 'Model'),
    asciiField(0x0131, 'Program'),
    asciiField(0x0132, '2026:01:02 03:04:05'),
    { tag: 0x8769, directory: [shortField(0x8827, 100), asciiField(0xa434, 'Lens')] },
  ]),
};

const PRIVATE_SEGMENTS: Record<string, JpegSegment> = {
  ...Object.fromEntries(Object.entries(PRIVATE_EXIF).map(([name, tiff]) => [name, exifSegment(tiff)])),
  'an IPTC by-line': iptc(80, ARTIST),
  "Photoshop's thumbnail": photoshop(0x040c, 'Secret'),
  'resources that cannot be read': segment(0xed, 'Photoshop 3.0\0Secret'),
  'an XMP history': xmpSegment('<rdf:Description><xmpMM:History>Secret</xmpMM:History></rdf:Description>'),
  'more XMP': segment(0xe1, 'http://ns.adobe.com/xmp/extension/\0Secret'),
  'a thumbnail in JFXX': segment(0xe0, 'JFXX\0\x10Secret'),
  'a signature': segment(0xeb, 'JPSecret'),
  'vendor data': segment(0xe5, 'Secret'),
};
const HARMLESS_SEGMENTS: Record<string, JpegSegment> = {
  ...Object.fromEntries(Object.entries(HARMLESS_EXIF).map(([name, tiff]) => [name, exifSegment(tiff)])),
  'a comment': segment(0xfe, 'Made with a program'),
  'the resolution of prints': photoshop(0x03ed, '\0\x48\0\0\0\x01\0\x01\0\x48\0\0\0\x01\0\x01'),
  "the quality of Photoshop's export": segment(0xec, 'Ducky\0\x01\0\x04\0\0\0\x3c\0\0'),
};

const text = (type: string, keyword: string, value: string) => pngChunk(type, latin1(`${keyword}\0${value}`));
const PRIVATE_CHUNKS: Record<string, PngChunk> = {
  ...Object.fromEntries(Object.entries(PRIVATE_EXIF).map(([name, tiff]) => [name, pngChunk('eXIf', tiff)])),
  'an author': text('tEXt', 'Author', ARTIST),
  'an author in UTF-8': text('iTXt', 'Author', `\0\0\0\0${ARTIST}`),
  'packed text': text('zTXt', 'Location', '\0Secret'),
  'an XMP history': text('iTXt', 'XML:com.adobe.xmp', '\0\0\0\0<xmpMM:History/>'),
  'EXIF as text': text('tEXt', 'Raw profile type exif', 'Secret'),
  'an unknown chunk': pngChunk('prVw', latin1('Secret')),
};
const HARMLESS_CHUNKS: Record<string, PngChunk> = {
  'an orientation': pngChunk('eXIf', HARMLESS_EXIF['an orientation']),
  'camera, program and exposure': pngChunk('eXIf', HARMLESS_EXIF['camera, program and exposure']),
  'a resolution': pngChunk('pHYs', Buffer.from([0, 0, 11, 19, 0, 0, 11, 19, 1])),
  'a comment': text('tEXt', 'Comment', 'Made with a program'),
  "ImageMagick's date": text('tEXt', 'date:create', '2026-01-02T03:04:05+00:00'),
  "ImageMagick's copy of a profile's name": text('tEXt', 'icc:description', 'sRGB'),
  'a program': text('tEXt', 'Software', 'Program'),
  'the date of the file': pngChunk('tIME', Buffer.from([7, 234, 1, 2, 3, 4, 5])),
};

/** Everything of a JPEG that decides about its samples, from the first table on. */
const coded = (jpeg: Uint8Array) => {
  const { segments, end } = readJpegFile(jpeg);
  const tables = segments.filter(({ marker }) => marker < 0xe0 || marker === 0xee);
  const from = segments.at(-1)!.end;
  return Buffer.concat([...tables.map(({ payload }) => payload), jpeg.subarray(from, end)]);
};
const imageData = (png: Uint8Array) =>
  Buffer.concat(readChunks(png).flatMap(({ type, data }) => (/^(I|f|a)[DcH]/.test(type) ? [data] : [])));

async function expectUnchanged(compress: Compress, source: Uint8Array, settings = {}): Promise<void> {
  const { bytes, report } = await compress(source, settings);
  expect(report.skipReason).toBeDefined();
  expect(Buffer.from(bytes).equals(Buffer.from(source))).toBe(true);
}

/** Returns the result, which has the same coded image and is not changed again. */
async function cleaned(compress: Compress, source: Uint8Array, settings = {}): Promise<Buffer> {
  const { bytes, report } = await compress(source, settings);
  expect(report).not.toHaveProperty('skipReason');
  expect([report.score, report.encodes]).toEqual([1, 0]);
  expect(report.bytesSaved).toBe(source.length - bytes.length);
  expect(report.bytesSaved).toBeGreaterThan(0);
  if (report.format === 'jpeg') expect(coded(bytes).equals(coded(source))).toBe(true);
  else expect([report.maxError, imageData(bytes).equals(imageData(source))]).toEqual([0, true]);
  await expectUnchanged(compress, bytes, settings);
  return Buffer.from(bytes);
}

withEveryEngine((compress) => {
  let jpeg: Uint8Array;
  let png: Uint8Array;
  beforeAll(async () => {
    jpeg = (await compress(await photoJpeg(320, 240))).bytes;
    png = (await compress(graphicPng(120, 90))).bytes;
  });

  describe('JPEG', () => {
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
      const source = withSegments(plain, [PRIVATE_SEGMENTS['a position']]);
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
      await expectUnchanged(
        compress,
        Buffer.concat([withSegments(jpeg, [directory]), motionVideo]),
        settings,
      );
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

  describe('PNG', () => {
    it.each(Object.entries(PRIVATE_CHUNKS))('removes %s, and nothing else', async (_, found) => {
      expect(await cleaned(compress, withChunks(png, [found]))).toEqual(Buffer.from(png));
    });

    it.each(Object.entries(HARMLESS_CHUNKS))('%s is no reason to change a file', async (_, found) => {
      await expectUnchanged(compress, withChunks(png, [found]));
    });

    it('removes bytes that no decoder reads', async () => {
      const damaged = Buffer.from(PRIVATE_CHUNKS['an author'].raw);
      damaged[damaged.length - 1] ^= 1;
      const unread = { ...PRIVATE_CHUNKS['an author'], raw: damaged };
      for (const source of [Buffer.concat([png, latin1('Secret')]), withChunks(png, [unread])]) {
        expect(await cleaned(compress, source)).toEqual(Buffer.from(png));
      }
      await expectUnchanged(compress, Buffer.concat([png, Buffer.alloc(64)]));
    });

    it('keeps orientation and colours, as an independent reader finds them', async () => {
      const gamma = pngChunk('gAMA', Buffer.from([0, 1, 0, 0]));
      const source = withChunks(png, [gamma, ...fullPngChunks(6, 120, 90)]);
      const bytes = await cleaned(compress, source);
      expect(bytes.toString('latin1')).not.toMatch(/Secret|Thumbnail|Author/);
      expect(readChunks(bytes).map(({ type }) => type)).toContain('gAMA');
      const { orientation, xmp, comments } = await sharp(bytes).metadata();
      expect([orientation, xmp, comments]).toEqual([6, undefined, undefined]);
    });

    it('an animation keeps its frames', async () => {
      const [header, ...rest] = readChunks(png);
      const acTL = pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]));
      const [fcTL, fdAT] = [pngChunk('fcTL', Buffer.alloc(26, 1)), pngChunk('fdAT', Buffer.alloc(9, 1))];
      const animated = Buffer.concat([
        png.subarray(0, 8),
        ...[header, acTL, fcTL, ...rest.slice(0, -1), fdAT, rest.at(-1)!].map(({ raw }) => raw),
      ]);
      await expectUnchanged(compress, animated);
      expect(await cleaned(compress, withChunks(animated, [PRIVATE_CHUNKS['an author']]))).toEqual(animated);
    });

    it('KEEP_METADATA=copyright keeps author and copyright, all keeps everything', async () => {
      const copyright = { KEEP_METADATA: 'copyright' };
      const full = withChunks(png, fullPngChunks(1, 120, 90));
      const bytes = await cleaned(compress, full, copyright);
      expect(bytes.toString('latin1')).toContain(ARTIST);
      expect(bytes.toString('latin1')).not.toMatch(/Secret|Thumbnail/);
      await expectUnchanged(compress, withChunks(png, [PRIVATE_CHUNKS['an author']]), copyright);
      await expectUnchanged(compress, full, { KEEP_METADATA: 'all' });
    });
  });
});
