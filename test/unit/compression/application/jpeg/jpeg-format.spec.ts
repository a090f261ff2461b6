import type { JpegCodec } from '../../../../../src/compression/application/codecs.port';
import {
  jpegCoding,
  likelyQuality,
  uploadPatience,
} from '../../../../../src/compression/application/jpeg/jpeg-format';
import { partOf } from '../../../../support/part-of';

const allowed = 0.01;
/** A curve like the encoder's: the loss follows the quantization step and equals the allowed loss at `quality`. */
const meetsAt = (quality: number) => (q: number) => allowed * ((101 - q) / (101 - quality)) ** 0.85;

it('starts lower for uploads with less detail and larger allowances', () => {
  expect(likelyQuality(0.0086)).toBeCloseTo(80, 6);
  const saved = (bitsPerPixel: number) => ({ chroma: '4:2:0', quality: 90, bitsPerPixel }) as const;
  expect(likelyQuality(0.0086, saved(1))).toBeLessThan(likelyQuality(0.0086, saved(3)));
  expect(likelyQuality(0.017, saved(2))).toBeLessThan(likelyQuality(0.0086, saved(2)));
});

it('starts where a line through the loss of encoding the upload again meets the allowed loss', () => {
  for (const quality of [60, 75, 85]) {
    const upload = {
      chroma: '4:2:0',
      quality: 92,
      bitsPerPixel: 2,
      reencodingLoss: meetsAt(quality)(92),
    } as const;
    // Slightly below: aiming there finds the lower end of a jump.
    expect(likelyQuality(allowed, upload)).toBeLessThan(quality);
    expect(likelyQuality(allowed, upload)).toBeGreaterThan(quality - 0.15 * (101 - quality));
  }
});

it('encodes small uploads once more than large ones, and only once with effort fast', () => {
  const encodes = (effort: 'fast' | 'balanced' | 'max', pixelCount: number) =>
    uploadPatience({ effort, pixelCount, density: 1 }).encodesForBytes;
  expect([encodes('balanced', 2_999_999), encodes('balanced', 3_000_000)]).toEqual([3, 2]);
  expect([encodes('fast', 1_000), encodes('max', 50_000_000)]).toEqual([1, 5]);
});

it('expects more loss than that of a few tiles at a density above 1, but not of an image that is tried whole', () => {
  const { trials } = jpegCoding(partOf<JpegCodec>({}), '4:2:0');
  const ratio = (density: number, pixelCount: number) =>
    trials({ density, pixelCount, effort: 'balanced', isPhoto: true, targetScore: 0.9914 }).lossRatio;
  expect([ratio(1, 2e6), ratio(2, 512 * 512)]).toEqual([1, 1]);
  expect(ratio(2, 2e6)).toBeGreaterThan(1.03);
});
