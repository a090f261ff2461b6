import { addedEdges } from '../../../../../src/compression/domain/score/plain-reference';
import {
  luminancePlane,
  meanLight,
  smallPlanes,
} from '../../../../../src/compression/domain/score/perceptual-planes';
import { halfSizeLuminance } from '../../../../../src/compression/domain/score/contour-steps';
import type { Pixels, Plane } from '../../../../../src/compression/domain/pixels';
import { painted } from '../../../../support/images';

const flat = (width: number, height: number, colour: number | number[]) =>
  painted(width, height, 3, () => colour);

const planesOf = (pixels: Pixels) => smallPlanes(meanLight(pixels));

const BIAS = 0.0037930732552754493;
const response = (light: number) => Math.cbrt(light + BIAS) - Math.cbrt(BIAS);
const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);

it('is the cube root of luminance at full size, for every grey', () => {
  for (let v = 0; v < 256; v++) {
    const y = luminancePlane(flat(1, 1, v));
    // The table has 16384 steps; at black, where the cube root is steepest, one is 0.0008.
    expect(Math.abs(y.data[0] - response(linear(v / 255)))).toBeLessThan(0.001);
  }
});

it('gives grey images constant colour planes, and coloured images varying ones', () => {
  const white = planesOf(flat(16, 16, 255));
  expect(white.quarterX.data[0]).toBeCloseTo(0.42, 4);
  expect(white.eighthB.data[0]).toBeCloseTo(0.55, 4);
  expect(planesOf(flat(16, 16, [255, 0, 0])).quarterX.data[0]).toBeGreaterThan(0.6);
  expect(planesOf(flat(16, 16, [0, 255, 0])).quarterX.data[0]).toBeLessThan(0.3);
  expect(planesOf(flat(16, 16, [0, 0, 255])).eighthB.data[0]).toBeGreaterThan(0.8);
});

it.each([
  [17, 13, 4, 3, 2, 1],
  [1, 1, 1, 1, 1, 1],
  [3, 40, 1, 10, 1, 5],
  [64, 64, 16, 16, 8, 8],
])('scales %i x %i to a quarter %i x %i and an eighth %i x %i', (w, h, qw, qh, ew, eh) => {
  const { quarterY, eighthY } = planesOf(flat(w, h, [10, 200, 90]));
  expect([quarterY.width, quarterY.height, eighthY.width, eighthY.height]).toEqual([qw, qh, ew, eh]);
  // A flat colour does not change at any block size.
  for (const value of quarterY.data) expect(value).toBeCloseTo(quarterY.data[0], 6);
  expect(eighthY.data[0]).toBeCloseTo(quarterY.data[0], 6);
});

it('averages linear light, not samples: black and white lines become light grey', () => {
  const lines = planesOf(painted(8, 8, 3, (_, y) => (y % 2 ? 255 : 0)));
  const grey188 = planesOf(flat(8, 8, 188));
  expect(lines.quarterY.data[0]).toBeCloseTo(grey188.quarterY.data[0], 2);
});

it('halves by averaging all four neighbours', () => {
  // Three dark quarters and a white one in each 2×2 of the quarter-size plane.
  const { eighthY } = planesOf(painted(16, 16, 3, (x, y) => (x % 8 >= 4 && y % 8 >= 4 ? 255 : 0)));
  for (const value of eighthY.data) expect(value).toBeCloseTo(response(0.25), 4);
});

describe('added edges', () => {
  const plane = (values: number[], width: number): Plane => ({
    width,
    height: values.length / width,
    data: Float32Array.from(values),
  });

  it('counts edges that are new, not edges that were lost', () => {
    const smooth = plane(Array<number>(16).fill(0.5), 4);
    const step = plane(
      Array.from({ length: 16 }, (_, i) => (i % 4 < 2 ? 0.4 : 0.6)),
      4,
    );
    // Every value is 0.1 from the mean of its block: (1 + 0.1) / (1 + 0) − 1.
    expect(addedEdges(smooth, step, 2)).toBeCloseTo(0.1, 6);
    expect(addedEdges(smooth, step, 4)).toBeCloseTo(0.1, 6);
    expect(addedEdges(step, smooth, 2)).toBe(0);
    expect(addedEdges(step, step, 4)).toBe(0);
  });

  it('gives the strongest edges most weight with power 4', () => {
    const smooth = plane(Array<number>(64).fill(0.5), 8);
    const one = plane(
      Array.from({ length: 64 }, (_, i) => (i === 9 ? 0.9 : 0.5)),
      8,
    );
    expect(addedEdges(smooth, one, 4)).toBeGreaterThan(addedEdges(smooth, one, 2) * 1.5);
  });

  it('is a number on the smallest planes', () => {
    expect(addedEdges(plane([0.5], 1), plane([0.7], 1), 2)).toBe(0);
    expect(addedEdges(plane([0, 0, 0], 3), plane([0, 0.5, 0], 3), 4)).toBeGreaterThan(0);
  });
});

it.each([3, 4] as const)('is the mean of the light of 2×2 px at half size, %i channels', (channels) => {
  const colours = [
    [250, 20, 90],
    [10, 200, 30],
    [60, 130, 255],
    [180, 0, 140],
  ];
  const lights = colours.map(
    (colour) => (luminancePlane(flat(1, 1, colour)).data[0] + Math.cbrt(BIAS)) ** 3 - BIAS,
  );
  const light = lights.reduce((sum, one) => sum + one) / 4;
  const data = Uint8Array.from(colours.flatMap((colour) => [...colour, 255].slice(0, channels)));
  const { width, height, data: y } = halfSizeLuminance({ width: 2, height: 2, channels, data });
  expect([width, height]).toEqual([1, 1]);
  expect(Math.abs(y[0] - response(light))).toBeLessThan(0.0005);
});
