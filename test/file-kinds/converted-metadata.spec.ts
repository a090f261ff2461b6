/** Metadata, colour profile and orientation of results in other formats, read by libvips and exiftool. */
import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { graphicPng, photoJpeg, rmse } from '../support/images';
import { ARTIST, fullJpeg, fullPngChunks, OWNER } from '../support/metadata-files';
import { withEveryEngine } from './engines';

const [WIDTH, HEIGHT] = [160, 120];
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const sources = {
  JPEG: async () => fullJpeg(await photoJpeg(WIDTH, HEIGHT, { quality: 95 }), 6, WIDTH, HEIGHT),
  PNG: () =>
    Promise.resolve(Buffer.from(withChunks(graphicPng(WIDTH, HEIGHT), fullPngChunks(6, WIDTH, HEIGHT)))),
};
const hasExiftool = spawnSync('exiftool', ['-ver']).status === 0;
/** Author, copyright and serial number as exiftool reads them from EXIF. */
function byExiftool(bytes: Uint8Array): Record<string, string> {
  const { stdout } = spawnSync('exiftool', ['-j', '-EXIF:all', '-'], { input: bytes, encoding: 'utf8' });
  const [tags] = JSON.parse(stdout) as [Record<string, string>];
  return tags;
}
async function upright(image: Uint8Array) {
  const pixels = sharp(image).autoOrient().ensureAlpha().raw();
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
const p3Photo = async () =>
  sharp(await photoJpeg(WIDTH, HEIGHT, { quality: 95 }))
    .withIccProfile('p3')
    .jpeg({ quality: 95 })
    .toBuffer();

withEveryEngine((compress) => {
  describe.each(['avif', 'webp'])('%s', (FORMAT) => {
    describe.each(Object.entries(sources))('of a %s', (_, make) => {
      it('is upright and has no metadata by default', async () => {
        const source = await make();
        const { bytes, report } = await compress(source, { FORMAT });
        expect(rmse(await upright(bytes), await upright(source))).toBeLessThan(12);
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
        const { bytes } = await compress(await make(), { FORMAT, KEEP_METADATA });
        expect([text(bytes).includes(ARTIST), text(bytes).includes(OWNER)]).toEqual([true, true]);
        expect(text(bytes).includes('SecretSerial')).toBe(isAll);
        const { exif, orientation } = await sharp(bytes).metadata();
        expect([exif !== undefined, orientation ?? 1]).toEqual([true, 1]);
        if (!hasExiftool) return;
        const tags = byExiftool(bytes);
        expect([tags['Artist'], tags['Copyright']]).toEqual([ARTIST, OWNER]);
        expect(tags['SerialNumber']).toBe(isAll ? 'SecretSerial' : undefined);
      });
    });

    it('keeps Display P3', async () => {
      const photo = await p3Photo();
      const { bytes } = await compress(photo, { FORMAT });
      const profile = async (image: Uint8Array) => (await sharp(image).metadata()).icc;
      expect(await profile(bytes)).toEqual(await profile(photo));
    });
  });
});
