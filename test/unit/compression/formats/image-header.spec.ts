import {
  heldBytesOfPng,
  readAcceptedHeader,
  refuseCostlyJpeg,
  refuseCostlyPng,
} from '../../../../src/compression/formats/image-header';
import { readJpegFile } from '../../../../src/compression/formats/jpeg/jpeg-segments';
import type { JpegStructure } from '../../../../src/compression/formats/jpeg/jpeg-structure';
import type { PngStructure } from '../../../../src/compression/formats/png/png-structure';
import { partOf } from '../../../support/part-of';
import { pngOfKind } from '../../../support/png-types';

const SOS = [0xff, 0xda, 0, 2];
const jpegOf = (...pieces: number[][]) => Uint8Array.of(0xff, 0xd8, ...pieces.flat());
const countScans = (bytes: Uint8Array) => readJpegFile(bytes).scans;

const jpeg = (scans: number, width: number, height: number, samplings = [0x22, 0x11, 0x11]) =>
  partOf<JpegStructure>({
    scans,
    isHeldWhole: scans > 1,
    storedSize: { width, height },
    components: samplings.map((s) => ({ horizontalSampling: s >> 4, verticalSampling: s & 15 })),
  });
const png = (width: number, height: number, kind: Partial<PngStructure>) =>
  partOf<PngStructure>({
    storedSize: { width, height },
    isInterlaced: true,
    colourType: 2,
    bitDepth: 8,
    ...kind,
  });

describe('the scans of a JPEG', () => {
  it('are not taken from stuffed bytes, restart markers, fill bytes, metadata, or what follows the image', () => {
    expect(countScans(jpegOf(SOS, [0xff, 0x00, 0xda, 0xff, 0xd3, 0xff, 0xff, 0xd9], SOS))).toBe(1);
    expect(countScans(jpegOf([0xff, 0xe1, 0, 6, 0xff, 0xda, 0, 2], SOS, [0xff, 0xd9], SOS))).toBe(1);
  });

  it('end with the file, also in the middle of a segment', () => {
    expect(countScans(jpegOf(SOS, [0xff]))).toBe(1);
    expect(countScans(jpegOf(SOS, [0xff, 0xe1]))).toBe(1);
    expect(countScans(jpegOf([0xff, 0xe1, 0xff, 0xff], SOS))).toBe(0);
  });

  it('may be 20 in an image of any size', () => {
    expect(() => refuseCostlyJpeg(jpeg(20, 16_000, 16_000, [0x11]))).not.toThrow();
    expect(() => refuseCostlyJpeg(jpeg(24, 16_000, 16_000, [0x11]))).toThrow(
      /24 scans.*limit at its size is 23/,
    );
  });
});

describe('what a decoder holds', () => {
  it('is 0 for a single scan and for rows that are not interlaced', () => {
    expect(() => refuseCostlyJpeg(jpeg(1, 60_000, 60_000, [0x11, 0x11, 0x11, 0x11]))).not.toThrow();
    const deep = { colourType: 6, bitDepth: 16, isInterlaced: false };
    expect(() => refuseCostlyPng(png(60_000, 60_000, deep))).not.toThrow();
  });

  it('is two bytes per coefficient with several scans', () => {
    const limit = 2 ** 30;
    for (const [samplings, samples] of [
      [[0x11], 1],
      [[0x22, 0x11, 0x11], 1.5],
      [[0x21, 0x11, 0x11], 2],
      [[0x11, 0x11, 0x11], 3],
      [[0x11, 0x11, 0x11, 0x11], 4],
    ] as const) {
      const most = Math.floor(limit / (samples * 2));
      expect(() => refuseCostlyJpeg(jpeg(2, most, 1, [...samplings]))).not.toThrow();
      expect(() => refuseCostlyJpeg(jpeg(2, most + 1, 1, [...samplings]))).toThrow(/baseline/);
    }
  });

  it('counts, of PNGs, only interlaced ones, with the samples of their colour type', () => {
    const deep = { colourType: 6, bitDepth: 16 };
    expect(heldBytesOfPng(png(60_000, 2_000, { ...deep, isInterlaced: false }))).toBe(0);
    expect(heldBytesOfPng(png(60_000, 2_000, deep))).toBe(60_000 * 2_000 * 8 + 128 * 2 ** 20);
    expect(heldBytesOfPng(png(100, 10, { colourType: 0 }))).toBe(2 * 100 * 10);
  });

  it('says whether a PNG may be transparent', () => {
    const declared = (colourType: 2 | 6, hasTransparentColour: boolean) => {
      const kind = { colourType, bitDepth: 8, hasTransparentColour } as const;
      return readAcceptedHeader(
        pngOfKind(kind, 2, 2, () => 0),
        1e9,
      ).mayBeTransparent;
    };
    expect([declared(2, false), declared(2, true), declared(6, false)]).toEqual([false, true, true]);
  });

  it('is every sample of an interlaced PNG', () => {
    for (const [colourType, bitDepth, bytes] of [
      [0, 1, 1],
      [2, 8, 3],
      [3, 4, 4],
      [4, 16, 4],
      [6, 16, 8],
    ]) {
      const most = Math.floor(2 ** 30 / bytes);
      expect(() => refuseCostlyPng(png(most, 1, { colourType, bitDepth }))).not.toThrow();
      expect(() => refuseCostlyPng(png(most + 1, 1, { colourType, bitDepth }))).toThrow(/interlacing/);
    }
  });
});
