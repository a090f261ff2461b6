import sharp from 'sharp';
import { text } from '../../src/compression/formats/bytes';
import { readJpegStructure } from '../../src/compression/formats/jpeg/jpeg-structure';
import { withSegments, withoutSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { findExif, isXmp, type JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { asciiField, shortField, TiffReader, writeTiff } from '../../src/compression/formats/tiff';
import { graphicPng, photoJpeg, photoPixels, rawImage } from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import { ARTIST, fullJpeg, fullPngChunks, OWNER } from '../support/metadata-files';
import { xmpSegment } from '../support/phone-files';
import { withEveryEngine } from './engines';

const [WIDTH, HEIGHT] = [320, 240];
const [MAKER_NOTE, WIDTH_TAG, HEIGHT_TAG] = [0x927c, 0xa002, 0xa003];
const photo = async (orientation: number) =>
  fullJpeg(await photoJpeg(WIDTH, HEIGHT, { chroma: '4:4:4' }), orientation, WIDTH, HEIGHT);
/** Compressed so far that only a lossless rewrite saves anything. */
const tightPhoto = async () => {
  const jpeg = await rawImage(photoPixels(WIDTH, HEIGHT)).jpeg({ quality: 40 }).toBuffer();
  return fullJpeg(jpeg, 6, WIDTH, HEIGHT);
};
const graphic = (orientation: number) =>
  Buffer.from(withChunks(graphicPng(120, 90), fullPngChunks(orientation, 120, 90)));

withEveryEngine((compress, engine) => {
  const sources = {
    JPEG: () => photo(6),
    PNG: () => Promise.resolve(graphic(6)),
    'PNG, upright': () => Promise.resolve(graphic(1)),
    ...(engine === 'native' ? { 'JPEG, rewritten losslessly': tightPhoto } : {}),
  };

  describe.each(Object.entries(sources))('%s', (name, make) => {
    it('none, by default', async () => {
      const source = await make();
      expect(text(source)).toContain('SecretSerial');
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      if (name.includes('losslessly')) expect(report.score).toBe(1);
      for (const private_ of ['Secret', 'Thumbnail', ARTIST, OWNER, 'xmp', '8BIM', 'tIME', 'zTXt'])
        expect(text(bytes)).not.toContain(private_);
      const { orientation, exif } = await sharp(bytes).metadata();
      expect(orientation ?? 1).toBe(name.includes('losslessly') ? 6 : 1);
      // At most an orientation.
      expect(exif?.length ?? 0).toBeLessThan(40);
    });

    it('copyright: author and owner, as EXIF and XMP', async () => {
      const { bytes } = await compress(await make(), { KEEP_METADATA: 'copyright' });
      const { exif, xmpAsString, iptc, comments } = await sharp(bytes).metadata();
      for (const kept of [ARTIST, OWNER]) {
        expect(text(exif!)).toContain(kept);
        expect(xmpAsString).toContain(kept);
      }
      expect([iptc, comments]).toEqual([undefined, undefined]);
      for (const private_ of ['Secret', 'Thumbnail']) expect(text(bytes)).not.toContain(private_);
    });

    it('all: the blocks as they are, with orientation and size set right', async () => {
      const source = await make();
      const { bytes, report } = await compress(source, { KEEP_METADATA: 'all' });
      expect(report.skipReason).toBeUndefined();
      for (const kept of ['SecretSerial', 'SecretMakerNote', 'SecretGps', 'SecretComment', ARTIST, OWNER])
        expect(text(bytes)).toContain(kept);
      expect(text(bytes)).not.toContain('SecretSignature');
      const { width, height, orientation, exif, xmp } = await sharp(bytes).metadata();
      const packet = text(xmp ?? Buffer.alloc(0));
      const isTurned = !/losslessly|upright/.test(name);
      expect(orientation).toBe(name.includes('losslessly') ? 6 : 1);
      // A thumbnail and an orientation in XMP stay as long as they are right.
      expect(text(bytes).includes('ThumbnailPicture')).toBe(!isTurned);
      expect(packet.includes(`tiff:Orientation="${orientation}"`)).toBe(!isTurned);
      const signature = name.includes('JPEG') ? ['content-credentials'] : [];
      expect(report.removed ?? []).toEqual([...(isTurned ? ['xmp-positions'] : []), ...signature]);
      expect(/Orientation|Secret/.test(packet)).toBe(!isTurned);
      // EXIF states the dimensions of the new file, and the maker note has not moved.
      const reader = (file: Uint8Array) => {
        const block = file[0] === 0xff ? findExif(readJpegStructure(file).metadata) : chunkOf(file, 'eXIf');
        const tiff = TiffReader.open(block!)!;
        return { tiff, inside: tiff.subdirectory(tiff.directory().entries.get(0x8769))!.entries };
      };
      const [before, after] = [reader(source), reader(bytes)];
      const number = (tag: number) => after.tiff.uint16(after.inside.get(tag)!.at);
      expect([number(WIDTH_TAG), number(HEIGHT_TAG)]).toEqual([width, height]);
      expect(after.inside.get(MAKER_NOTE)!.at).toBe(before.inside.get(MAKER_NOTE)!.at);
      expect(exif).toBeDefined();
    });
  });

  it("all, of a scaled image: IPTC stays, Photoshop's thumbnail and a panorama go", async () => {
    const panorama = xmpSegment(
      '<rdf:Description GPano:FullPanoWidthPixels="640" dc:source="SecretSource"/>',
    );
    const title = xmpSegment('<rdf:Description dc:source="SecretSource"/>');
    const source = (xmp: JpegSegment) =>
      photo(1).then((jpeg) => withSegments(withoutSegments(jpeg, isXmp), [xmp]));
    const half = { KEEP_METADATA: 'all', MAX_DIMENSION_PX: '160' };
    const lost = await compress(await source(panorama), half);
    expect(lost.report.removed).toEqual(['xmp-positions', 'content-credentials', 'panorama']);
    expect(text(lost.bytes)).not.toMatch(/Thumbnail|GPano|SecretSource/);
    // The owner stays, in a new packet.
    const { xmpAsString, iptc, density } = await sharp(lost.bytes).metadata();
    expect(xmpAsString).toContain(OWNER);
    expect(text(iptc!)).toContain('SecretCaption');
    expect(density).toBe(72);
    const kept = await compress(await source(title), half);
    expect([kept.report.removed, text(kept.bytes).includes('SecretSource')]).toEqual([
      ['content-credentials'],
      true,
    ]);
  });

  it('keeps Adobe RGB that cameras declare without a profile', async () => {
    const exif = writeTiff([
      asciiField(0x010f, 'SecretMake'),
      {
        tag: 0x8769,
        directory: [
          shortField(0xa001, 0xffff),
          { tag: 0xa005, directory: [asciiField(1, 'R03')] },
          asciiField(0xa431, 'SecretSerial'),
        ],
      },
    ]);
    const { bytes } = await compress(
      withSegments(await photoJpeg(WIDTH, HEIGHT, { chroma: '4:4:4' }), [exifSegment(exif)]),
    );
    const tiff = TiffReader.open(findExif(readJpegStructure(bytes).metadata)!)!;
    const inside = tiff.subdirectory(tiff.directory().entries.get(0x8769))!;
    expect(tiff.uint16(inside.entries.get(0xa001)!.at)).toBe(0xffff);
    const interoperability = tiff.subdirectory(inside.entries.get(0xa005))!;
    expect(text(tiff.value(interoperability.entries.get(1)!))).toBe('R03\0');
    expect(text(bytes)).not.toContain('Secret');
  });

  it('removes damaged metadata', async () => {
    const jpeg = fullJpeg(await photoJpeg(48, 36, { chroma: '4:4:4' }), 1, 48, 36);
    const start = jpeg.indexOf('Exif\0\0') + 6;
    for (let at = start; at < start + 220; at += 3) {
      const damaged = Buffer.from(jpeg);
      damaged[at] ^= 0xff;
      for (const keep of ['copyright', 'all'] as const) {
        // The coded image does not change, so only the structure matters.
        const { bytes } = await compress(damaged.subarray(0), {
          KEEP_METADATA: keep,
          EFFORT: 'fast',
          MAX_DIMENSION_PX: '32',
        });
        expect((await sharp(bytes).metadata()).width).toBeGreaterThan(0);
      }
    }
  });
});

function chunkOf(png: Uint8Array, type: string) {
  return readPngStructure(png).chunks.find((chunk) => chunk.type === type)?.data;
}
