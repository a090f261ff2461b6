/** Metadata, colour profile and orientation of results in other formats, read by libvips, and by exiftool where it is installed. */
import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { text } from '../../src/compression/formats/bytes';
import { withoutSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { hasPrograms } from '../support/services';
import { graphicPng, photoJpeg, difference, samplesOf } from '../support/images';
import { ARTIST, fullJpeg, fullPngChunks, OWNER } from '../support/metadata-files';
import { withEveryEngine } from './engines';

const [WIDTH, HEIGHT] = [160, 120];
const sources = {
  JPEG: photoJpeg(WIDTH, HEIGHT, { quality: 95 }).then((jpeg) => fullJpeg(jpeg, 6, WIDTH, HEIGHT)),
  PNG: Promise.resolve(Buffer.from(withChunks(graphicPng(WIDTH, HEIGHT), fullPngChunks(6, WIDTH, HEIGHT)))),
};
/** The tags that exiftool reads, by group and name as in `EXIF:Artist`. */
function byExiftool(bytes: Uint8Array) {
  const { stdout } = spawnSync('exiftool', ['-j', '-G', '-'], { input: bytes, encoding: 'utf8' });
  const [tags] = JSON.parse(stdout) as [Record<string, unknown>];
  return tags;
}
const upright = (image: Uint8Array) => samplesOf(sharp(image).autoOrient().ensureAlpha());
const p3Photo = photoJpeg(WIDTH, HEIGHT, { quality: 95 }).then((jpeg) =>
  sharp(jpeg).withIccProfile('p3').jpeg({ quality: 95 }).toBuffer(),
);

withEveryEngine((compressAnew) => {
  const results = new Map<string, ReturnType<typeof compressAnew>>();
  const compress = (source: Buffer, environment: Record<string, string>) => {
    const key = `${source.toString('latin1')} ${JSON.stringify(environment)}`;
    const result = results.get(key) ?? compressAnew(source, environment);
    results.set(key, result);
    return result;
  };

  describe.each(['avif', 'webp'])('%s', (FORMAT) => {
    describe.each(Object.entries(sources))('of a %s', (_, file) => {
      it('is upright and has no metadata by default', async () => {
        const source = await file;
        const { bytes, report } = await compress(source, { FORMAT });
        expect(difference(await upright(bytes), await upright(source))).toBeLessThan(12);
        expect([report.format, report.dimensions]).toEqual([FORMAT, { width: HEIGHT, height: WIDTH }]);
        for (const private_ of ['Secret', ARTIST, OWNER, 'xmp', 'Exif'])
          expect(text(bytes)).not.toContain(private_);
        const { width, height, orientation, exif, xmp, icc } = await sharp(bytes).metadata();
        expect([width, height, orientation ?? 1]).toEqual([HEIGHT, WIDTH, 1]);
        expect([exif, xmp, icc]).toEqual([undefined, undefined, undefined]);
      });

      it.each([
        ['copyright', false],
        ['all', true],
      ])('keeps metadata with %s', async (KEEP_METADATA, isAll) => {
        const { bytes } = await compress(await file, { FORMAT, KEEP_METADATA });
        expect([text(bytes).includes(ARTIST), text(bytes).includes(OWNER)]).toEqual([true, true]);
        expect(text(bytes).includes('SecretSerial')).toBe(isAll);
        const { exif, orientation } = await sharp(bytes).metadata();
        expect([exif !== undefined, orientation ?? 1]).toEqual([true, 1]);
      });
    });

    const itWithExiftool = hasPrograms('exiftool') ? it : it.skip;
    describe.each(Object.entries(sources))('of a %s, read by exiftool', (_, file) => {
      itWithExiftool.each([
        ['default', undefined, undefined],
        ['copyright', ARTIST, undefined],
        ['all', ARTIST, 'SecretSerial'],
      ])('has the metadata of %s and no fault', async (keep, artist, serialNumber) => {
        const asked = keep === 'default' ? {} : { KEEP_METADATA: keep };
        const { bytes } = await compress(await file, { FORMAT, ...asked });
        const tags = byExiftool(bytes);
        expect([tags['ExifTool:Error'], tags['ExifTool:Warning']]).toEqual([undefined, undefined]);
        expect(tags['File:MIMEType']).toBe(`image/${FORMAT}`);
        expect([tags['EXIF:Artist'], tags['EXIF:SerialNumber']]).toEqual([artist, serialNumber]);
        // The old packet states an orientation, which has been applied.
        expect([tags['XMP:Title'], tags['XMP:Creator']]).toEqual([undefined, artist]);
      });
    });

    it('names in EXIF and XMP whom only IPTC names, and reports what it cannot carry', async () => {
      const full = fullJpeg(await photoJpeg(WIDTH, HEIGHT), 1, WIDTH, HEIGHT);
      const source = Buffer.from(withoutSegments(full, ({ marker }) => marker === 0xe1));
      const { bytes, report } = await compress(source, { FORMAT, KEEP_METADATA: 'copyright' });
      const { exif, xmpAsString } = await sharp(bytes).metadata();
      for (const name of [ARTIST, OWNER]) {
        expect(xmpAsString).toContain(name);
        expect(text(exif!)).toContain(name);
      }
      expect(text(bytes).includes('Secret')).toBe(false);
      expect(report.removed).toEqual(['other-data', 'content-credentials']);
      const all = await compress(source, { FORMAT, KEEP_METADATA: 'all' });
      expect(text(all.bytes)).toContain(OWNER);
      expect(all.report.removed).toEqual(['kept-metadata', 'other-data', 'content-credentials']);
    });

    it('keeps Display P3', async () => {
      const photo = await p3Photo;
      const { bytes } = await compress(photo, { FORMAT });
      const profile = async (image: Uint8Array) => (await sharp(image).metadata()).icc;
      expect(await profile(bytes)).toEqual(await profile(photo));
    });
  });
});
