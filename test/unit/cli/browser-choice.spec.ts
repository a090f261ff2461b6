import { chosenDensities } from '../../../src/cli/check/browser-choice';

const files = (...widths: number[]) => widths.map((width) => ({ url: `${width}`, width }));
const densities = (sizes: string, ...widths: number[]) => {
  const found = chosenDensities(files(...widths), sizes);
  return found && Object.fromEntries([...found].map(([url, density]) => [url, Number(density.toFixed(2))]));
};

it('a fixed size gives each file its own density', () => {
  expect(densities('320px', 320, 640, 960)).toEqual({ 320: 1, 640: 2, 960: 3 });
  expect(densities('20rem', 320, 640)).toEqual({ 320: 1, 640: 2 });
  expect(densities('calc(160px + 10em)', 320, 640)).toEqual({ 320: 1, 640: 2 });
});

it('files that fill the window are seen at density 1 in some window, and the largest is enlarged', () => {
  expect(densities('100vw', 480, 960, 1920)).toEqual({ 480: 1, 960: 1, 1920: 0.75 });
});

it('a condition limits the windows: the largest file is for dense displays only', () => {
  const { 960: large } = densities('(max-width: 600px) 100vw, 300px', 480, 960) ?? {};
  expect(large).toBeCloseTo(960 / 576, 1);
  expect(densities('(min-width: 40em) and (max-width: 5000px) 320px, 320px', 640)).toEqual({ 640: 2 });
});

it('a file that no display needs has the highest density', () => {
  expect(densities('100px', 100, 300, 3000)).toMatchObject({ 3000: 4 });
});

it('chooses the lower of two files up to their geometric mean, but not below a density of 1', () => {
  // At density 2: 1.6 is nearer than 3.2 (mean 2.26). At 1: 1.6 although 0.8 is nearer (mean 1.13).
  expect(densities('400px', 320, 640, 1280)).toEqual({ 320: 4, 640: 1.6, 1280: 3.2 });
});

it.each(['auto', '50%', 'min(100vw, 600px)', '(orientation: portrait) 50vw, 320px', '-5px', ''])(
  'does not guess %j',
  (sizes) => expect(densities(sizes, 320, 640)).toBeUndefined(),
);
