/** What a graphic may lose in another format. */
import { graphicJudge } from '../../../../../src/compression/application/targets/judge';
import { FidelityGuard } from '../../../../../src/compression/domain/fidelity-guard';
import type { Pixels } from '../../../../../src/compression/domain/pixels';

const TARGET = 0.9914;
const page = (badge: readonly number[]): Pixels => {
  const [width, height] = [1600, 1200];
  const data = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    const isBadge = x >= 400 && x < 408 && y >= 80 && y < 88;
    data.set(isBadge ? badge : (x >> 3) % 5 ? [250, 250, 252, 255] : [40, 60, 120, 255], i * 4);
  }
  return { width, height, channels: 4, data };
};
const original = page([220, 120, 40, 255]);

it('the same pixels lose nothing', () => {
  const judge = graphicJudge(original, TARGET);
  expect(judge.score(original)).toBe(1);
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
    expect(1 - judge.score(shifted(by)) <= judge.allowedLoss).toBe(passes);
  }
});
