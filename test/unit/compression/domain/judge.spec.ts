import { graphicJudge, photoJudge } from '../../../../src/compression/domain/judge';
import { FidelityGuard } from '../../../../src/compression/domain/fidelity-guard';
import { ScoreReference } from '../../../../src/compression/domain/score/ssim-score';
import type { Pixels } from '../../../../src/compression/domain/pixels';
import { painted, randomNumbers } from '../../../support/images';

const TARGET = 0.9914;
const [WIDTH, HEIGHT] = [1600, 1200];
const row = Uint8Array.from({ length: WIDTH * 4 }, (_, i) =>
  (i >> 5) % 5 ? [250, 250, 252, 255][i % 4] : [40, 60, 120, 255][i % 4],
);
const page = (badge: readonly number[]): Pixels => {
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let y = 0; y < HEIGHT; y++) data.set(row, y * row.length);
  for (let y = 80; y < 88; y++) for (let x = 400; x < 408; x++) data.set(badge, (y * WIDTH + x) * 4);
  return { width: WIDTH, height: HEIGHT, channels: 4, data };
};
const original = page([220, 120, 40, 255]);

it('the same pixels lose nothing', () => {
  const judge = graphicJudge(original, TARGET);
  expect(judge.judge(original)).toEqual({ score: 1, searchScore: 1 });
  expect(judge.allowedLoss).toBe(FidelityGuard.allowedLoss(TARGET));
});

it('the colours of a small area may shift by three just noticeable differences, also where the score hardly falls', () => {
  const judge = graphicJudge(original, TARGET);
  const guard = new FidelityGuard(original, TARGET);
  const shifted = (by: number) => page([220 - by, 120, 40 + by, 255]);
  // By two, a PNG is refused already.
  for (const [by, passes] of [
    [24, true],
    [40, false],
  ] as const) {
    const { loss, passes: isPng } = guard.judge(shifted(by));
    expect([isPng, loss <= 1]).toEqual([false, true]);
    const { score, searchScore } = judge.judge(shifted(by));
    expect(1 - searchScore <= judge.allowedLoss).toBe(passes);
    expect(score).toBe(new ScoreReference(original).score(shifted(by)));
    // As in a comparison, which knows no guard.
    expect(judge.judge(shifted(by), 0.5)).toEqual({ score: (1 + score) / 2, searchScore });
  }
});

it('a graphic keeps single pixels that its score forgives', () => {
  const dotted = (red: number) =>
    painted(512, 384, 4, (x, y) => [x % 64 === 20 && y % 64 === 20 ? red : 120, 120, 120, 255]);
  const judge = graphicJudge(dotted(230), TARGET);
  const { score, searchScore } = judge.judge(dotted(190));
  expect([score, searchScore].map((one) => 1 - one <= judge.allowedLoss)).toEqual([true, false]);
});

it('a change of transparency that only shows over black counts for the score', () => {
  const veil = (alpha: number) => painted(64, 64, 4, (x) => [255, 255, 255, (x >> 3) % 3 ? 255 : alpha]);
  const judge = photoJudge(veil(200), 1 - TARGET);
  expect(judge.judge(veil(200)).score).toBe(1);
  const { score, searchScore } = judge.judge(veil(60));
  expect(score).toBeLessThan(TARGET);
  expect(searchScore).toBe(score);
});

it('a photo may lose the hue of a few small areas that its score forgives, but not of a line of text', () => {
  const words = (count: number, lost: number) => {
    const random = randomNumbers(5);
    return painted(512, 512, 3, (x, y) => {
      const level = 120 + 100 * random();
      const isInk = y >> 3 === 4 && x < 8 * count && (x + y) % 3 === 0;
      return isInk ? [200, 30 + lost, 40 + lost] : [level, level, level];
    });
  };
  const passes = (count: number, isOfJpegs = false) => {
    const judge = photoJudge(words(count, 0), 1 - TARGET, 1, isOfJpegs);
    const { score, searchScore } = judge.judge(words(count, 75));
    expect(score).toBeGreaterThan(TARGET);
    return 1 - searchScore <= judge.allowedLoss;
  };
  expect([1, 12].map((count) => passes(count))).toEqual([true, false]);
  expect(passes(12, true)).toBe(true);
});
