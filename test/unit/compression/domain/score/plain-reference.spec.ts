import type { Plane } from '../../../../../src/compression/domain/pixels';
import { pooledLoss } from '../../../../../src/compression/domain/score/plain-reference';
import { randomNumbers } from '../../../../support/images';

/** The definition of the paper, computed directly. */
function slowPooledLoss(a: Plane, b: Plane, power: number) {
  const window = [Math.min(8, a.width), Math.min(8, a.height)];
  const starts = (length: number, size: number) => {
    const all = [];
    for (let s = 0; s + size <= length; s += 4) all.push(s);
    if (all[all.length - 1] + size < length) all.push(length - size);
    return all;
  };
  const losses: number[] = [];
  for (const y of starts(a.height, window[1])) {
    for (const x of starts(a.width, window[0])) {
      const pick = ({ data, width }: Plane) =>
        Array.from(
          { length: window[0] * window[1] },
          (_, i) => data[(y + Math.floor(i / window[0])) * width + x + (i % window[0])],
        );
      const mean = (v: number[]) => v.reduce((s, n) => s + n, 0) / v.length;
      const [va, vb] = [pick(a), pick(b)];
      const [ma, mb] = [mean(va), mean(vb)];
      const variance = (v: number[], m: number) => mean(v.map((n) => (n - m) ** 2));
      const covariance = mean(va.map((n, i) => (n - ma) * (vb[i] - mb)));
      const c2 = 0.03 ** 2;
      const luminance = 1 - (ma - mb) ** 2;
      const contrastAndStructure = (2 * covariance + c2) / (variance(va, ma) + variance(vb, mb) + c2);
      losses.push(1 - luminance * contrastAndStructure);
    }
  }
  return (losses.reduce((s, l) => s + l ** power, 0) / losses.length) ** (1 / power);
}

it.each([
  [8, 8],
  [9, 8],
  [8, 11],
  [16, 12],
  [43, 37],
  [64, 64],
  [3, 50],
  [1, 1],
])('agrees with the definition at %i x %i', (width, height) => {
  const random = randomNumbers(width * 100 + height);
  const a = { width, height, data: Float32Array.from({ length: width * height }, () => random()) };
  const b = { width, height, data: a.data.map((v) => v + (random() - 0.5) * 0.2) };
  for (const power of [2, 4] as const) {
    const slow = slowPooledLoss(a, b, power);
    // Both sum the same 32-bit samples in 64-bit arithmetic, in a different order.
    expect(Math.abs(pooledLoss(a, b, power) - slow)).toBeLessThan(1e-9 + slow * 1e-6);
    expect(pooledLoss(a, a, power)).toBe(0);
  }
});
