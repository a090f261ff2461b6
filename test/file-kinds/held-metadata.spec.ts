/** A file that cannot become smaller loses its metadata all the same; without any it is returned byte for byte. */
import sharp from 'sharp';
import { readJpegFile, type JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { withSegments, withoutSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { pngChunk, readChunks, type PngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { asciiField, writeTiff } from '../../src/compression/formats/tiff';
import { adobeRgb } from '../support/icc-profiles';
import { graphicPng, photoJpeg, photoPixels, rawImage } from '../support/images';
import { exifSegment, withMetadata } from '../support/jpeg-metadata';
import { ARTIST, fullJpeg, fullPngChunks, OWNER } from '../support/metadata-files';
import {
  latin1,
  multiPicture,
  picturesByIndex,
  smallPicture,
  ultraHdrMap,
  withGainMaps,
  xmpSegment,
} from '../support/phone-files';
import { tiffBlock } from '../support/tiff-block';
import { expectUnchanged, withEveryEngine, type Compress } from './engines';

const segment = (marker: number, text: string): JpegSegment => ({ marker, payload: latin1(text) });
const chunk = (type: string, text: string) => pngChunk(type, latin1(text));
/** 72 dots per inch, and a thumbnail of 1 × 2 px. */
const jfif = (thumbnail = '') =>
  segment(0xe0, `JFIF\0\x01\x01\x01\0\x48\0\x48${thumbnail ? '\x01\x02' : '\0\0'}${thumbnail}`);
const RESOLUTION = tiffBlock(true, [
  { tag: 0x0112, shorts: [6] },
  { tag: 0x011a, rationals: [72, 1] },
  { tag: 0x011b, rationals: [72, 1] },
  { tag: 0x0128, shorts: [2] },
]);

const EXIF: Readonly<Record<string, Uint8Array>> = {
  'a camera': writeTiff([asciiField(0x010f, 'Secret')]),
  'an artist': writeTiff([asciiField(0x013b, ARTIST)]),
  'a serial number': writeTiff([{ tag: 0x8769, directory: [asciiField(0xa431, 'Secret')] }]),
  'an EXIF block that cannot be read': latin1('Secret and not TIFF'),
};
const SEGMENTS: readonly (readonly [string, JpegSegment])[] = [
  ...Object.entries(EXIF).map(([name, tiff]) => [name, exifSegment(tiff)] as const),
  ['a comment', segment(0xfe, 'Secret')],
  ['IPTC', segment(0xed, `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x0b\x1c\x02\x50\0\x06Secret\0`)],
  ['XMP', xmpSegment('<rdf:Description xmp:CreatorTool="Secret"/>')],
  ['a thumbnail in JFXX', segment(0xe0, 'JFXX\0\x10Secret')],
  ['vendor data', segment(0xe5, 'Secret')],
];
const CHUNKS: readonly (readonly [string, PngChunk])[] = [
  ...Object.entries(EXIF).map(([name, tiff]) => [name, pngChunk('eXIf', tiff)] as const),
  ['a text', chunk('tEXt', 'Software\0Secret')],
  ['a packed text', chunk('zTXt', 'Location\0\0Secret')],
  ['XMP', chunk('iTXt', 'XML:com.adobe.xmp\0\0\0\0\0<xmpMM:History/>')],
  ['the date of the file', pngChunk('tIME', Buffer.of(7, 234, 1, 2, 3, 4, 5))],
  ['an unknown chunk', chunk('prVw', 'Secret')],
];

/** Everything of a JPEG that decides about its samples, from the first table on. */
const coded = (jpeg: Uint8Array) => {
  const { segments, end } = readJpegFile(jpeg);
  const tables = segments.filter(({ marker }) => marker < 0xe0 || marker === 0xee);
  return Buffer.concat([...tables.map(({ payload }) => payload), jpeg.subarray(segments.at(-1)!.end, end)]);
};
const imageData = (png: Uint8Array) =>
  Buffer.concat(readChunks(png).flatMap(({ type, data }) => (/^(I|f|a)[DcH]/.test(type) ? [data] : [])));

/** Returns the result, which has the same coded image, is no result without change, and is not changed again. */
async function cleaned(compress: Compress, source: Uint8Array, settings = {}): Promise<Buffer> {
  const { bytes, report } = await compress(source, settings);
  expect(report).toMatchObject({ score: 1, encodes: 0, bytesSaved: source.length - bytes.length });
  expect(report).not.toHaveProperty('skipReason');
  expect(bytes.length).toBeLessThan(source.length);
  if (report.format === 'jpeg') expect(coded(bytes)).toEqual(coded(source));
  else expect([report.maxError, imageData(bytes)]).toEqual([0, imageData(source)]);
  expect(bytes.includes('Secret')).toBe(false);
  await expectUnchanged(compress, bytes, settings);
  return bytes;
}

withEveryEngine((compress) => {
  describe('JPG', () => {
    let jpeg: Uint8Array;
    beforeAll(async () => {
      jpeg = (await compress(await photoJpeg(320, 240))).bytes;
    });

    it.each(SEGMENTS)('removes %s, and nothing else', async (_, found) => {
      expect(await cleaned(compress, withSegments(jpeg, [found]))).toEqual(jpeg);
    });

    it('orientation, resolution, profile and padding are no metadata', async () => {
      for (const source of [
        withSegments(jpeg, [exifSegment(RESOLUTION)]),
        withMetadata(jpeg, { iccProfile: adobeRgb() }),
        Buffer.concat([jpeg, Buffer.alloc(64)]),
      ])
        await expectUnchanged(compress, source);
    });

    it('removes the thumbnail of JFIF and keeps the density', async () => {
      const bare = withoutSegments(jpeg, ({ marker }) => marker === 0xe0);
      const source = withSegments(bare, [jfif('Secret')]);
      expect(await cleaned(compress, source)).toEqual(withSegments(bare, [jfif()]));
    });

    it('removes trailing data', async () => {
      const preview = multiPicture(jpeg, [{ picture: await smallPicture(), type: 0x010002 }]);
      for (const source of [Buffer.concat([jpeg, latin1('Secret')]), preview])
        expect(await cleaned(compress, source)).toEqual(jpeg);
    });

    it('removes metadata between the scans', async () => {
      const plain = await rawImage(photoPixels(64, 48)).jpeg({ quality: 30, mozjpeg: true }).toBuffer();
      const at = plain.indexOf(Buffer.of(0xff, 0xda), plain.indexOf(Buffer.of(0xff, 0xda)) + 2);
      const hidden = Buffer.from([0xff, 0xe5, 0, 8, ...latin1('Secret')]);
      const source = Buffer.concat([plain.subarray(0, at), hidden, plain.subarray(at)]);
      const { bytes } = await compress(source, { MIN_SAVINGS_PERCENT: '90' });
      expect(coded(bytes)).toEqual(coded(plain));
      expect(bytes.includes('Secret')).toBe(false);
    });

    it('keeps orientation and profile, as an independent reader finds them', async () => {
      const icc = adobeRgb();
      const bytes = await cleaned(compress, fullJpeg(withMetadata(jpeg, { iccProfile: icc }), 6, 320, 240));
      const { orientation, icc: kept, xmp, iptc } = await sharp(bytes).metadata();
      expect([orientation, kept, xmp, iptc]).toEqual([6, Buffer.from(icc), undefined, undefined]);
    });

    it('a file of another program, which saves too little', async () => {
      const settings = { MIN_SAVINGS_PERCENT: '90' };
      const plain = await photoJpeg(320, 240, { quality: 30 });
      await expectUnchanged(compress, plain, settings);
      const { report } = await compress(withSegments(plain, [segment(0xe5, 'Secret'.repeat(9))]), settings);
      // The quality that sharp was asked for.
      expect([report.skipReason, report.quality, report.score]).toEqual([undefined, 30, 1]);
    });

    it('copyright keeps author and owner, all keeps everything', async () => {
      const full = fullJpeg(jpeg, 1, 320, 240);
      const bytes = await cleaned(compress, full, { KEEP_METADATA: 'copyright' });
      for (const name of [ARTIST, OWNER]) expect(bytes.includes(name)).toBe(true);
      const artist = withSegments(jpeg, [exifSegment(EXIF['an artist'])]);
      await expectUnchanged(compress, artist, { KEEP_METADATA: 'copyright' });
      await expectUnchanged(compress, full, { KEEP_METADATA: 'all' });
    });

    it('a gain map stays where its index says', async () => {
      const map = await ultraHdrMap();
      const source = withGainMaps(await photoJpeg(320, 240), map);
      const { bytes: once } = await compress(source);
      await expectUnchanged(compress, once);
      const main = once.subarray(0, readJpegFile(once).end);
      const author = Buffer.concat([main, withSegments(map, [exifSegment(EXIF['an artist'])])]);
      const camera = withSegments(once, [exifSegment(EXIF['a camera'])]);
      for (const held of [author, camera]) expect((await compress(held)).bytes).toEqual(once);
      expect(picturesByIndex(once)[1]).toEqual(map);
    });

    it('a gain map without an index does not make the file larger', async () => {
      const map = await ultraHdrMap();
      const source = Buffer.concat([withSegments(jpeg, [segment(0xe5, 'Secret')]), map]);
      const bytes = await cleaned(compress, source, { MIN_SAVINGS_PERCENT: '90' });
      expect(bytes.includes(map)).toBe(true);
    });
  });

  describe('PNG', () => {
    let png: Uint8Array;
    beforeAll(async () => {
      png = (await compress(graphicPng(120, 90))).bytes;
    });

    it.each(CHUNKS)('removes %s, and nothing else', async (_, found) => {
      expect(await cleaned(compress, withChunks(png, [found]))).toEqual(png);
    });

    it('orientation, resolution, colours and padding are no metadata', async () => {
      const resolution = pngChunk('pHYs', Buffer.of(0, 0, 11, 19, 0, 0, 11, 19, 1));
      for (const found of [pngChunk('eXIf', RESOLUTION), resolution, pngChunk('sRGB', Buffer.alloc(1))])
        await expectUnchanged(compress, withChunks(png, [found]));
      await expectUnchanged(compress, Buffer.concat([png, Buffer.alloc(64)]));
    });

    it('removes bytes that no decoder reads', async () => {
      const damaged = Buffer.from(chunk('tEXt', 'Author\0Secret').raw);
      damaged[damaged.length - 1] ^= 1;
      const unread = { ...chunk('tEXt', ''), raw: damaged };
      for (const source of [Buffer.concat([png, latin1('Secret')]), withChunks(png, [unread])])
        expect(await cleaned(compress, source)).toEqual(png);
    });

    it('keeps orientation and colours, as an independent reader finds them', async () => {
      const gamma = pngChunk('gAMA', Buffer.of(0, 1, 0, 0));
      const bytes = await cleaned(compress, withChunks(png, [gamma, ...fullPngChunks(6, 120, 90)]));
      expect(readChunks(bytes).map(({ type }) => type)).toContain('gAMA');
      const { orientation, xmp, comments } = await sharp(bytes).metadata();
      expect([orientation, xmp, comments]).toEqual([6, undefined, undefined]);
    });

    it('an animation keeps its frames', async () => {
      const [header, ...rest] = readChunks(png);
      const acTL = pngChunk('acTL', Buffer.of(0, 0, 0, 1, 0, 0, 0, 0));
      const [fcTL, fdAT] = [pngChunk('fcTL', Buffer.alloc(26, 1)), pngChunk('fdAT', Buffer.alloc(9, 1))];
      const animated = Buffer.concat([
        png.subarray(0, 8),
        ...[header, acTL, fcTL, ...rest.slice(0, -1), fdAT, rest.at(-1)!].map(({ raw }) => raw),
      ]);
      await expectUnchanged(compress, animated);
      const source = withChunks(animated, [chunk('tEXt', 'Author\0Secret')]);
      expect(await cleaned(compress, source)).toEqual(animated);
    });

    it('copyright keeps author and owner, all keeps everything', async () => {
      const full = withChunks(png, fullPngChunks(1, 120, 90));
      const bytes = await cleaned(compress, full, { KEEP_METADATA: 'copyright' });
      for (const name of [ARTIST, OWNER]) expect(bytes.includes(name)).toBe(true);
      const artist = withChunks(png, [pngChunk('eXIf', EXIF['an artist'])]);
      await expectUnchanged(compress, artist, { KEEP_METADATA: 'copyright' });
      await expectUnchanged(compress, full, { KEEP_METADATA: 'all' });
    });
  });
});
