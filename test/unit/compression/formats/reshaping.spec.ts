import {
  jfifDensity,
  physicalSize,
  reshapedResolution,
  saysSomething,
  type Resolution,
  isReshaped,
  planReshaping,
} from '../../../../src/compression/formats/reshaping';

const square = (unit: Resolution['unit'], x: number): Resolution => ({ unit, x, y: x });

it.each([
  [square('inch', 72), false],
  [square('inch', 96), false],
  [square('inch', 73), true],
  [square('inch', 95), true],
  [square('inch', 300), true],
  // 72 and 96 dpi in whole numbers per centimetre and metre.
  [square('centimetre', 28), false],
  [square('centimetre', 38), false],
  [square('centimetre', 118), true],
  [square('metre', 2834), false],
  [square('metre', 2835), false],
  [square('metre', 3780), false],
  [square('metre', 11811), true],
  [square('aspect', 300), false],
  [{ unit: 'aspect', x: 1, y: 2 }, true],
  [{ unit: 'inch', x: 72, y: 96 }, true],
  [{ unit: 'metre', x: 2834, y: 2835 }, false],
] as const)('%j says something: %s', (resolution, expected) => {
  expect(saysSomething(resolution)).toBe(expected);
});

it.each([
  [undefined, [0, 1, 1]],
  [square('inch', 300), [1, 300, 300]],
  [square('centimetre', 118), [2, 118, 118]],
  [square('metre', 11811), [1, 300, 300]],
  [square('centimetre', 35.4), [1, 90, 90]],
  [{ unit: 'aspect', x: 10, y: 11 }, [0, 10, 11]],
  [{ unit: 'aspect', x: 100_000, y: 200_000 }, [0, 32768, 65535]],
  [square('inch', 0.2), [1, 1, 1]],
  [square('centimetre', 70_000), [2, 65_535, 65_535]],
] as const)('JFIF states %j as %j', (resolution, expected) => {
  expect(jfifDensity(resolution)).toEqual(expected);
});

it('pHYs states pixels per metre, or their shape', () => {
  expect(physicalSize(square('inch', 300))).toEqual([11811, 11811, 1]);
  expect(physicalSize(square('centimetre', 118))).toEqual([11800, 11800, 1]);
  expect(physicalSize({ unit: 'aspect', x: 1, y: 2 })).toEqual([1, 2, 0]);
});

describe('after scaling', () => {
  const half = planReshaping({ width: 400, height: 266 }, { width: 200, height: 133 }, 1);
  const turned = planReshaping({ width: 400, height: 266 }, { width: 266, height: 400 }, 6);

  it('print size and shape stay', () => {
    expect(reshapedResolution(square('inch', 300), half)).toEqual(square('inch', 150));
    expect(reshapedResolution({ unit: 'aspect', x: 1, y: 2 }, half)).toEqual({ unit: 'aspect', x: 1, y: 2 });
    const oblong = { unit: 'inch', x: 200, y: 100 } as const;
    expect(reshapedResolution(oblong, turned)).toEqual({ unit: 'inch', x: 100, y: 200 });
  });

  it('what says nothing goes on to say nothing', () => {
    expect(reshapedResolution(square('inch', 72), half)).toEqual(square('inch', 72));
  });

  it('of a long side that is rounded, no pixel becomes oblong', () => {
    const thin = planReshaping({ width: 10_000, height: 10 }, { width: 3840, height: 4 }, 1);
    expect(reshapedResolution(square('inch', 300), thin)).toEqual(square('inch', 115.2));
  });

  it('knows what moved', () => {
    expect([isReshaped(half), isReshaped(turned)]).toEqual([true, true]);
    const same = { width: 400, height: 266 };
    expect(isReshaped(planReshaping(same, same, 1, 'cover'))).toBe(false);
    const cropped = planReshaping(same, { width: 100, height: 100 }, 1, 'cover');
    expect([cropped.scale, isReshaped(cropped)]).toEqual([100 / 266, true]);
  });
});
