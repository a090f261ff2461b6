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
  it('a PNG becomes a WebP that rounds samples where neighbours differ', async () => {
    const source = png(210, 160, lines);
    const { bytes, report } = await compress(source, { FORMAT: 'webp' });
    expect(report.format).toBe('webp');
    expect(report.score).toBeGreaterThan(HIGH);
    expect([report.quality, report.maxError]).toEqual([undefined, undefined]);
    expect(bytes.length).toBeLessThan(source.length / 2);
    const { data } = await samplesOf(sharp(bytes).ensureAlpha());
    const wanted = decodeIndependently(source).data;
    // Four bits of a sample, rounded.
    expect(data.every((sample, i) => Math.abs(sample - wanted[i]) <= 8)).toBe(true);
  });

  it.each([
    ['jpeg', 60],
    ['avif', 80],
  ] as const)(
    'a file in %s, of which a WebP without loss is far larger, gets the best quality and its true score',
    async (format, quality) => {
      const { data, ...size } = decodeIndependently(png(210, 160, lines));
      const raw = { width: size.width, height: size.height, channels: 4 } as const;
      const coding = { quality, chromaSubsampling: '4:4:4' };
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
