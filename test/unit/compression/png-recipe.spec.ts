import { PNG } from 'pngjs';
import sharp from 'sharp';
import { compressImage } from '../../../src/compression/application/compress-image';
import type { CompressionPolicy } from '../../../src/compression/domain/compression-policy';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../src/settings/settings';
import { decodeIndependently, rmse } from '../../support/images';

const engine = createNativeEngine();
const { policy } = readSettings({});
const compress = (png: Buffer, changes: Partial<CompressionPolicy> = {}) =>
  compressImage(png, engine, { ...policy, ...changes });

type Draw = (x: number, y: number) => readonly number[];
function png(width: number, height: number, colour: Draw): Buffer {
  const image = new PNG({ width, height });
  for (let i = 0; i < width * height; i++) image.data.set(colour(i % width, Math.floor(i / width)), i * 4);
  return PNG.sync.write(image, { deflateLevel: 1, filterType: 0 });
}

/** Flat areas with soft edges in many shades: what screenshots and charts are made of. */
const screenshot: Draw = (x, y) => {
  const edge = Math.min(1, Math.abs(((x * 3 + y * 5) % 97) - 48) / 24);
  const [wave, row] = [(x >> 4) % 4, (y >> 5) % 5];
  return [30 + edge * (200 - wave * 20), 40 + edge * (190 - row * 12), 90 + edge * 150, 255].map(Math.round);
};
/** A gradient that no palette of 256 colours can show without bands or noise. */
const gradient: Draw = (x, y) => [x / 3, y / 2, 255 - (x + y) / 5, 255].map(Math.round);

it('gives a picture of many colours a palette that cannot be told apart, and leaves it alone afterwards', async () => {
  const source = png(700, 500, screenshot);
  const { bytes, report } = await compress(source);
  const lossless = await compress(source, { pngMode: 'lossless' });
  // The colour type in the header: indexed.
  expect(bytes[25]).toBe(3);
  expect(report.score).toBeLessThan(1);
  expect(report.score).toBeGreaterThan(0.9952);
  expect(report.quality).toBeUndefined();
  expect(bytes.length).toBeLessThan(lossless.bytes.length * 0.75);
  expect(rmse(decodeIndependently(source), decodeIndependently(bytes))).toBeLessThan(3);

  const again = await compress(Buffer.from(bytes));
  expect(again.report.skipReason).toBe('already-optimised');
  expect(again.bytes).toEqual(bytes);
});

it.each([
  ['in lossless mode', screenshot, { pngMode: 'lossless' }],
  ['a gradient', gradient, {}],
  ['at a target that no palette reaches', screenshot, { targetScore: 0.9999 }],
] as const)('changes no pixel: %s', async (_, draw, changes) => {
  const source = png(600, 400, draw);
  const { bytes, report } = await compress(source, changes);
  expect(report.score).toBe(1);
  expect(rmse(decodeIndependently(source), decodeIndependently(bytes))).toBe(0);
});

it('takes nothing from a picture of few colours: somebody chose them already', async () => {
  // The same edges in fewer shades: a quantiser would merge some more of them, and nobody would see it.
  const source = png(700, 500, (x, y) => screenshot(x, y).map((v, c) => (c < 3 ? v & 0xf0 : v)));
  const colours = new Set(new Uint32Array(Uint8Array.from(decodeIndependently(source).data).buffer));
  expect(colours.size).toBeGreaterThan(100);
  expect(colours.size).toBeLessThanOrEqual(200);
  const { bytes, report } = await compress(source);
  expect(report.score).toBe(1);
  expect(rmse(decodeIndependently(source), decodeIndependently(bytes))).toBe(0);
});

it('keeps 16 bits', async () => {
  const data = Uint16Array.from({ length: 300 * 200 * 3 }, (_, i) => (i * 37) % 65536);
  const source = await sharp(data, { raw: { width: 300, height: 200, channels: 3 } })
    .toColourspace('rgb16')
    .png({ compressionLevel: 0 })
    .toBuffer();
  const { bytes, report } = await compress(source);
  expect((await sharp(bytes).metadata()).depth).toBe('ushort');
  expect(report.score).toBe(1);
});

it('keeps transparency in a palette', async () => {
  const veiled: Draw = (x, y) => {
    const [r, g, b] = screenshot(x, y);
    return [r, g, b, y < 60 ? 0 : y < 200 ? 128 : 255];
  };
  const source = png(500, 400, veiled);
  const { bytes, report } = await compress(source);
  expect(report.score).toBeLessThan(1);
  const result = decodeIndependently(bytes);
  for (const [y, alpha] of [
    [20, 0],
    [150, 128],
    [300, 255],
  ]) {
    expect(Math.abs(result.data[(y * 500 + 250) * 4 + 3] - alpha)).toBeLessThanOrEqual(3);
  }
});

it('never grows a picture that has to be scaled, where a palette prevents it', async () => {
  const source = await sharp(
    png(1200, 900, (x, y) => (((x >> 5) + (y >> 5)) % 2 ? [255, 255, 255, 255] : [20, 90, 160, 255])),
  )
    .rotate(17, { background: '#fff' })
    .png({ palette: true, colours: 32 })
    .toBuffer();
  const { report } = await compress(source, { maxDimensionPx: 800 });
  expect(report.dimensions.width).toBe(800);
  expect(report.compressedSize).toBeLessThan(report.originalSize);
});
