import { chooseChroma, chromaHalvingError } from '../../../src/compression/domain/chroma-subsampling';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { photoPixels } from '../../support/images';

function stripes(a: number[], b: number[]): Pixels {
  const data = new Uint8Array(32 * 32 * 3);
  for (let i = 0; i < 32 * 32; i++) data.set(i % 2 ? a : b, i * 3);
  return { width: 32, height: 32, channels: 3, data };
}

it('keeps full chroma for fine red and blue stripes, halves it for grey ones', () => {
  expect(chooseChroma(stripes([250, 0, 0], [0, 0, 250]), false)).toBe('4:4:4');
  expect(chooseChroma(stripes([250, 250, 250], [0, 0, 0]), false)).toBe('4:2:0');
});

it('halves the chroma of an ordinary photo', () => {
  expect(chooseChroma(photoPixels(256, 256), false)).toBe('4:2:0');
});

it('does not invent chroma that the source has lost already', () => {
  expect(chooseChroma(stripes([250, 0, 0], [0, 0, 250]), true)).toBe('4:2:0');
});

it('measures the error that averaging 2 x 2 leaves', () => {
  // Cb alternates by ±d around its mean: the RMSE is d.
  const { cb, cr } = chromaHalvingError(stripes([0, 0, 100], [0, 0, 0]));
  expect(cb).toBeCloseTo(25, 3);
  expect(cr).toBeCloseTo((0.081312 * 100) / 2, 3);
  expect(chromaHalvingError(photoPixels(1, 5))).toEqual({ cb: 0, cr: 0 });
});
