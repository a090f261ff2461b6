/** Every kind of PNG keeps its depth and transparency in every kind of rewrite. */
import { PNG } from 'pngjs';
import { ScoreReference } from '../../src/compression/domain/score/ssim-score';
import { compositeOver } from '../../src/compression/domain/pixels';
import { PNG_KINDS, pngOfKind } from '../support/png-types';
import { withEveryEngine } from './engines';

/** 16 bits a sample, by another decoder. A buffer, because Jest compares long arrays slowly. */
function samples(png: Uint8Array): Buffer {
  const isDeep = png[24] === 16;
  const { data } = PNG.sync.read(Buffer.from(png), { skipRescale: isDeep });
  const samples = Uint16Array.from(data, (sample) => (isDeep ? sample : sample * 257));
  return Buffer.from(samples.buffer);
}

withEveryEngine((compress) => {
  it.each(PNG_KINDS)('%s: equal in every sample with QUALITY=lossless', async (_, kind) => {
    const source = pngOfKind(kind);
    const { bytes, report } = await compress(source, { QUALITY: 'lossless', MIN_SAVINGS_PERCENT: '0' });
    expect(samples(bytes)).toEqual(samples(source));
    expect(report.score).toBe(1);
  });

  it.each(PNG_KINDS)(
    '%s: looks the same over white and black in auto mode, and 16 bits stay as they are',
    async (_, kind) => {
      const source = pngOfKind(kind, 110, 80);
      const { bytes } = await compress(source);
      const [before, after] = [source, bytes].map((png) => PNG.sync.read(Buffer.from(png)));
      for (const background of [255, 0]) {
        const [a, b] = [before, after].map(({ width, height, data }) =>
          compositeOver(background, { width, height, channels: 4, data }),
        );
        expect(new ScoreReference(a).score(b)).toBeGreaterThanOrEqual(0.9931);
      }
      if (kind.bitDepth === 16) expect(samples(bytes)).toEqual(samples(source));
    },
  );

  it.each(PNG_KINDS)('%s: transparent places stay transparent when it is scaled', async (_, kind) => {
    const source = pngOfKind(kind, 64, 48);
    const { bytes } = await compress(source, { MAX_DIMENSION_PX: '32' });
    const [before, after] = [source, bytes].map((png) => PNG.sync.read(Buffer.from(png)));
    expect(after).toMatchObject({ width: 32, height: 24 });
    // The corner has a single colour, the transparent one if there is one; Lanczos rings slightly.
    expect(Math.abs(after.data[3] - before.data[3])).toBeLessThan(16);
    expect(bytes[24]).toBeLessThanOrEqual(8);
  });
});
