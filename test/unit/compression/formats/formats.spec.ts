import sharp from 'sharp';
import { readOrientation } from '../../../../src/compression/formats/exif';
import { isPlainSrgb } from '../../../../src/compression/formats/icc-profile';
import { readSource, readAcceptedHeader } from '../../../../src/compression/formats/image-header';
import {
  readJpegFrame,
  readJpegStructure,
  readLumaSteps,
} from '../../../../src/compression/formats/jpeg/jpeg-structure';
import { readPngStructure } from '../../../../src/compression/formats/png/png-structure';
import { chunkOf as chunk } from '../../../support/animations';
import { builtIn } from '../../../support/icc-profiles';
import { graphicPng, photoJpeg, photoPixels, rawImage } from '../../../support/images';

async function savedAt(quality: number, mozjpeg: boolean): Promise<Buffer> {
  return rawImage(photoPixels(32, 32)).jpeg({ quality, mozjpeg }).toBuffer();
}

describe('JPEG', () => {
  it('detects from the frame and the first scan what a decoder must hold completely', async () => {
    const pixels = sharp({ create: { width: 32, height: 32, channels: 3, background: 'red' } });
    const baseline = await pixels.clone().jpeg().toBuffer();
    expect(readJpegFrame(baseline).isHeldWhole).toBe(false);
    expect(readJpegFrame(await pixels.clone().jpeg({ progressive: true }).toBuffer()).isHeldWhole).toBe(true);
    // A progressive frame of one scan, and a baseline frame whose first scan has fewer components.
    const [frame, scan] = [baseline.indexOf(Buffer.of(0xff, 0xc0)), baseline.indexOf(Buffer.of(0xff, 0xda))];
    const changed = (at: number, value: number) => Buffer.from(baseline).fill(value, at, at + 1);
    expect(readJpegFrame(changed(frame + 1, 0xc2)).isHeldWhole).toBe(true);
    expect(readJpegFrame(changed(scan + 4, 1)).isHeldWhole).toBe(true);
    expect(readAcceptedHeader(changed(scan + 4, 1), 1e9).heldBytes).toBe(32 * 32 * 3);
    expect(readAcceptedHeader(baseline, 1e9).heldBytes).toBe(0);
  });

  it('reads components and quantization steps from the header alone', async () => {
    const jpeg = await savedAt(60, false);
    const header = jpeg.subarray(0, jpeg.indexOf(Buffer.of(0xff, 0xda)) + 4);
    expect(readJpegFrame(header).components).toHaveLength(3);
    expect(readLumaSteps(header)).toEqual(readJpegStructure(jpeg).lumaSteps);
    expect(readLumaSteps(jpeg.subarray(0, 40))).toBeUndefined();
  });

  it('does not read past the end of a truncated file', async () => {
    const jpeg = await photoJpeg(16, 16, { orientation: 3, iccProfile: Buffer.alloc(300) });
    for (let end = 0; end < jpeg.length; end++) {
      try {
        readSource(jpeg.subarray(0, end), 1e9);
      } catch (error) {
        expect(error).toHaveProperty('code');
      }
    }
  });
});

describe('EXIF', () => {
  const tiff = (order: 'II' | 'MM', value: number, type = 3) => {
    const bytes = Buffer.alloc(26);
    bytes.write(order, 'latin1');
    const put16 = (v: number, at: number) =>
      order === 'II' ? bytes.writeUInt16LE(v, at) : bytes.writeUInt16BE(v, at);
    put16(42, 2);
    if (order === 'II') bytes.writeUInt32LE(8, 4);
    else bytes.writeUInt32BE(8, 4);
    [1, 0x0112, type].forEach((v, i) => put16(v, 8 + i * 2));
    put16(value, 18);
    return bytes;
  };

  it('is upright if the value, the type or the block is invalid', () => {
    const senseless = [
      tiff('II', 0),
      tiff('II', 9),
      tiff('MM', 6, 4),
      tiff('MM', 6).subarray(0, 15),
      Buffer.alloc(0),
    ];
    expect(senseless.map(readOrientation)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe('ICC', () => {
  it('does not accept a profile with a lookup table as sRGB', async () => {
    const srgb = await builtIn('srgb');
    const table = srgb.indexOf('cprt');
    const withTable = Buffer.concat([srgb.subarray(0, table), Buffer.from('A2B0'), srgb.subarray(table + 4)]);
    expect(isPlainSrgb(withTable)).toBe(false);
  });

  it('does not accept a renamed or damaged profile as sRGB', async () => {
    const p3 = await builtIn('p3');
    expect(
      isPlainSrgb(Buffer.from(p3.toString('latin1').replaceAll('Display P3', 'sRGB IEC61'), 'latin1')),
    ).toBe(false);
    expect(isPlainSrgb((await builtIn('srgb')).subarray(0, 300))).toBe(false);
    expect(isPlainSrgb(Buffer.alloc(0))).toBe(false);
  });
});

describe('PNG', () => {
  const pngWith = (...chunks: Buffer[]) => {
    const png = graphicPng(8, 8);
    return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
  };
  const typesOf = (png: Uint8Array) => readPngStructure(png).chunks.map(({ type }) => type);

  it('ignores an ancillary chunk with a wrong checksum, as decoders do', () => {
    const broken = chunk('gAMA', Buffer.of(0, 1, 0, 0));
    broken[broken.length - 1] ^= 1;
    expect(typesOf(pngWith(broken))).toEqual(['IHDR', 'IDAT', 'IEND']);
  });
});
