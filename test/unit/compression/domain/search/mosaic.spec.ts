import { buildMosaic } from '../../../../../src/compression/domain/search/mosaic';
import { photoPixels } from '../../../../support/images';
import type { Pixels } from '../../../../../src/compression/domain/pixels';

/** Every pixel encodes its position: x in red and green, y in blue. */
function addressed(width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      data[p++] = x & 255;
      data[p++] = x >> 8;
      data[p++] = y & 255;
    }
  }
  return { width, height, channels: 3, data };
}

it('uses a small image as a whole', () => {
  const small = photoPixels(360, 360);
  const { pixels, tile, share } = buildMosaic(small);
  expect(pixels).toBe(small);
  expect([tile.width, tile.height, share]).toEqual([360, 360, 1]);
});

it.each([
  [512, 512, 16],
  [1000, 1000, 30],
  [1600, 1300, 63],
])('takes an eighth of %i x %i, and no fewer than 16 tiles', (width, height, tiles) => {
  const { pixels: mosaic, share } = buildMosaic(addressed(width, height));
  expect((mosaic.width * mosaic.height) / 4096).toBeGreaterThan(tiles * 0.85);
  expect((mosaic.width * mosaic.height) / 4096).toBeLessThanOrEqual(tiles + 1);
  expect(share).toBeCloseTo((mosaic.width * mosaic.height) / (width * height), 12);
});

it.each([
  [1900, 1200],
  [3840, 2160],
  [700, 3840],
  [3840, 600],
])('takes at most 64 tiles of 64 x 64 from %i x %i, aligned to 16 px and unbroken', (width, height) => {
  const { pixels: mosaic, tile } = buildMosaic(addressed(width, height));
  expect(tile).toEqual({ width: 64, height: 64 });
  expect(mosaic.width % 64).toBe(0);
  expect(mosaic.height % 64).toBe(0);
  expect(mosaic.width * mosaic.height).toBeLessThanOrEqual(64 * 64 * 64);
  expect(mosaic.width * mosaic.height).toBeGreaterThan(40 * 64 * 64);
  const at = (x: number, y: number) =>
    mosaic.data.subarray((y * mosaic.width + x) * 3, (y * mosaic.width + x) * 3 + 3);
  const places = new Set<string>();
  for (let y = 0; y < mosaic.height; y += 64) {
    for (let x = 0; x < mosaic.width; x += 64) {
      const [low, high, row] = at(x, y);
      expect((low + high * 256) % 16).toBe(0);
      expect(row % 16).toBe(0);
      const end = at(x + 63, y + 63);
      expect(end[0] + end[1] * 256).toBe(low + high * 256 + 63);
      expect(end[2]).toBe((row + 63) & 255);
      places.add(`${low + high * 256},${y},${row}`);
    }
  }
  expect(places.size).toBe((mosaic.width / 64) * (mosaic.height / 64));
});

it.each([
  [3840, 2160, 77],
  [3840, 90, 16],
])('takes more and larger tiles from %i x %i where an encoder asks for them', (width, height, count) => {
  const { pixels, tile } = buildMosaic(addressed(width, height), undefined, { seamPx: 8, maxTiles: 81 });
  expect(tile).toEqual({ width: 80, height: 80 });
  expect((pixels.width * pixels.height) / 6400).toBe(count);
  const at = (x: number, y: number) => pixels.data.subarray((y * pixels.width + x) * 3);
  // No tile leaves its cell, so that none is cut off at the edge of the image.
  for (let y = 0; y < pixels.height; y += 80) {
    for (let x = 0; x < pixels.width; x += 80) {
      const [start, end] = [at(x, y), at(x + 79, y + 79)];
      expect(end[0] + end[1] * 256).toBe(start[0] + start[1] * 256 + 79);
      expect(end[2]).toBe((start[2] + 79) & 255);
    }
  }
});

it('takes an eighth of an image in larger tiles, too', () => {
  const { share } = buildMosaic(addressed(1600, 1300), undefined, { seamPx: 8, maxTiles: 81 });
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.13);
});

it('gives the same mosaic for the same image', () => {
  const mosaic = () => buildMosaic(addressed(1600, 1000), { left: 4, top: 4 });
  const { pixels: once, ...rest } = mosaic();
  const { pixels: again, ...same } = mosaic();
  expect([again.width, again.height, same]).toEqual([once.width, once.height, rest]);
  expect(again.data).toEqual(once.data);
});

it('is off the 8 px grid of the source when it is shifted', () => {
  const { pixels: mosaic } = buildMosaic(addressed(1600, 1000), { left: 4, top: 4 });
  for (let y = 0; y < mosaic.height; y += 64) {
    for (let x = 0; x < mosaic.width; x += 64) {
      const [low, high, row] = mosaic.data.subarray((y * mosaic.width + x) * 3);
      expect((low + high * 256) % 8).toBe(4);
      expect(row % 8).toBe(4);
    }
  }
});

it('omits the first 4 px of a small image when it is shifted, and works for the smallest', () => {
  const { pixels: small } = buildMosaic(addressed(100, 60), { left: 4, top: 4 });
  expect(small).toMatchObject({ width: 96, height: 56 });
  expect([...small.data.subarray(0, 3)]).toEqual([4, 0, 4]);
  expect([...small.data.subarray(-3)]).toEqual([99, 0, 59]);
  const tiny = addressed(4, 9);
  expect(buildMosaic(tiny, { left: 4, top: 4 }).pixels).toBe(tiny);
});

it('takes whole tiles from strips that are narrower than a tile', () => {
  const { pixels, tile } = buildMosaic(addressed(3840, 50));
  expect(tile).toEqual({ width: 64, height: 50 });
  expect([pixels.width % 64, pixels.height]).toEqual([0, 50]);
  const [low, high, row] = pixels.data.subarray((49 * pixels.width + 63) * 3);
  expect([(low + high * 256) % 16, row]).toEqual([15, 49]);
  const upright = buildMosaic(addressed(50, 3840)).tile;
  expect(upright).toEqual({ width: 50, height: 64 });
});

it('reports its share of a small image when it is shifted', () => {
  expect(buildMosaic(addressed(300, 300), { left: 4, top: 4 }).share).toBeCloseTo((296 / 300) ** 2, 12);
  expect(buildMosaic(addressed(12, 12), { left: 4, top: 4 }).share).toBeCloseTo((8 / 12) ** 2, 12);
});
