/** Thin coloured lines on a dark ground lose their colour in 4:2:0 at any quality, although its mosaic predicts fewer bytes. */
import sharp from 'sharp';
import { QUALITY_TARGETS } from '../../../../src/compression/domain/compression-policy';
import { compress } from '../../../support/compressing';

const LEVELS = ['low', 'medium', 'high', 'very-high'] as const;
const COLOURS = ['#ff2a2a', '#2a6bff', '#ff2ad4', '#2affd5'];

function chart(width: number, height: number) {
  const lines = COLOURS.flatMap((colour, i) =>
    Array.from({ length: 5 }, (_, j) => {
      const points = Array.from({ length: 40 }, (_, k) => {
        const y = height * (0.5 + 0.4 * Math.sin(k / (2 + i) + j * 1.3));
        return `${((k * width) / 39).toFixed(1)},${y.toFixed(1)}`;
      });
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}"/>`;
    }),
  );
  const ground = `<rect width="${width}" height="${height}" fill="#101418"/>`;
  return sharp(Buffer.from(`<svg width="${width}" height="${height}">${ground}${lines.join('')}</svg>`));
}

it.each([
  [
    'a scaled JPG in 4:4:4',
    () => chart(480, 320).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(),
    { maxDimensionPx: 240 },
  ],
  ['a PNG as JPG', () => chart(240, 160).png().toBuffer(), { formats: ['jpeg' as const] }],
])('%s reaches every target, and a higher one never scores lower', async (_, made, asked) => {
  const upload = await made();
  let before = 0;
  for (const level of LEVELS) {
    const targetScore = QUALITY_TARGETS[level];
    const { report } = await compress(upload, { ...asked, targetScore });
    expect(report.format).toBe('jpeg');
    expect(report.score).toBeGreaterThanOrEqual(Math.max(targetScore, before));
    before = report.score;
  }
});
