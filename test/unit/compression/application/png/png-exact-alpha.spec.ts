/** What is opaque or transparent in the upload is so in every delivered file that has lost something, on every path. */
import { compressImage } from '../../../../../src/compression/application/recipe';
import { ENGINE_NAMES } from '../../../../../src/compression/application/codecs.port';
import type { CompressionPolicy } from '../../../../../src/compression/domain/compression-policy';
import { loadEngine } from '../../../../../src/compression/infrastructure/codecs/engines';
import { policy } from '../../../../support/default-policy';
import { png, textured, type Draw } from '../../../../support/drawn-pngs';

const clamped = (value: number) => Math.max(0, Math.min(255, Math.round(value)));

/** Discs with soft edges, which a palette can show. */
const badges: Draw = (x, y) => {
  const [disc, distance] = [
    Math.floor(x / 56) + 5 * Math.floor(y / 56),
    Math.hypot((x % 56) - 28, (y % 56) - 28),
  ];
  const middle = Math.max(0, Math.min(1, (14 - distance) / 5));
  const shades = [37 * disc, 91 * disc, 53 * disc].map((shade) => 255 - middle * (shade % 190));
  return [...shades, (255 * (24 - distance)) / (2 + (disc % 9))].map(clamped);
};
/** A glow, at whose edge a quantiser merges opaque pixels with others. */
const glow: Draw = (x, y) => {
  const distance = Math.hypot(x - 160, y - 120) / (1 + ((7 * x + 3 * y) % 5) / 200);
  return [200 - (distance % 90), x >> 1, (2 * y) & 255, 300 - 2.6 * distance].map(clamped);
};
/** A glow with grain, which no palette shows. */
const grainy: Draw = (x, y) => [
  ...textured(x, y).slice(0, 3),
  clamped(300 - 3.6 * Math.hypot(x - 112, y - 80)),
];

/** Counts the alphas of 0 and 255 that are others in the delivered file. */
async function wrongAlphas(
  draw: Draw,
  changes: Partial<CompressionPolicy>,
  name: (typeof ENGINE_NAMES)[number],
) {
  const engine = await loadEngine(name);
  const source = draw === glow ? png(392, 280, draw) : png(224, 168, draw);
  const { bytes, report } = await compressImage(source, engine, { ...policy, ...changes });
  const before = (await engine.png.decode(source)).data;
  const codec = report.format === 'webp' ? engine.webp : engine.png;
  const after = (await codec?.decode(bytes))?.data ?? new Uint8Array();
  let wrong = 0;
  for (let at = 3; at < before.length; at += 4)
    if ((before[at] === 0 || before[at] === 255) && after[at] !== before[at]) wrong++;
  return { wrong, isLossy: report.score < 1, format: report.format, maxError: report.maxError };
}

it.each([
  ['a palette with repeated matches', badges, {}, { maxError: undefined }],
  [
    'a palette for max_bytes',
    glow,
    { byteLimit: { maxBytes: 19_600, allowsAny: true } },
    { maxError: undefined },
  ],
  ['a near-lossless file', grainy, {}, {}],
  ['a WebP of a palette', badges, { formats: ['webp'] }, { format: 'webp', maxError: undefined }],
  ['a near-lossless WebP', grainy, { formats: ['webp'] }, { format: 'webp' }],
] as const)('%s', async (_, draw, changes, expected) => {
  expect(await wrongAlphas(draw, changes, 'native')).toMatchObject({ wrong: 0, isLossy: true, ...expected });
});

it('a near-lossless file of the portable engine', async () => {
  expect(await wrongAlphas(grainy, {}, 'squoosh')).toMatchObject({ wrong: 0, isLossy: true });
});

it.each(ENGINE_NAMES)('WebP with loss, by the encoder of %s', async (name) => {
  const { png: pngs, webp } = await loadEngine(name);
  const pixels = await pngs.decode(png(224, 168, glow));
  const file = await webp?.encode(pixels, { isLossless: false, quality: 30, effort: 4 });
  const decoded = file && (await webp?.decode(file));
  expect(decoded?.data.filter((_, i) => i % 4 === 3)).toEqual(pixels.data.filter((_, i) => i % 4 === 3));
});
