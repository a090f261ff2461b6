import { QualityCurve, usualQuality } from '../../../src/compression/domain/search/quality-curve';
import { logStep } from '../../../src/compression/domain/search/quantiser-table';

const RANGE = { lowest: 20, highest: 95 };
const step = (quality: number) => Math.exp(logStep(quality));

/** A picture that loses 0.01 at a quality as it is delivered, and a share of that in a draft; else like most others. */
function picture(lossAt: number, draftLoss: number) {
  const asked: string[] = [];
  const curve = new QualityCurve('4:2:0', (quality, purpose) => {
    asked.push(`${purpose} ${quality}`);
    const isDraft = purpose === 'draft';
    const loss = 0.01 * (step(quality) / step(lossAt)) ** 0.91 * (isDraft ? draftLoss : 1);
    return Promise.resolve({
      score: 1 - loss,
      relativeError: isDraft ? 0.03 : 0.04,
      size: isDraft ? 110 : 90,
    });
  });
  return { curve, asked };
}

it('foresees by drafts alone what a picture loses that is like most others', async () => {
  const { curve, asked } = picture(85, Math.exp(-0.07));
  expect(await curve.foresee(0.0101, RANGE)).toBe(85);
  expect(asked.every((look) => look.startsWith('draft'))).toBe(true);
});

it.each([0.7, 0.85, 1, 1.15])(
  'finds what is delivered, whatever a draft loses of it: %d',
  async (draftLoss) => {
    const { curve, asked } = picture(85, draftLoss);
    expect(await curve.find(0.0101, RANGE)).toBe(85);
    expect(asked.filter((look) => look.startsWith('search')).length).toBeLessThanOrEqual(2);
    expect(curve.lossAt(85)).toBeCloseTo(0.01, 9);
  },
);

it('asks for every look once, and has a draft to compare the first look with', async () => {
  const { curve, asked } = picture(85, 0.9);
  expect(await curve.look(85)).toBeCloseTo(0.01, 12);
  expect(await curve.look(85)).toBeCloseTo(0.01, 12);
  await curve.draft(85);
  expect(asked).toEqual(['draft 85', 'search 85']);
});

it('takes a draft for a look where the codec has none', async () => {
  const asked: number[] = [];
  const sampler = (quality: number) => {
    asked.push(quality);
    return Promise.resolve({ score: 0.99, relativeError: 0.03, size: 100 });
  };
  const curve = new QualityCurve('4:2:0', sampler, false);
  expect(await curve.draft(85)).toBeCloseTo(0.01, 12);
  expect(await curve.look(85)).toBeCloseTo(0.01, 12);
  expect(curve.sizeAt(85)).toBeCloseTo(100, 9);
  expect(asked).toEqual([85]);
});

it('tells by a draft what the loss is likely to be, and knows better after a look', async () => {
  const { curve } = picture(85, 0.8);
  expect(await curve.draft(85)).toBeCloseTo(0.008 * Math.exp(0.07), 12);
  await curve.look(80);
  expect(await curve.draft(85)).toBeCloseTo(0.01, 12);
});

it('gives sizes as they are delivered, and the error of the sample', async () => {
  const { curve } = picture(85, 1);
  await curve.draft(85);
  expect(curve.sizeAt(85)).toBeCloseTo(110 * Math.exp(-0.1), 9);
  expect(curve.relativeErrorAt(85)).toBe(0.03);
  await curve.look(85);
  expect(curve.sizeAt(85)).toBeCloseTo(90, 9);
  expect(curve.sizeAt(80)).toBeLessThan(90);
});

it('knows where most pictures meet a loss', () => {
  expect(usualQuality(0.0086)).toBe(80);
  expect(usualQuality(0.0086 / 2)).toBeGreaterThan(88);
});
