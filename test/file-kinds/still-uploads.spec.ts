/** WebP and AVIF as uploads: they come back smaller in their own format, or as they are, and nothing of them goes without a word. */
import sharp, { type Sharp } from 'sharp';
import { readAvifHeader } from '../../src/compression/formats/avif/avif-header';
import { uint16s } from '../../src/compression/formats/bytes';
import { QUALITY_TARGETS } from '../../src/compression/domain/compression-policy';
import { readWebpChunks, readWebpHeader, rewriteWebp } from '../../src/compression/formats/webp/webp-file';
import { rewriteAvif } from '../../src/compression/formats/avif/avif-metadata';
import { exifResolution, TAG } from '../../src/compression/formats/exif';
import { box } from '../../src/compression/formats/avif/boxes';
import { shortField, TiffReader, writeTiff } from '../../src/compression/formats/tiff';
import { refusal } from '../support/compressing';
import {
  difference,
  graphicPng,
  noise,
  photoPixels,
  rawImage,
  samplesOf,
  texturedPixels,
} from '../support/images';
import { expectUnchanged, withEveryEngine } from './engines';

const FORMATS = ['webp', 'avif'] as const;
type Format = (typeof FORMATS)[number];
const HEADERS = { webp: readWebpHeader, avif: readAvifHeader };
const WRITERS = { webp: rewriteWebp, avif: rewriteAvif };
const photo = photoPixels(96, 72);
const HIGH = { webp: 95, avif: 90 };
const saved = (image: Sharp, format: Format, quality = HIGH[format]) =>
  image.toFormat(format, { quality, effort: 2 }).toBuffer();
const upload = (format: Format) => saved(rawImage(photo), format);
/** Its author, and where it was taken. */
const EXIF = {
  IFD0: { Artist: 'Ann', Copyright: 'Ann 2026' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 0/1' },
};
/** By the metadata that are kept: whether those are the author, and the place. */
const KEPT = [
  ['none', false, false],
  ['copyright', true, false],
  ['all', true, true],
] as const;
const signed = (format: Format, quality: number) => saved(rawImage(photo).withExif(EXIF), format, quality);
/** Two frames of 40 × 60 px. */
async function animated(described = (image: Sharp) => image) {
  const frame = await rawImage(photoPixels(40, 60)).png().toBuffer();
  return described(sharp([frame, graphicPng(40, 60)], { join: { animated: true } }))
    .webp()
    .toBuffer();
}
const shown = (file: Uint8Array) => samplesOf(sharp(file).ensureAlpha());

/** An AVIF whose profile is replaced by codes of ITU-T H.273. */
async function coded(primaries: number, transfer: number): Promise<Buffer> {
  const avif = await saved(rawImage(photo).withIccProfile('p3'), 'avif');
  const at = avif.indexOf('colrrICC', 0, 'latin1') + 4;
  avif.write('nclx', at, 'latin1');
  avif.set(uint16s(primaries, transfer, 6), at + 4);
  // All 256 values are used.
  avif[at + 10] = 0x80;
  return avif;
}

withEveryEngine((compress) => {
  describe.each(FORMATS)('%s', (format) => {
    it('becomes smaller in its own format, looks the same, and comes back as it is the second time', async () => {
      const source = await upload(format);
      const { bytes, report } = await compress(source);
      expect(report).toMatchObject({ format, dimensions: { width: 96, height: 72 } });
      expect(report.skipReason).toBeUndefined();
      expect(report.quality).toBeLessThan(HIGH[format]);
      expect(report.score).toBeGreaterThanOrEqual(0.9914);
      expect(bytes.length).toBeLessThan(source.length * 0.98);
      expect(difference(await shown(bytes), await shown(source))).toBeLessThan(6);
      await expectUnchanged(compress, bytes);
      // Of a lower target, it is compressed again.
      expect((await compress(bytes, { QUALITY: 'low' })).report.skipReason).toBeUndefined();
    });

    it('comes back as it is if nothing is smaller, and without loss if nothing may be lost', async () => {
      const small = await saved(rawImage(photo), format, 30);
      for (const environment of [{}, { QUALITY: 'lossless' }, { FORMAT: format }]) {
        const { bytes, report } = await compress(small, environment);
        expect(report).toMatchObject({ skipReason: 'already-optimised', format });
        expect(bytes).toEqual(small);
      }
    });

    it('keeps transparency', async () => {
      const source = await saved(rawImage(texturedPixels(96, 72)).ensureAlpha(0.5), format);
      const { bytes, report } = await compress(source);
      expect(report.format).toBe(format);
      expect(HEADERS[format](bytes).mayBeTransparent).toBe(true);
      expect(difference(await shown(bytes), await shown(source))).toBeLessThan(8);
    });

    it('becomes another format, another size and opaque if that is asked for', async () => {
      const source = await saved(rawImage(photo).ensureAlpha(0.5), format);
      const changes = { formats: ['png'], maxDimensionPx: 64, background: [255, 0, 0] } as const;
      const { bytes, report } = await compress(source, {}, changes);
      expect(report).toMatchObject({ format: 'png', dimensions: { width: 64, height: 48 } });
      expect((await sharp(bytes).metadata()).hasAlpha).toBe(false);
    });

    it('loses its place, and keeps its author if that is asked for', async () => {
      // The high quality is coded anew; of the low one only the metadata change.
      for (const quality of [HIGH[format], 30]) {
        const source = await signed(format, quality);
        const bare = await saved(rawImage(photo), format, quality);
        for (const [keep, author, place] of KEPT) {
          const { bytes, report } = await compress(source, { KEEP_METADATA: keep });
          const { exif = Buffer.alloc(0) } = HEADERS[format](bytes).blocks;
          expect([keep, Buffer.from(exif).includes('Ann')]).toEqual([keep, author]);
          expect([keep, holdsPlace(exif)]).toEqual([keep, place]);
          expect(report.skipReason).toBe(quality === 30 && keep === 'all' ? 'already-optimised' : undefined);
          expect(bytes.length).toBeLessThanOrEqual(source.length);
          if (quality === 30) expect(difference(await shown(bytes), await shown(bare))).toBe(0);
        }
      }
    });

    it('keeps its profile', async () => {
      const source = await saved(rawImage(photo).withIccProfile('p3'), format);
      const { icc } = HEADERS[format](source).blocks;
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      expect(HEADERS[format](bytes).blocks.icc).toEqual(icc);
    });

    it('is refused if it is cut off, and says so', async () => {
      const source = await upload(format);
      for (const length of [source.length - 20, 40]) {
        const { reason, message } = await refusal(compress(source.subarray(0, length)));
        expect([length, reason]).toEqual([length, 'damaged']);
        expect(message).toContain('is damaged: it is cut off.');
      }
    });
  });

  it('a WebP is turned as its EXIF says; an AVIF as its own properties say', async () => {
    const tiff = writeTiff([shortField(TAG.orientation, 6)]);
    for (const format of FORMATS) {
      const source = WRITERS[format](await upload(format), { blocks: { exif: tiff } });
      const { report, bytes } = await compress(source);
      const size = format === 'webp' ? { width: 72, height: 96 } : { width: 96, height: 72 };
      expect(report.dimensions).toEqual(size);
      expect(HEADERS[format](bytes).blocks.exif).toBeUndefined();
    }
    const turned = await saved(rawImage(photo).withMetadata({ orientation: 6 }), 'avif');
    const { bytes } = await compress(turned);
    expect(difference(await shown(bytes), await shown(turned))).toBeLessThan(6);
  });

  it('a second pass over kept metadata gives the file back, with the resolution that the EXIF states', async () => {
    for (const format of FORMATS) {
      const source = await signed(format, HIGH[format]);
      const { bytes } = await compress(source, { KEEP_METADATA: 'copyright' });
      const [before, after] = [source, bytes].map((file) =>
        exifResolution(HEADERS[format](file).blocks.exif),
      );
      expect([before?.x, after]).toEqual([25.4, before]);
      await expectUnchanged(compress, bytes, { KEEP_METADATA: 'copyright' });
    }
  });

  it('an animated WebP loses its place, and keeps its author if that is asked for', async () => {
    const source = await animated((image) => image.withExif(EXIF));
    for (const [keep, author, place] of KEPT) {
      const { bytes } = await compress(source, { KEEP_METADATA: keep });
      const { blocks, isAnimated, dimensions } = readWebpHeader(bytes);
      const exif = Buffer.from(blocks.exif ?? []);
      expect([keep, exif.includes('Ann'), holdsPlace(exif)]).toEqual([keep, author, place]);
      expect({ isAnimated, dimensions }).toEqual({ isAnimated: true, dimensions: { width: 40, height: 60 } });
      const frames = [source, bytes].map((file) => samplesOf(sharp(file, { animated: true })));
      expect(difference(await frames[0], await frames[1])).toBe(0);
      await expectUnchanged(compress, bytes, { KEEP_METADATA: keep });
    }
  });

  it('a sequence of AVIFs loses its place where it stands, so that no frame moves', async () => {
    const still = await signed('avif', 50);
    still.write('avis', 8, 'latin1');
    const source = Buffer.concat([still, box('moov', [])]);
    for (const [keep, author] of [
      ['none', false],
      ['copyright', true],
    ] as const) {
      const { bytes } = await compress(source, { KEEP_METADATA: keep });
      const { blocks, isAnimated } = readAvifHeader(bytes);
      expect([isAnimated, bytes.length]).toEqual([true, source.length]);
      expect([keep, bytes.includes('Ann'), holdsPlace(bytes)]).toEqual([keep, author, false]);
      expect(TiffReader.open(blocks.exif!)).toBeDefined();
      const frame = source.indexOf('mdat');
      expect(bytes.subarray(0, frame)).toEqual(source.subarray(0, frame));
      await expectUnchanged(compress, bytes, { KEEP_METADATA: keep });
    }
  });

  it('a sequence of AVIFs without a primary item comes back as it is', async () => {
    const still = await upload('avif');
    still.write('avis', 8, 'latin1');
    still.write('free', still.indexOf('pitm', 0, 'latin1'), 'latin1');
    const source = Buffer.concat([still, box('moov', [])]);
    const { bytes, report } = await compress(source);
    expect([report.skipReason, Buffer.compare(bytes, source)]).toEqual(['animated', 0]);
  });

  it('an animated WebP comes back as it is, and becomes no other format', async () => {
    const source = await animated();
    expect(readWebpChunks(source).some(({ type }) => type === 'ANIM')).toBe(true);
    const { bytes, report } = await compress(source);
    expect(report).toMatchObject({ skipReason: 'animated', format: 'webp' });
    expect(bytes).toEqual(source);
    const { reason } = await refusal(compress(source, { FORMAT: 'png' }));
    expect(reason).toBe('animation');
  });

  it('an AVIF in HDR comes back as it is, and is never flattened', async () => {
    const source = await coded(9, 16);
    const { bytes, report } = await compress(source);
    expect(report.skipReason).toBe('hdr');
    expect(bytes).toEqual(source);
    for (const FORMAT of ['jpeg', 'webp'])
      expect((await refusal(compress(source, { FORMAT }))).reason).toBe('colours');
    expect((await compress(source, {}, { maxDimensionPx: 64, defaultMaxDimensionPx: 3840 })).bytes).toEqual(
      source,
    );
    const { report: scaled } = await compress(source, { FORMAT: 'png' });
    expect(scaled.format).toBe('png');
  });

  it('a depth map of an AVIF goes, and is named', async () => {
    const source = await saved(rawImage(photo).ensureAlpha(0.5), 'avif');
    // An auxiliary image says by its name what it is.
    source.write('depth', source.indexOf('auxiliary:alpha', 0, 'latin1') + 'auxiliary:'.length, 'latin1');
    const { bytes, report } = await compress(source);
    expect(report.removed).toEqual(['depth']);
    expect(readAvifHeader(bytes).mayBeTransparent).toBe(false);
  });

  it('wide colours of an AVIF without a profile get one', async () => {
    const source = await coded(12, 13);
    const { bytes, report } = await compress(source);
    expect(report.skipReason).toBeUndefined();
    expect(readAvifHeader(bytes).blocks.icc?.length).toBeGreaterThan(200);
  });

  it('a drawing that was coded with loss is coded with loss again: its noise is no drawing', async () => {
    const source = await sharp(graphicPng(200, 150)).webp({ quality: 99 }).toBuffer();
    const { bytes, report } = await compress(source);
    expect([report.format, report.skipReason]).toEqual(['webp', undefined]);
    expect(readWebpHeader(bytes).isLossy).toBe(true);
  });

  it('a lossless WebP that looks like its pixels at no quality has its samples rounded, once', async () => {
    const source = await rawImage(noise(64, 64, 3, 1))
      .webp({ lossless: true })
      .toBuffer();
    const { bytes, report } = await compress(source, { QUALITY: 'very-high' });
    expect([report.format, report.quality]).toEqual(['webp', undefined]);
    expect(report.score).toBeGreaterThan(QUALITY_TARGETS['very-high']);
    expect(bytes.length).toBeLessThan(source.length * 0.7);
    await expectUnchanged(compress, bytes, { QUALITY: 'very-high' });
  });

  it('a lossless WebP with colours that do not show comes back as it is if nothing may be lost', async () => {
    const hidden = rawImage(photo).ensureAlpha(0);
    const source = await hidden.webp({ lossless: true, exact: true, effort: 0 }).toBuffer();
    await expectUnchanged(compress, source, { QUALITY: 'lossless' });
    expect((await refusal(compress(source, { QUALITY: 'lossless', FORMAT: 'avif' }))).reason).toBe(
      'conversion',
    );
  });

  it('a lossless WebP of a drawing stays lossless in its coding', async () => {
    const source = await sharp(graphicPng(128, 96)).webp({ lossless: true, effort: 0 }).toBuffer();
    const { bytes, report } = await compress(source, { QUALITY: 'lossless' });
    expect(report).toMatchObject({ format: 'webp', score: 1 });
    expect(readWebpHeader(bytes).isLossy).toBe(false);
    expect(difference(await shown(bytes), await shown(source))).toBe(0);
  });
});

function holdsPlace(exif: Uint8Array) {
  return (
    Buffer.from(exif).includes(Buffer.of(0x25, 0x88)) || Buffer.from(exif).includes(Buffer.of(0x88, 0x25))
  );
}
