import { fitWithin } from '../../../src/compression/domain/dimensions';
import { planSet, type SetSizes } from '../../../src/sets/set-plan';
import { readSettings } from '../../../src/settings/settings';

const { policy, knownFormats } = readSettings({}).compression;
const LANDSCAPE = { width: 1600, height: 1200 };

function plan(sizes: SetSizes, dimensions = LANDSCAPE, formats = ['same'], changes = {}, facts = {}) {
  const options = { sizes, name: 'photo', alt: '', placeholder: 'colour' } as const;
  const upload = { format: 'jpeg', dimensions, ...facts } as const;
  return planSet(upload, options, { ...policy, formats, ...changes }, knownFormats);
}
const namesOf = ({ variants }: ReturnType<typeof plan>) => variants.map(({ name }) => name);

it('makes each width in each format, the own format of the upload last', () => {
  const { variants } = plan({ widths: [960, 480, 480] }, LANDSCAPE, ['same', 'avif', 'jpeg']);
  expect(variants.map(({ name, width, policy: { formats } }) => [name, width, formats])).toEqual([
    ['photo-480.avif', 480, ['avif']],
    ['photo-480.jpg', 480, ['same']],
    ['photo-960.avif', 960, ['avif']],
    ['photo-960.jpg', 960, ['same']],
  ]);
});

it.each([[['avif', 'same']], [['same', 'avif']]])('needs no order of formats: %j', (formats) => {
  expect(namesOf(plan({ widths: [480] }, LANDSCAPE, formats))).toEqual(['photo-480.avif', 'photo-480.jpg']);
});

it('judges each density as it is seen, and all widths at the density of the policy', () => {
  const { variants } = plan({ width: 480, densities: [1, 1.5, 2] });
  expect(variants.map(({ name, width, density }) => [name, width, density])).toEqual([
    ['photo-480.jpg', 480, 1],
    ['photo-480@1.5x.jpg', 720, 1.5],
    ['photo-480@2x.jpg', 960, 2],
  ]);
  expect(variants.map((variant) => variant.policy.density)).toEqual([1, 1.5, 2]);
  expect(plan({ widths: [480] }, LANDSCAPE, ['same'], { density: 3 }).variants[0].policy.density).toBe(3);
});

it.each([
  ['landscape', { width: 1600, height: 1201 }],
  ['portrait', { width: 1201, height: 1600 }],
  ['tall', { width: 333, height: 9000 }],
])('limits the longer side so that the width is exact: %s', (_, dimensions) => {
  for (let width = 16; width <= 300; width++) {
    const [variant] = plan({ widths: [width] }, dimensions, ['same'], { maxDimensionPx: 16_384 }).variants;
    if (fitWithin(dimensions, variant.policy).width !== width) throw new Error(`not ${width} px`);
  }
});

it.each([
  [1680, ['photo-480.jpg', 'photo-960.jpg', 'photo-1680.jpg']],
  [1920, ['photo-480.jpg', 'photo-960.jpg', 'photo-1920.jpg']],
  [960, ['photo-480.jpg', 'photo-960.jpg']],
])('ends with the width of the upload in place of larger ones: %i px', (width, names) => {
  expect(namesOf(plan({ widths: [480, 960, 1920] }, { width, height: 900 }))).toEqual(names);
});

it('leaves out widths above that of the upload, and above the maximum dimension', () => {
  const upload = plan({ widths: [480, 1600, 1601] });
  expect(namesOf(upload)).toEqual(['photo-480.jpg', 'photo-1600.jpg']);
  expect(upload.leftOut).toEqual([{ width: 1601, density: 1 }]);
  const limited = plan({ widths: [480, 900, 901] }, { width: 1200, height: 1600 }, ['same'], {
    maxDimensionPx: 1200,
  });
  expect(limited.leftOut).toEqual([{ width: 901, density: 1 }]);
});

const HARMED = [
  [{ isAnimated: true }, 'it is animated'],
  [{ isNinePatch: true }, 'it is an Android nine-patch'],
  [{ losesByConversion: true }, 'it would lose data such as a gain map, or its colours'],
] as const;
it.each(HARMED)('%j keeps its format where that is accepted, with a note', (facts, reason) => {
  const planWith = (formats: string[]) =>
    plan({ widths: [1600] }, LANDSCAPE, formats, {}, { format: 'png', ...facts });
  const kept = planWith(['avif', 'same']);
  expect(namesOf(kept)).toEqual(['photo-1600.png']);
  expect(kept.notes).toEqual([`photo was not made as AVIF: ${reason}.`]);
  const byName = planWith(['avif']);
  expect([namesOf(byName), byName.notes]).toEqual([['photo-1600.avif'], []]);
});

it('has the width of the upload if every width is larger', () => {
  const small = { width: 700, height: 300 };
  expect(namesOf(plan({ widths: [800, 900] }, small))).toEqual(['photo-700.jpg']);
  const { variants } = plan({ width: 480, densities: [2, 3] }, small);
  expect(variants).toMatchObject([{ name: 'photo-480@1.4x.jpg', width: 700, density: 1.4 }]);
  expect(plan({ width: 800, densities: [1, 2] }, small).variants).toMatchObject([
    { name: 'photo-700.jpg', density: 1 },
  ]);
});

it.each<[SetSizes, string]>([
  [{ widths: [16, 1000] }, 'photo-1600.png'],
  [{ width: 16, densities: [1, 2] }, 'photo-16@4x.png'],
])('has one file of an animation, which keeps its size: %j', (sizes, name) => {
  const facts = { format: 'png', isAnimated: true };
  const animation = plan(sizes, LANDSCAPE, ['same'], { maxDimensionPx: 1000 }, facts);
  expect(animation.variants).toMatchObject([{ name, width: 1600 }]);
  expect(animation.leftOut).toHaveLength(2);
  // A single pixel cannot be made of it.
  expect(animation.placeholder).toBeUndefined();
});
