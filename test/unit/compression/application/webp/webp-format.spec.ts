import type { ResultCodec } from '../../../../../src/compression/application/codecs.port';
import type { ImageFacts } from '../../../../../src/compression/application/result-format.port';
import { webpFormat } from '../../../../../src/compression/application/webp/webp-format';
import { partOf } from '../../../../support/part-of';
import { painted } from '../../../../support/images';

const encode = jest.fn<Promise<Uint8Array>, Parameters<ResultCodec['encode']>>();
const format = webpFormat(partOf<ResultCodec>({ encode }));

it.each<[string, Partial<ImageFacts> & { quality?: number }, boolean | undefined]>([
  ['colours that share their chroma well', { needsSharpChroma: () => false }, false],
  ['colours that lose lightness', { needsSharpChroma: () => true }, true],
  ['colours that nobody has looked at', {}, undefined],
  ['the highest qualities', { needsSharpChroma: () => false, quality: 93 }, true],
  ['a dense screen', { needsSharpChroma: () => false, density: 1.5 }, true],
])('asks for sharp chroma as it saves bytes: %s', async (_, { quality = 80, ...facts }, isSharp) => {
  encode.mockResolvedValueOnce(new Uint8Array());
  const image = {
    effort: 'balanced',
    pixelCount: 4,
    isPhoto: true,
    density: 1,
    targetScore: 0.9914,
    ...facts,
  } as const;
  const pixels = painted(2, 2, 3, () => [1, 2, 3]);
  await format.lossy[0].encode(pixels, { quality, purpose: 'delivery', image, metadata: {} });
  expect(encode.mock.lastCall?.[1].hasSharpChroma).toBe(isSharp);
});

it('its losses count less than those of a JPG where single pixels are seen', () => {
  const weights = [1, 1.5, 2, 4].map((density) => format.lossWeight?.(density));
  expect(weights[0]).toBeCloseTo(1 / 1.1);
  expect(weights[1]).toBeCloseTo((1 / 1.1 + 1) / 2);
  expect(weights.slice(2)).toEqual([1, 1]);
});
