/** The check that keeps slow test files out of the quick tier. */
import Tiers from '../support/tiers.cjs';

const quick = Array.from({ length: 120 }, (_, i): [string, number] => [
  `test/quick-${i}.spec.ts`,
  1 + (i % 3),
]);
const heavy = ['test/heavy.spec.ts'];
const slowAt = (factor: number) =>
  Tiers.findSlow(
    [...quick, ['test/new.spec.ts', 25], ['test/heavy.spec.ts', 60]].map(([path, seconds]) => [
      String(path),
      Number(seconds) * factor,
    ]),
    heavy,
  );

it('finds a file that takes far longer than most, and not one that may', () => {
  expect(slowAt(1)).toEqual([expect.stringMatching(/^test\/new\.spec\.ts takes \d+\.\d times the mean/)]);
});

it.each([0.1, 20])('finds the same file on a machine that takes %d times as long', (factor) => {
  expect(slowAt(factor)).toEqual(slowAt(1));
});

it('finds nothing where all files take about as long, nor in a run of a few files', () => {
  expect(Tiers.findSlow(quick, heavy)).toEqual([]);
  expect(Tiers.findSlow([...quick.slice(0, 5), ['test/new.spec.ts', 100]], heavy)).toEqual([]);
});
