import { AMPLIFICATION, DifferenceMap } from '../../../../../src/compression/domain/score/difference-map';
import { worstWords } from '../../../../../src/web/page/words/results';
import { painted } from '../../../../support/images';

const [WIDTH, HEIGHT, STRIP] = [100, 70, 16];

/** Grey pixels, opaque; `paint` changes some of them. */
const pixels = (paint: (x: number, y: number) => number | undefined = () => undefined) =>
  painted(WIDTH, HEIGHT, 4, (x, y) => [paint(x, y) ?? 100, 100, 100, 255]).data;

function measure(before: Uint8Array, after: Uint8Array) {
  const map = new DifferenceMap(WIDTH, HEIGHT);
  const drawn = new Uint8ClampedArray(before.length);
  for (let top = 0; top < HEIGHT; top += STRIP) {
    const range = [top * WIDTH * 4, (top + STRIP) * WIDTH * 4] as const;
    map.add(before.subarray(...range), after.subarray(...range), top, drawn.subarray(...range));
  }
  return { worst: map.worst(), drawn };
}

it('finds no worst spot where no pixel differs, and draws black', () => {
  const { worst, drawn } = measure(pixels(), pixels());
  expect(worst).toBeUndefined();
  expect(drawn.every((value, i) => value === (i % 4 === 3 ? 255 : 0))).toBe(true);
  expect(worstWords(worst)).toBe('No pixel changed.');
});

it('finds the square that changed most, also in the last row and column of squares', () => {
  const after = pixels((x, y) => (x >= 97 && y >= 65 ? 140 : x < 32 && y < 32 ? 101 : undefined));
  const { worst, drawn } = measure(pixels(), after);
  // The last square is cut off: 4 × 6 pixels, of which 3 × 5 differ by 40.
  expect(worst).toEqual({ x: 96, y: 64, width: 4, height: 6, mean: (15 * 40) / 24, most: 40 });
  expect(drawn.slice(0, 4)).toEqual(new Uint8ClampedArray([AMPLIFICATION, 0, 0, 255]));
  expect(worstWords(worst)).toBe('Largest change: 25 of 255 on average, 40 at most.');
});

it('prefers one clear change to many invisible ones', () => {
  const after = pixels((x, y) => (x === 40 && y === 40 ? 200 : x < 32 && y < 32 ? 102 : undefined));
  expect(measure(pixels(), after).worst).toMatchObject({ x: 32, y: 32, most: 100 });
});
