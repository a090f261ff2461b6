/** A viewer that supports profiles (Little CMS in libvips, which the service does not use here) shows the same. */
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { readJpegStructure } from '../../src/compression/formats/jpeg/jpeg-structure';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import {
  adobeRgb,
  builtIn,
  greyOfGamma,
  linearRgb,
  proPhoto,
  lookupTable,
  swappedChannels,
} from '../support/icc-profiles';
import {
  graphicPng,
  photoJpeg,
  photoPixels,
  randomNumbers,
  rawImage,
  difference,
  samplesOf,
} from '../support/images';
import { withMetadata } from '../support/jpeg-metadata';
import { withEveryEngine } from './engines';
import { cicpChunk, gamaChunk, iccpChunk } from './png-parts';

/** The image as displayed on an sRGB screen. */
const managed = (bytes: Uint8Array, ignoreIcc = false) =>
  samplesOf(sharp(bytes, { ignoreIcc }).toColourspace('srgb').ensureAlpha());
const unmanaged = (bytes: Uint8Array) => managed(bytes, true);
const profileIn = async (bytes: Uint8Array) => (await sharp(bytes).metadata()).icc;
const profiles = {
  'Display P3': () => builtIn('p3'),
  'Adobe RGB': () => Promise.resolve(adobeRgb()),
  'swapped channels': () => Promise.resolve(swappedChannels()),
};

const sameSamples = (a: Uint8Array, b: Uint8Array) =>
  PNG.sync.read(Buffer.from(a)).data.equals(PNG.sync.read(Buffer.from(b)).data);

function manyColoured() {
  const random = randomNumbers(7);
  const png = new PNG({ width: 160, height: 120 });
  for (let i = 0; i < 160 * 120; i++) {
    const area = ((i % 160) >> 4) + ((i / 160) >> 4) * 10;
    const colour = [60 + area * 2, 200 - area * 2, 120 + (area % 7) * 8];
    png.data.set([...colour.map((value) => value + Math.floor(random() * 3)), 255], i * 4);
  }
  return PNG.sync.write(png, { deflateLevel: 1, filterType: 0, colorType: 2 });
}

withEveryEngine((compress, engine) => {
  if (engine === 'native')
    it('an image of many colours gets a palette unless its colour space prevents it', async () => {
      const { bytes } = await compress(manyColoured());
      expect(sameSamples(bytes, manyColoured())).toBe(false);
    });

  describe.each(Object.entries(profiles))('%s', (_, profile) => {
    it('JPEG: looks the same through the profile, even if it is scaled', async () => {
      const iccProfile = await profile();
      const source = await photoJpeg(200, 150, { iccProfile });
      const changed = difference(await managed(source), await unmanaged(source));
      expect(changed).toBeGreaterThan(3);
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      expect(await profileIn(bytes)).toEqual(iccProfile);
      const compression = difference(await unmanaged(source), await unmanaged(bytes));
      expect(difference(await managed(source), await managed(bytes))).toBeLessThan(compression * 1.5 + 0.5);
      const { bytes: small } = await compress(source, { MAX_DIMENSION_PX: '100' });
      expect(await profileIn(small)).toEqual(iccProfile);
    });

    it('PNG: looks the same through the profile', async () => {
      const source = Buffer.from(withChunks(graphicPng(120, 90), [iccpChunk(await profile())]));
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      expect(await profileIn(bytes)).toEqual(await profile());
      expect(difference(await managed(source), await managed(bytes))).toBeLessThan(0.5);
    });
  });

  it('removes plain sRGB profiles from JPEG and PNG', async () => {
    const iccProfile = await builtIn('srgb');
    for (const source of [
      await photoJpeg(200, 150, { iccProfile }),
      Buffer.from(withChunks(graphicPng(120, 90), [iccpChunk(iccProfile)])),
    ]) {
      const { bytes, report } = await compress(source);
      expect(report.skipReason).toBeUndefined();
      expect(await profileIn(bytes)).toBeUndefined();
      expect(difference(await managed(source), await managed(bytes))).toBeLessThan(4);
    }
  });

  it('keeps a profile with contradictory parts unchanged, which viewers ignore', async () => {
    const source = Buffer.from(await photoJpeg(200, 150, { iccProfile: swappedChannels() }));
    source[source.indexOf('ICC_PROFILE\0') + 12] = 2;
    expect(readJpegStructure(source).iccProfile).toBeUndefined();
    const { bytes } = await compress(source);
    const part = (file: Uint8Array) => {
      const at = Buffer.from(file).indexOf('ICC_PROFILE\0');
      return Buffer.from(file).subarray(at, at + 14 + swappedChannels().length);
    };
    expect(part(bytes)).toEqual(part(source));
  });

  it('grey stays grey, with its profile', async () => {
    const grey = rawImage(photoPixels(200, 150));
    const jpeg = withMetadata(await grey.clone().toColourspace('b-w').jpeg({ quality: 95 }).toBuffer(), {
      iccProfile: greyOfGamma(1.8),
    });
    const png = withChunks(await grey.clone().toColourspace('b-w').png({ compressionLevel: 1 }).toBuffer(), [
      iccpChunk(greyOfGamma(1.8)),
    ]);
    for (const source of [jpeg, png]) {
      const { bytes, report } = await compress(source);
      const { channels, icc } = await sharp(bytes).metadata();
      expect([report.skipReason, channels]).toEqual([undefined, 1]);
      expect(icc).toEqual(greyOfGamma(1.8));
      expect(difference(await managed(source), await managed(bytes))).toBeLessThan(6);
    }
  });

  it('a grey image stored as RGB keeps its RGB profile and stays RGB', async () => {
    const source = PNG.sync.read(graphicPng(120, 90));
    for (let i = 0; i < source.data.length; i += 4)
      source.data.set([(i >> 4) % 200, (i >> 4) % 200, (i >> 4) % 200, 255], i);
    const png = withChunks(PNG.sync.write(source, { deflateLevel: 1, filterType: 0 }), [
      iccpChunk(adobeRgb()),
    ]);
    const { bytes } = await compress(png, { QUALITY: 'lossless' });
    expect(await profileIn(bytes)).toEqual(adobeRgb());
    expect([2, 3, 6]).toContain(readPngStructure(bytes).colourType);
    expect(difference(await managed(png), await managed(bytes))).toBe(0);
  });

  it.each([
    ['gAMA of linear light', [gamaChunk(100_000)]],
    ['PQ in cICP', [cicpChunk(9, 16, 0, 1)]],
    ['a profile of linear light', [iccpChunk(linearRgb())]],
    ['a profile of a far wider gamut', [iccpChunk(proPhoto())]],
    ['BT.2020 in cICP', [cicpChunk(9, 13, 0, 1)]],
  ])('%s: stays lossless and keeps the chunk, although its colours suit a palette', async (_, chunks) => {
    const source = withChunks(manyColoured(), chunks);
    const { bytes, report } = await compress(source);
    expect(report.skipReason).toBeUndefined();
    expect(sameSamples(bytes, source)).toBe(true);
    expect(readPngStructure(bytes).colourChunks.map(({ type }) => type)).toEqual(
      chunks.map(({ type }) => type),
    );
    expect(await profileIn(bytes)).toEqual(await profileIn(source));
  });

  it.each([
    ['linear light', linearRgb()],
    ['lookup tables', lookupTable()],
  ])('a JPG with a profile of %s is only rewritten losslessly, at any density', async (_, profile) => {
    const source = await photoJpeg(320, 240, { iccProfile: profile });
    for (const density of [1, 2]) {
      const { bytes, report } = await compress(source, {}, { density });
      expect(report).toMatchObject({ score: 1 });
      expect(await profileIn(bytes)).toEqual(profile);
      expect(difference(await unmanaged(source), await unmanaged(bytes))).toBe(0);
    }
  });

  it('compresses a PNG in Adobe RGB with loss', async () => {
    const { report } = await compress(withChunks(manyColoured(), [iccpChunk(adobeRgb())]));
    expect(report.score).toBeLessThan(1);
  });

  it('keeps cHRM of other primaries, and the fallback beside cICP', async () => {
    const chrm = pngChunk('cHRM', Buffer.alloc(32, 1));
    const chunks = [cicpChunk(12, 13, 0, 1), gamaChunk(45_455), chrm];
    const { bytes } = await compress(withChunks(graphicPng(120, 90), chunks));
    expect(readPngStructure(bytes).colourChunks.map(({ type }) => type)).toEqual(['cICP', 'gAMA', 'cHRM']);
  });

  it('removes gAMA, cHRM, sRGB and cICP that mean plain sRGB', async () => {
    const srgb = [pngChunk('sRGB', Buffer.of(0)), gamaChunk(45_455), cicpChunk(1, 13, 0, 1)];
    const { bytes } = await compress(withChunks(graphicPng(120, 90), srgb));
    const types = readPngStructure(bytes).chunks.map(({ type }) => type);
    expect(types.filter((type) => ['sRGB', 'gAMA', 'cICP'].includes(type))).toEqual([]);
  });
});
