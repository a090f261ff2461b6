/** What describes the colours of a file, and what says the same in another. Chromium is the judge in test/file-kinds. */
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { srgbLight, srgbSample, toneTables } from '../../../../src/compression/domain/tone';
import {
  haveSameColours,
  isPlainSrgb,
  readMatrixProfile,
  toneCurve,
} from '../../../../src/compression/formats/icc-profile';
import { solvePrimaries, rgbProfile } from '../../../../src/compression/formats/icc-writer';
import { pngChunk, type PngChunk } from '../../../../src/compression/formats/png/png-chunks';
import { mayBeGrey } from '../../../../src/compression/formats/png/png-colour';
import { withEightBits } from '../../../../src/compression/formats/png/png-depth';
import { withChunks } from '../../../../src/compression/formats/png/png-metadata';
import { pngColours } from '../../../../src/compression/formats/png/png-shown-colours';
import { readPngStructure } from '../../../../src/compression/formats/png/png-structure';
import { builtIn, labProfile } from '../../../support/icc-profiles';
import { graphicPng } from '../../../support/images';
import { chrmChunk, CHROMATICITIES, cicpChunk, gamaChunk, iccpChunk } from '../../../file-kinds/png-parts';

const { srgb, rounded, p3 } = CHROMATICITIES;
const structure = (...chunks: PngChunk[]) => readPngStructure(withChunks(graphicPng(8, 8), chunks));
const kept = (...chunks: PngChunk[]) => structure(...chunks).colourChunks.map(({ type }) => type);

describe('of gAMA and cHRM, a PNG keeps', () => {
  const sRgb = pngChunk('sRGB', Buffer.of(0));
  it.each<[string, PngChunk[], string[]]>([
    ['both, also if they say sRGB', [gamaChunk(45_455), chrmChunk(srgb)], ['gAMA', 'cHRM']],
    ['both, rounded', [gamaChunk(45_454), chrmChunk(rounded)], ['gAMA', 'cHRM']],
    ['no cHRM without gAMA', [chrmChunk(p3)], []],
    ['no cHRM with a gAMA of 0', [gamaChunk(0), chrmChunk(p3)], []],
    ['no gAMA of sRGB, rounded', [gamaChunk(45_450)], []],
    ['another gAMA', [gamaChunk(45_000)], ['gAMA']],
    ['nothing under sRGB', [sRgb, gamaChunk(100_000), chrmChunk(p3)], []],
  ])('%s', (_, chunks, types) => expect(kept(...chunks)).toEqual(types));
});

describe('another format', () => {
  const described = (...chunks: PngChunk[]) => {
    const { curves, icc } = pngColours(structure(...chunks)) ?? {};
    return [curves !== undefined, icc !== undefined];
  };
  it.each<[string, PngChunk[], boolean, boolean]>([
    ['neither curves nor a profile for a rounded cHRM', [chrmChunk(rounded)], false, false],
    ['curves, but no profile for rounded primaries', [gamaChunk(45_455), chrmChunk(rounded)], true, false],
    ['both for other primaries', [gamaChunk(45_455), chrmChunk(p3)], true, true],
    ['a profile for Display P3 in cICP', [cicpChunk(12, 13, 0, 1)], false, true],
    [
      'neither for a cHRM that no display can have',
      [gamaChunk(1), chrmChunk(Array(8).fill(0))],
      false,
      false,
    ],
  ])('gets %s', (_, chunks, hasCurves, hasProfile) =>
    expect(described(...chunks)).toEqual([hasCurves, hasProfile]),
  );

  it.each([16, 18])('is refused for transfer %i (PQ, HLG)', (transfer) =>
    expect(pngColours(structure(cicpChunk(9, transfer, 0, 1)))).toBeUndefined(),
  );

  it('is refused for a profile for Lab, which Chromium applies in a PNG only', () =>
    expect(pngColours(structure(iccpChunk(labProfile())))).toBeUndefined());
});

const profile = (values: readonly number[]) =>
  rgbProfile(solvePrimaries(values.map((value) => value / 100_000))!);

describe('a written profile', () => {
  it('of sRGB is recognised as plain', () => expect(isPlainSrgb(profile(srgb))).toBe(true));

  it('has the primaries of Display P3 as others write them, and the curve of sRGB', async () => {
    const others = await builtIn('p3');
    const [ours, theirs] = [profile(p3), others].map((bytes) => readMatrixProfile(bytes)!);
    // libvips rounds one of them by 0.001.
    const differences = ours.primaries.flat().map((value, i) => Math.abs(value - theirs.primaries.flat()[i]));
    expect(Math.max(...differences)).toBeLessThan(0.002);
    for (const sample of [0, 0.02, 0.3, 1]) expect(ours.curves[1](sample)).toBeCloseTo(srgbLight(sample), 4);
    expect(profile(p3).length).toBeLessThan(450);
  });

  it('has the same colours as one of others, also with other bytes, and not those of sRGB', async () => {
    const others = await builtIn('p3');
    expect(haveSameColours(profile(p3), others)).toBe(true);
    expect(haveSameColours(profile(srgb), others)).toBe(false);
    expect(haveSameColours(new Uint8Array(), others)).toBe(false);
  });

  it('is understood by Little CMS', async () => {
    const file = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#c83c32' } })
      .png()
      .toBuffer();
    const shown = await sharp(withChunks(file, [iccpChunk(profile(p3))]))
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    // Display P3 (200, 60, 50) is a stronger red in sRGB.
    for (const [i, sample] of [216, 44, 37].entries())
      expect(Math.abs(shown[i] - sample)).toBeLessThanOrEqual(3);
  });
});

it.each([
  [1, [2, 2, -0.5], 0.5, 0.25],
  [1, [2, 2, -0.5], 0.2, 0],
  [2, [2, 2, -0.5, 0.125], 0.2, 0.125],
  [4, [1, 1, 0, 0.5, 0.4, 0.25, 0.125], 0.2, 0.225],
  [4, [1, 1, 0, 0.5, 0.4, 0.25, 0.125], 0.5, 0.75],
])('reads parametric curves of kind %i: %j at %f', (kind, parameters, sample, light) => {
  const tag = Buffer.alloc(12 + parameters.length * 4);
  tag.write('para', 'latin1');
  tag.writeUInt16BE(kind, 8);
  parameters.forEach((value, i) => tag.writeInt32BE(value * 65_536, 12 + i * 4));
  expect(toneCurve(tag)!(sample)).toBeCloseTo(light, 4);
});

it('linear light of 16 bits gets its curve before it is rounded; alpha is rounded alone', async () => {
  const samples = Uint16Array.from({ length: 256 * 4 }, (_, i) => (i % 4 === 3 ? 32_896 : (i >> 2) * 16));
  const raw = { width: 256, height: 1, channels: 4 as const };
  const png = await sharp(samples, { raw }).toColourspace('rgb16').png().toBuffer();
  const linear = (sample: number) => sample;
  const eight = withEightBits(png, true, () => toneTables([linear, linear, linear], 65_536))!;
  const { data } = PNG.sync.read(Buffer.from(eight));
  const reds = data.filter((_, i) => i % 4 === 0);
  expect(new Set(reds).size).toBeGreaterThan(60);
  expect([reds[0], reds[255]]).toEqual([0, Math.round(255 * srgbSample((255 * 16) / 65_535))]);
  expect(new Set(data.filter((_, i) => i % 4 === 3))).toEqual(new Set([128]));
});

it('a grey image stored as RGB may become grey beside gAMA and cHRM, not beside a profile', () => {
  expect(mayBeGrey([gamaChunk(45_455), chrmChunk(srgb)])).toBe(true);
  expect(mayBeGrey([iccpChunk(profile(p3))])).toBe(false);
});
