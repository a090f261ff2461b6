import { asRgba, type Pixels, type Plane } from '../../../../../src/compression/domain/pixels';
import {
  BIN,
  countSteps,
  halfSizeLuminance,
} from '../../../../../src/compression/domain/score/contour-steps';
import { ShiftMeter } from '../../../../../src/compression/domain/score/shifts';
import { ScoreReference } from '../../../../../src/compression/domain/score/ssim-score';
import { findSmoothAreas } from '../../../../../src/compression/domain/smooth-areas';
import { painted, randomNumbers } from '../../../../support/images';

/** The reference for countSteps. */
function plainSteps({ width, data: a }: Plane, { data: b }: Plane, isSmooth: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  const at = (i: number) => b[i] - a[i];
  isSmooth.forEach((smooth, i) => {
    if (smooth === 0) return;
    const steps = [1, width].flatMap((by) => [at(i + by) - at(i - by), at(i + by) - at(i)]);
    counts[Math.min(255, Math.floor(Math.max(...steps.map(Math.abs)) / BIN))]++;
  });
  return counts;
}

type Colour = (x: number, y: number) => number;
const grey = (value: Colour, width = 256, height = 192) => painted(width, height, 3, value);
function shiftsBetween(a: Pixels, b: Pixels) {
  return new ScoreReference(a).scoreAndShifts(b, new ShiftMeter(findSmoothAreas(a)));
}

const gradient: Colour = (x) => 60 + x / 8;
const inSteps =
  (step: number): Colour =>
  (x) =>
    60 + Math.round(x / 8 / step) * step;

it('an image has no shift and no contour against itself', () => {
  expect(shiftsBetween(grey(gradient), grey(gradient))).toEqual({ score: 1, worstShift: 0, contour: 0 });
});

it('a gradient in steps has contours as high as the steps', () => {
  const heights = [3, 6, 9].map((step) => shiftsBetween(grey(gradient), grey(inSteps(step))).contour);
  // 0.0025 to 0.0036 a level, at these values.
  [3, 6, 9].forEach((step, i) => {
    expect(heights[i]).toBeGreaterThan(step * 0.002);
    expect(heights[i]).toBeLessThan(step * 0.0038);
  });
});

it('steps along rows count like steps along columns', () => {
  const [across, down] = [
    shiftsBetween(grey(gradient, 224, 224), grey(inSteps(6), 224, 224)),
    shiftsBetween(
      grey((x, y) => gradient(y, x), 224, 224),
      grey((x, y) => inSteps(6)(y, x), 224, 224),
    ),
  ];
  expect(down.contour).toBe(across.contour);
});

it('a flat area that shifts as a whole has no contour', () => {
  const { worstShift, contour } = shiftsBetween(
    grey(() => 120),
    grey(() => 126),
  );
  expect(worstShift).toBeGreaterThan(0.01);
  expect(contour).toBe(0);
});

it('texture hides steps', () => {
  const random = randomNumbers(3);
  const texture = Float64Array.from({ length: 256 * 192 }, () => 40 * (random() - 0.5));
  const grain: Colour = (x, y) => texture[y * 256 + x];
  const rough = (base: Colour) => grey((x, y) => base(x, y) + grain(x, y));
  expect(shiftsBetween(rough(gradient), rough(inSteps(6))).contour).toBe(0);
});

it('an edge of the original that becomes stronger makes no contour', () => {
  const edges =
    (step: number): Colour =>
    (x) =>
      100 + (Math.floor(x / 64) % 2) * step;
  const { worstShift, contour } = shiftsBetween(grey(edges(6)), grey(edges(9)));
  expect(worstShift).toBeGreaterThan(0.005);
  expect(contour).toBe(0);
});

it('an isolated change makes no contour, but a shift', () => {
  const spotted: Colour = (x, y) => gradient(x, y) + (x >> 2 === 24 && y >> 2 === 19 ? 25 : 0);
  const { worstShift, contour } = shiftsBetween(grey(gradient), grey(spotted));
  expect(worstShift).toBeGreaterThan(0.04);
  expect(contour).toBeLessThan(0.001);
});

it('an image too narrow for three blocks has no contour', () => {
  expect(shiftsBetween(grey(gradient, 11, 40), grey(inSteps(9), 11, 40)).contour).toBe(0);
});

describe('contours of 2 px', () => {
  const fineContour = (a: Pixels, b: Pixels) => new ShiftMeter(findSmoothAreas(a)).measureFineContour(a, b);
  const steep: Colour = (x) => 20 + 1.5 * (x % 128);
  const rings =
    (px: number): Colour =>
    (x, y) =>
      steep(x - (x % px) + (px - 1) / 2, y);

  it('are found where larger blocks are equal', () => {
    const [source, candidate] = [grey(steep), grey(rings(4))];
    expect(shiftsBetween(source, candidate).contour).toBeLessThan(0.004);
    expect(fineContour(source, candidate)).toBeGreaterThan(0.008);
  });

  it('are as high along rows as along columns', () => {
    const turned = (colour: Colour) => grey((x, y) => colour(y, x), 256, 256);
    expect(fineContour(turned(steep), turned(rings(4)))).toBe(
      fineContour(grey(steep, 256, 256), grey(rings(4), 256, 256)),
    );
  });

  it.each([
    ['RGB', (image: Pixels) => image],
    ['RGBA', asRgba],
  ])('are the same if only blocks that differ and are used are computed, in %s', (_, convert) => {
    // Smooth strips are four blocks wide; beside the inner two, the luminance of others is used.
    const striped =
      (smooth: Colour, rough: number): Colour =>
      (x, y) =>
        x % 16 < 8 ? smooth(x, y) : 128 + 99 * Math.sin(rough + x * y);
    const original = convert(grey(striped(steep, 0), 253));
    const isSmooth = new Uint8Array(126 * 96).map((_, at) => {
      const [x, y] = [at % 126, Math.floor(at / 126)];
      return x > 0 && x < 125 && y > 0 && y < 95 && x % 8 < 4 ? 1 : 0;
    });
    const luminance = halfSizeLuminance(original);
    for (const px of [1, 2, 4, 2]) {
      const rough = striped(rings(px), 1);
      const candidate = convert(grey((x, y) => (y < 100 ? steep(x, y) : rough(x, y)), 253));
      const images = [original, candidate] as const;
      const counts = countSteps(luminance, isSmooth, { images }).slice(1);
      expect(counts).toEqual(plainSteps(luminance, halfSizeLuminance(candidate), isSmooth).slice(1));
      expect(countSteps(luminance, isSmooth, halfSizeLuminance(candidate)).slice(1)).toEqual(counts);
      expect(counts.some((count) => count > 0)).toBe(true);
    }
  });

  it('may be in one of a hundred places', () => {
    const wide = 1024;
    const within = (columns: number): Colour => {
      return (x, y) => (x < columns ? rings(4)(x, y) : steep(x, y));
    };
    const source = grey(steep, wide, 64);
    expect(fineContour(source, grey(within(8), wide, 64))).toBeLessThan(0.001);
    expect(fineContour(source, grey(within(24), wide, 64))).toBeGreaterThan(0.008);
  });
});
