import { QUALITY_TARGETS } from '../../../../src/compression/domain/compression-policy';
import { FidelityGuard } from '../../../../src/compression/domain/fidelity-guard';
import { indexed, toRgba, type IndexedImage } from '../../../../src/compression/domain/palette/indexed-image';
import type { Pixels } from '../../../../src/compression/domain/pixels';
import { ssimulacra2Distance, ssimulacra2Of } from '../../../../src/compression/domain/score/ssimulacra2';
import { painted } from '../../../support/images';

const drawn = (width: number, height: number, colour: (x: number, y: number) => number[]) =>
  painted(width, height, 4, colour);

const target = 0.9914;
const page = (x: number, y: number) =>
  (x >> 3) % 5 && (y >> 2) % 3 ? [250, 250, 252, 255] : [40, 60, 120, 255];

it('accepts an identical image with a score of 1', () => {
  const picture = drawn(320, 200, page);
  const verdict = new FidelityGuard(picture, target).judge(picture);
  expect(verdict).toEqual({ passes: true, score: 1, loss: 0 });
});

it('allows less at each higher quality, and at most 0.8 of the loss of a JPG up to high', () => {
  const { low, medium, high, 'very-high': veryHigh } = QUALITY_TARGETS;
  for (const quality of [low, medium, high])
    expect(FidelityGuard.allowedLoss(quality)).toBeCloseTo(0.8 * (1 - quality), 12);
  expect(FidelityGuard.allowedLoss(veryHigh)).toBe(1 - veryHigh);
});

it('lets contours grow by the root of the allowed loss', () => {
  const [high, low] = [QUALITY_TARGETS.high, QUALITY_TARGETS.low];
  const smooth = drawn(512, 256, (x) => [x / 4 + 60, x / 4 + 60, x / 4 + 60, 255]);
  const banded = drawn(512, 256, (x) =>
    Array.from({ length: 4 }, (_, c) => (c === 3 ? 255 : 3 * Math.round(x / 12) + 60)),
  );
  const [strict, loose] = [high, low].map((quality) => new FidelityGuard(smooth, quality).judge(banded).loss);
  const scale = FidelityGuard.allowedLoss(low) / FidelityGuard.allowedLoss(high);
  expect(strict / loose).toBeCloseTo(Math.sqrt(scale), 3);
});

it('refuses bands in a smooth gradient', () => {
  const gradient = drawn(512, 256, (x) => [x / 4 + 60, x / 5 + 80, 200 - x / 4, 255]);
  const banded = drawn(512, 256, (x) => {
    const step = Math.floor(x / 32) * 32 + 16;
    return [step / 4 + 60, step / 5 + 80, 200 - step / 4, 255];
  });
  const { passes, loss } = new FidelityGuard(gradient, target).judge(banded);
  expect(passes).toBe(false);
  expect(loss).toBeGreaterThan(3);
});

it('refuses rings in a soft shadow where single pixels are not seen, and no such steps in several colours', () => {
  const fading = (step: number, green: (x: number) => number) =>
    drawn(192, 160, (x, y) => {
      const alpha = Math.max(0, 150 - Math.hypot(x - 96, y - 80) * 1.3);
      return [0, green(x), 0, Math.round(Math.round(alpha / step) * step)];
    });
  const passes = (green: (x: number) => number) =>
    new FidelityGuard(fading(1, green), target, { density: 2 }).judge(fading(7, green)).passes;
  // The second has one colour, too, rounded.
  expect([passes(() => 0), passes((x) => x & 1), passes((x) => x >> 1)]).toEqual([false, false, true]);
});

/** A ball that fades towards its edge. @param step height of its steps, of 255 */
const ball = (step: number) =>
  drawn(128, 128, (x, y) => {
    const distance = Math.hypot(x - 63.5, y - 63.5);
    const shade = 230 - Math.round((2 * Math.min(60, distance)) / step) * step;
    return [shade, shade, shade, 255];
  });
/** A page with a small gradient. @param step as for the ball */
const panel = (step: number) =>
  drawn(1024, 768, (x, y) => {
    if (x < 200 || x >= 392 || y < 100 || y >= 292) return page(x, y);
    const shade = 150 + Math.round((x - 200) / 6 / step) * step;
    return [shade, shade, shade, 255];
  });

it.each([
  ['rings of a few pixels in a small radial gradient', ball, 5, 8, 88],
  ['faint steps in a small smooth part of a picture', panel, 2, 4, 86],
])('refuses %s, where the score and SSIMULACRA2 see little', (_, draw, fine, coarse, ssimulacra2) => {
  const guard = new FidelityGuard(draw(1), target);
  expect(guard.judge(draw(fine)).passes).toBe(true);
  const { passes, score } = guard.judge(draw(coarse));
  expect(passes).toBe(false);
  expect(1 - score).toBeLessThan(FidelityGuard.allowedLoss(target));
  expect(ssimulacra2Of(ssimulacra2Distance(draw(1), draw(coarse)))).toBeGreaterThan(ssimulacra2);
});

it('refuses a rare colour that was merged with another in a large, otherwise equal image', () => {
  const isBadge = (x: number, y: number) => x >= 900 && x < 908 && y >= 80 && y < 88;
  const picture = drawn(1600, 1200, (x, y) => (isBadge(x, y) ? [220, 120, 40, 255] : page(x, y)));
  const merged = drawn(1600, 1200, (x, y) => (isBadge(x, y) ? [190, 130, 60, 255] : page(x, y)));
  const verdict = new FidelityGuard(picture, target).judge(merged);
  expect(verdict.score).toBeGreaterThan(0.9953);
  expect(verdict.passes).toBe(false);
});

it.each([
  ['white', [255, 255, 255]],
  ['black', [0, 0, 0]],
])('detects lost transparency of %s, which is visible on the other background only', (_, [r, g, b]) => {
  const veil = (alpha: number) =>
    drawn(300, 200, (x, y) => (x > 100 && y > 60 ? [r, g, b, alpha] : [90, 140, 60, 255]));
  const { passes, score } = new FidelityGuard(veil(60), target).judge(veil(0));
  expect(passes).toBe(false);
  expect(score).toBeLessThan(0.99);
});

it('judges an indexed image like its pixels, transparency included', () => {
  const veiled = drawn(300, 200, (x, y) => (x > 100 ? [x >> 4, y >> 4, 90, 255 - (y >> 5)] : page(x, y)));
  const guard = new FidelityGuard(veiled, target);
  const image = indexed(
    drawn(300, 200, (x, y) => (x > 100 ? [x >> 5, y >> 4, 99, 255 - (y >> 6)] : page(x, y))),
  ) as IndexedImage;
  const verdict = guard.judge(image);
  expect(verdict.score).toBeLessThan(1);
  expect(verdict).toEqual(guard.judge(toRgba(image)));
});

it('is at least as strict as the target for JPEGs', () => {
  const picture = drawn(320, 200, (x, y) =>
    page(x, y).map((v, c) => (c < 3 ? v - ((x * 7 + y * 13) % 4) : v)),
  );
  const near = drawn(320, 200, page);
  const { score, passes } = new FidelityGuard(picture, 0.9).judge(near);
  expect(score).toBeLessThan(1);
  expect(passes).toBe(true);
  expect(new FidelityGuard(picture, (1 + score) / 2).judge(near).passes).toBe(false);
});

it('allows more where a result may look different, but never that a colour is lost', () => {
  const marked = (marker: number[]) =>
    drawn(320, 200, (x, y) => (x >> 3 === 20 && y >> 3 === 12 ? marker : page(x, y)));
  const source = marked([33, 139, 67, 255]);
  const veiled = drawn(320, 200, (x, y) =>
    page(x, y).map((value, c) => (c < 3 ? value - ((x >> 1) % 3) * 3 : value)),
  );
  const verdicts = (candidate: Pixels, original: Pixels) =>
    [FidelityGuard.allowedLoss(target), 0.1, 1].map(
      (allowed) => new FidelityGuard(original, target, { allowedLoss: allowed }).judge(candidate).passes,
    );
  expect(verdicts(veiled, drawn(320, 200, page))).toEqual([false, true, true]);
  expect(verdicts(marked([250, 250, 252, 255]), source)).toEqual([false, false, false]);
});
