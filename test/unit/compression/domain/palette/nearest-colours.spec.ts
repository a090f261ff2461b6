import { onBlack, squaredDifference } from '../../../../../src/compression/domain/palette/ground-difference';
import { NearestColours } from '../../../../../src/compression/domain/palette/nearest-colours';
import { randomNumbers } from '../../../../support/images';

const random = randomNumbers(1);
const oneOf = (values: readonly number[]) => values[Math.floor(random() * values.length)];
/** Few values, so that many colours are equally near. */
const LEVELS = Array.from({ length: 18 }, (_, i) => 15 * i);
const ALPHAS = [0, 1, 80, 254, 255, 255, 255];
const colours = (count: number) =>
  onBlack(Uint8Array.from({ length: count * 4 }, (_, i) => oneOf(i % 4 === 3 ? ALPHAS : LEVELS)));
const NONE = { entry: 0, difference: 1e9 };
const suits = (alpha: number, other: number) => alpha % 255 > 0 || other === alpha;

it.each([1, 2, 16, 256])('finds the first of the nearest of %i colours', (count) => {
  const palette = colours(count);
  const pixels = colours(2000);
  const search = new NearestColours(2000);
  search.colours.set(pixels);
  search.find(palette);
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3];
    const ranked = Array.from({ length: count }, (_, entry) => entry)
      .filter((entry) => suits(alpha, palette[entry * 4 + 3]))
      .map((entry) => ({ entry, difference: squaredDifference(pixels, at, palette, entry * 4) }))
      .sort((a, b) => a.difference - b.difference || a.entry - b.entry);
    const [first, second] = [...ranked, NONE, NONE];
    const i = at / 4;
    // Colours that are equally near differ by rounding.
    const found = search.nearest[i];
    const difference = ranked.find(({ entry }) => entry === found)?.difference ?? NONE.difference;
    expect(difference).toBeCloseTo(first.difference, 0);
    if (difference === first.difference) expect(found).toBe(first.entry);
    expect(Math.abs(search.least[i] - first.difference)).toBeLessThanOrEqual(first.difference * 1e-5);
    expect(Math.abs(search.second[i] - second.difference)).toBeLessThanOrEqual(second.difference * 1e-5);
  }
});
