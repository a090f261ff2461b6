/** Saturated colours in lines of 1 px, which WebP with loss cannot hold: it stores colours at half the resolution. */
import sharp from 'sharp';
import { png, textured, type Draw } from '../support/drawn-pngs';
import { decodeIndependently, samplesOf } from '../support/images';
import { withEveryEngine } from './engines';

const LINES = [
  [255, 0, 0, 255],
  [0, 0, 255, 255],
  [255, 0, 255, 255],
];
const lines: Draw = (x, y) => (x % 7 === 0 ? LINES[(x / 7) % 3] : textured(x, y));
const HIGH = 0.9914;

withEveryEngine((compress) => {
  it('a PNG becomes a WebP without loss, at most a quarter larger', async () => {
    const source = png(210, 160, lines);
    const { bytes, report } = await compress(source, { FORMAT: 'webp' });
    expect(report).toMatchObject({ format: 'webp', score: 1, maxError: 0 });
    expect(report.quality).toBeUndefined();
    expect(bytes.length).toBeLessThan(source.length * 1.25);
    const { data } = await samplesOf(sharp(bytes).ensureAlpha());
    expect(data).toEqual(decodeIndependently(source).data);
  });

  it.each(['jpeg', 'avif'] as const)(
    'a file in %s, of which a WebP without loss is far larger, gets the best quality and its true score',
    async (format) => {
      const { data, ...size } = decodeIndependently(png(210, 160, lines));
      const raw = { width: size.width, height: size.height, channels: 4 } as const;
      const coding = { quality: format === 'avif' ? 80 : 95, chromaSubsampling: '4:4:4' };
      const source = await sharp(data, { raw }).removeAlpha().toFormat(format, coding).toBuffer();
      const { report } = await compress(source, { FORMAT: 'webp' });
      expect(report).toMatchObject({ format: 'webp', quality: 98 });
      expect(report.score).toBeLessThan(HIGH);
      expect(report.maxError).toBeUndefined();
    },
  );

  it('a photo that a quality holds is written with loss', async () => {
    const { report } = await compress(png(210, 160, textured), { FORMAT: 'webp' });
    expect(report.quality).toBeLessThan(98);
    expect(report.score).toBeGreaterThanOrEqual(HIGH);
  });
});
