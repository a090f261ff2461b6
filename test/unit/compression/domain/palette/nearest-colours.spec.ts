import { onBlack, squaredDifference } from '../../../../../src/compression/domain/palette/ground-difference';
import { NearestColours } from '../../../../../src/compression/domain/palette/nearest-colours';

const OPAQUE = 255;
let seed = 1;
const random = (below: number) =>
  Math.floor((((seed = (seed * 16807) % 2147483647) - 1) / 2147483646) * below);
const alphas = [0, 1, 80, 254, OPAQUE, OPAQUE, OPAQUE];
/** Few values, so that many colours are equally near. */
const colours = (count: number) =>
  onBlack(
    Uint8Array.from({ length: count * 4 }, (_, i) => (i % 4 === 3 ? alphas[random(7)] : 15 * random(18))),
  );
const NONE = { entry: 0, difference: 1e9 };
const suits = (alpha: number, other: number) =>
  alpha === OPAQUE || alpha === 0 ? other === alpha : other !== 0;

it.each([1, 2, 16, 256])(
  'finds the first of the nearest of %i colours, and the second difference',
  (count) => {
    const palette = colours(count);
    const pixels = colours(2000);
    const search = new NearestColours(palette);
    for (let at = 0; at < pixels.length; at += 4) {
      const alpha = pixels[at + 3];
      const ranked = Array.from({ length: count }, (_, entry) => entry)
        .filter((entry) => suits(alpha, palette[entry * 4 + 3]))
        .map((entry) => ({ entry, difference: squaredDifference(pixels, at, palette, entry * 4) }))
        .sort((a, b) => a.difference - b.difference || a.entry - b.entry);
      search.find(pixels, at, alpha);
      const [first, second] = [...ranked, NONE, NONE];
      const found = [search.nearest, search.least, search.second];
      expect(found).toEqual([first.entry, first.difference, second.difference]);
    }
  },
);
