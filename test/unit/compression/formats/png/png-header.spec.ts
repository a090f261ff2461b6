import { readPngHeader } from '../../../../../src/compression/formats/png/png-structure';
import { graphicPng } from '../../../../support/images';

it('accepts exactly the bit depths that a colour type may have', () => {
  const valid = [[1, 2, 4, 8, 16], [], [8, 16], [1, 2, 4, 8], [8, 16], [], [8, 16], []];
  const file = graphicPng(8, 8);
  const isAccepted = (depth: number, type: number) => {
    file.set([depth, type], 24);
    try {
      return readPngHeader(file).bitDepth === depth;
    } catch {
      return false;
    }
  };
  const depths = Array.from({ length: 256 }, (_, depth) => depth);
  valid.forEach((wanted, type) => {
    expect(depths.filter((depth) => isAccepted(depth, type))).toEqual(wanted);
  });
});

it.each([
  ['compression', 26],
  ['filter', 27],
  ['interlace', 28],
])('refuses an unknown %s method', (_, at) => {
  const file = graphicPng(8, 8);
  file[at] = 2;
  expect(() => readPngHeader(file)).toThrow(/header combines values/);
});
