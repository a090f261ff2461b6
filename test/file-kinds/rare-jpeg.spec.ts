/** CMYK is never converted unless it must be scaled, grey stays grey, and a refusal names what cannot be decoded. */
import sharp from 'sharp';
import { ImageRefused } from '../../src/contract/image-problems';
import { readJpegStructure } from '../../src/compression/formats/jpeg/jpeg-structure';
import { photoJpeg, photoPixels, difference, rawImage } from '../support/images';
import { expectUnchanged, withEveryEngine } from './engines';

const [WIDTH, HEIGHT] = [240, 160];
const photo = () => rawImage(photoPixels(WIDTH, HEIGHT));
/** As stored by Adobe's programs: inverted, and as YCCK if the last byte of the marker is 2. */
const cmyk = async (profile: boolean) =>
  photo().toColourspace('cmyk').withIccProfile('cmyk', { attach: profile }).jpeg({ quality: 90 }).toBuffer();
const inks = (jpeg: Uint8Array) =>
  sharp(jpeg, { ignoreIcc: true })
    .pipelineColourspace('cmyk')
    .toColourspace('cmyk')
    .raw()
    .toBuffer({ resolveWithObject: true });
const adobeMarker = (jpeg: Uint8Array) => {
  const at = Buffer.from(jpeg).indexOf('Adobe\0');
  return at < 0 ? undefined : jpeg[at + 11];
};

/** A JPEG whose frame header declares another process. */
async function codedAs(marker: number, bits: number): Promise<Buffer> {
  const jpeg = Buffer.from(await photoJpeg(64, 48));
  const at = jpeg.indexOf(Buffer.of(0xff, 0xc0, 0, 17, 8));
  jpeg.set([0xff, marker, 0, 17, bits], at);
  return jpeg;
}

withEveryEngine((compress, engine) => {
  it.each([
    ['with a profile', true],
    ['without one', false],
  ])('CMYK %s: same samples, same profile, same Adobe marker', async (_, hasProfile) => {
    const source = await cmyk(hasProfile);
    expect(readJpegStructure(source).components).toHaveLength(4);
    const { bytes, report } = await compress(source, { MIN_SAVINGS_PERCENT: '0' });
    expect(report.score).toBe(1);
    // The portable engine has no lossless rewrite, so the file is returned unchanged.
    expect(report.skipReason).toBe(engine === 'native' ? undefined : 'already-optimised');
    const [before, after] = [await inks(source), await inks(bytes)];
    expect([after.info.channels, after.data]).toEqual([4, before.data]);
    expect(adobeMarker(bytes)).toBe(adobeMarker(source));
    expect((await sharp(bytes).metadata()).icc).toEqual((await sharp(source).metadata()).icc);
    expect(difference(source, bytes)).toBe(0);
  });

  it('CMYK whose components share an id comes back as it is', async () => {
    const source = await cmyk(false);
    // Frame and scan header: the ids of the first component and the fourth.
    for (const [marker, first, fourth] of [
      [0xc0, 10, 19],
      [0xda, 5, 11],
    ]) {
      const at = source.indexOf(Buffer.of(0xff, marker));
      source[at + fourth] = source[at + first];
    }
    await expectUnchanged(compress, source, { MIN_SAVINGS_PERCENT: '0' });
  });

  it('CMYK that is too large becomes RGB according to its profile', async () => {
    const source = await cmyk(true);
    const { bytes } = await compress(source, { MAX_DIMENSION_PX: '120' });
    const { channels, icc, width } = await sharp(bytes).metadata();
    expect([channels, icc, width]).toEqual([3, undefined, 120]);
    const managed = await sharp(source).resize(120).toColourspace('srgb').ensureAlpha().raw().toBuffer();
    const changed = difference({ width: 120, height: 80, data: managed }, bytes);
    // The portable engine ignores the profile and interprets CMYK by Adobe's marker.
    expect(changed).toBeLessThan(engine === 'native' ? 6 : 60);
  });

  it('grey stays one channel, compressed or scaled', async () => {
    const source = await photo().toColourspace('b-w').jpeg({ quality: 97 }).toBuffer();
    for (const settings of [{}, { MAX_DIMENSION_PX: '120' }]) {
      const { bytes, report } = await compress(source, settings);
      expect(report.skipReason).toBeUndefined();
      expect(readJpegStructure(bytes).components).toHaveLength(1);
    }
  });

  it.each([
    [0xc1, 12, '12-bit samples'],
    [0xc3, 16, 'lossless coding (SOF3) and 16-bit samples'],
    [0xc5, 8, 'hierarchical coding (SOF5)'],
    [0xc7, 8, 'hierarchical coding (SOF7)'],
    [0xca, 12, 'arithmetic coding (SOF10) and 12-bit samples'],
    [0xcb, 8, 'lossless arithmetic coding (SOF11)'],
  ])('frame header %i with %i bits: the refusal says %s', async (marker, bits, feature) => {
    const refusal = await compress(await codedAs(marker, bits)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ImageRefused);
    expect((refusal as ImageRefused).code).toBe('undecodable_image');
    expect((refusal as ImageRefused).message).toContain(`it uses ${feature}, which`);
  });

  it('the refusal of a damaged baseline JPEG names no feature', async () => {
    const jpeg = await photoJpeg(64, 48);
    const refusal = await compress(jpeg.subarray(0, jpeg.length / 2)).catch((error: unknown) => error);
    expect((refusal as ImageRefused).message).toContain('damaged, truncated or of an unsupported type');
  });
});
