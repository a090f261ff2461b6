/** PNGs drawn pixel by pixel, for what the PNG recipe distinguishes. */
import { PNG } from 'pngjs';

export type Draw = (x: number, y: number) => readonly number[];
export function png(width: number, height: number, colour: Draw) {
  const image = new PNG({ width, height });
  for (let i = 0; i < width * height; i++) image.data.set(colour(i % width, Math.floor(i / width)), i * 4);
  return PNG.sync.write(image, { deflateLevel: 1, filterType: 0 });
}

/** Flat areas with soft edges in many shades, like screenshots and charts. */
export const softEdges =
  (period: number): Draw =>
  (x, y) => {
    const edge = Math.min(1, Math.abs(((x * 3 + y * 5) % period) - 48) / 24);
    const [wave, row] = [(x >> 4) % 4, (y >> 5) % 5];
    return [30 + edge * (200 - wave * 20), 40 + edge * (190 - row * 12), 90 + edge * 150, 255].map(
      Math.round,
    );
  };
export const screenshot = softEdges(97);
/** A gradient that no palette of 256 colours can show without bands or noise. */
const gradient: Draw = (x, y) => [x / 3, y / 2, 255 - (x + y) / 5, 255].map(Math.round);
/** The same with the grain of a photo over it, repeatable. */
export const textured: Draw = (x, y) =>
  gradient(x, y).map((value, c) => (c < 3 ? Math.min(255, value + grain(x, y, c)) : value));
function grain(x: number, y: number, c: number) {
  const mixed = Math.imul(Math.imul(x * 3 + c + y * 4099, 0x9e3779b1) ^ (y * 977 + x), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 7) & 15;
}
