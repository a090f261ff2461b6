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

/** The place in the image of a pixel of its mosaic; `y` modulo 256. */
function addressAt({ width, data }: Pixels, column: number, line: number) {
  const [low, high, y] = data.subarray((line * width + column) * 3);
  return { x: low + high * 256, y };
}

/** The places of the first and the last pixel of each tile, and its row in the mosaic. */
function tilesOf(mosaic: Pixels, side: number) {
  const columns = mosaic.width / side;
  return Array.from({ length: columns * (mosaic.height / side) }, (_, tile) => {
    const [left, top] = [(tile % columns) * side, Math.floor(tile / columns) * side];
    const last = addressAt(mosaic, left + side - 1, top + side - 1);
    return [addressAt(mosaic, left, top), last, top] as const;
  });
}

/** Off the grid of the encoder by half a block. */
const shiftedMosaic = (width: number, height: number) =>
  buildMosaic(addressed(width, height), { left: 4, top: 4 });

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
  const places = tilesOf(mosaic, 64).map(([first, last, row]) => {
    expect([first.x % 16, first.y % 16]).toEqual([0, 0]);
    expect(last).toEqual({ x: first.x + 63, y: (first.y + 63) & 255 });
    return `${first.x},${row},${first.y}`;
  });
  expect(new Set(places).size).toBe((mosaic.width / 64) * (mosaic.height / 64));
});

it.each([
  [3840, 2160, 77],
  [3840, 90, 16],
])('takes more and larger tiles from %i x %i where an encoder asks for them', (width, height, count) => {
  const { pixels, tile } = buildMosaic(addressed(width, height), undefined, { seamPx: 8, maxTiles: 81 });
  expect(tile).toEqual({ width: 80, height: 80 });
  expect((pixels.width * pixels.height) / 6400).toBe(count);
  // No tile leaves its cell, so that none is cut off at the edge of the image.
  for (const [first, last] of tilesOf(pixels, 80))
    expect(last).toEqual({ x: first.x + 79, y: (first.y + 79) & 255 });
});

it('takes an eighth of an image in larger tiles, too', () => {
  const { share } = buildMosaic(addressed(1600, 1300), undefined, { seamPx: 8, maxTiles: 81 });
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.13);
});

it('gives the same mosaic for the same image', () => {
  const { pixels: once, ...rest } = shiftedMosaic(1600, 1000);
  const { pixels: again, ...same } = shiftedMosaic(1600, 1000);
  expect([again.width, again.height, same]).toEqual([once.width, once.height, rest]);
  expect(again.data).toEqual(once.data);
});

it('is off the 8 px grid of the source when it is shifted', () => {
  const { pixels: mosaic } = shiftedMosaic(1600, 1000);
  for (const [first] of tilesOf(mosaic, 64)) expect([first.x % 8, first.y % 8]).toEqual([4, 4]);
});

it('omits the first 4 px of a small image when it is shifted, and works for the smallest', () => {
  const { pixels: small } = shiftedMosaic(100, 60);
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
  const last = addressAt(pixels, 63, 49);
  expect([last.x % 16, last.y]).toEqual([15, 49]);
  const upright = buildMosaic(addressed(50, 3840)).tile;
  expect(upright).toEqual({ width: 50, height: 64 });
});

it('reports its share of a small image when it is shifted', () => {
  expect(shiftedMosaic(300, 300).share).toBeCloseTo((296 / 300) ** 2, 12);
  expect(shiftedMosaic(12, 12).share).toBeCloseTo((8 / 12) ** 2, 12);
});
