import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import type { Pixels } from '../../../../../src/compression/domain/pixels';
import { ScoreReference } from '../../../../../src/compression/domain/score/ssim-score';
import { withoutSegments } from '../../../../../src/compression/formats/jpeg/segment-writer';
import { isResultMarker } from '../../../../../src/compression/formats/jpeg/result-marker';
import { compress, decodeJpeg, engine, expectUnchanged, policy } from '../../../../support/compressing';
import {
  decodeIndependently,
  photoPixels,
  pixelsOf,
  randomNumbers,
  rawImage,
  texturedPixels,
} from '../../../../support/images';
import { withMetadata } from '../../../../support/jpeg-metadata';

const allowed = 1 - policy.targetScore;

const saved = (pixels: Pixels, quality: number, mozjpeg = false) =>
  rawImage(pixels).jpeg({ quality, mozjpeg, chromaSubsampling: '4:4:4' }).toBuffer();

/** The loss of a file against the first original, in units of what the target allows. */
async function lossAgainst(original: Pixels, jpeg: Uint8Array) {
  return (1 - new ScoreReference(original).score(await decodeJpeg(jpeg))) / allowed;
}

const flat = pixelsOf(200, 150, 3, () => 90);
const noise = (amplitude: number) => {
  const random = randomNumbers(5);
  return pixelsOf(300, 200, 3, () => 128 + (random() - 0.5) * amplitude);
};

it.each([
  ['1 x 1', photoPixels(1, 1)],
  ['1 x 300', photoPixels(1, 300)],
  ['300 x 1', photoPixels(300, 1)],
  ['3 x 5', photoPixels(3, 5)],
  ['8 x 8', photoPixels(8, 8)],
  ['9 x 17', photoPixels(9, 17)],
  ['one colour', flat],
  ['faint noise', noise(6)],
  ['pure noise', noise(255)],
])('reaches the target for %s, and returns the result unchanged afterwards', async (_, pixels) => {
  const source = await saved(pixels, 97);
  const { bytes, report } = await compress(source);
  expect(bytes.length).toBeLessThanOrEqual(source.length);
  expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
  expect(report.score).toBeLessThanOrEqual(1);
  if (!report.skipReason) {
    expect(report.quality).toBeGreaterThanOrEqual(20);
    expect(report.quality).toBeLessThanOrEqual(100);
  }
  const { width, height } = decodeIndependently(bytes);
  expect([width, height]).toEqual([pixels.width, pixels.height]);
  await expectUnchanged(bytes);
});

const FLOOR = (1 - QUALITY_TARGETS.low) / allowed;

describe('a file that another encoder has saved', () => {
  const original = texturedPixels(512, 384);
  const cases = [
    [50, false],
    [75, false],
    [85, false],
    [92, false],
    [60, true],
    [80, true],
    [90, true],
  ] as const;

  it.each(cases)('at %i (MozJPEG: %s) loses no more than the target against the upload', async (q, moz) => {
    const upload = await saved(original, q, moz);
    const { bytes, report } = await compress(upload);
    expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
    expect(bytes.length).toBeLessThanOrEqual(upload.length);
    const [before, together] = [await lossAgainst(original, upload), await lossAgainst(original, bytes)];
    if (before >= FLOOR) expect(report.score).toBe(1);
    // The loss of the upload is estimated within some 12 %.
    else expect(together).toBeLessThan(FLOOR * 1.15);
  });

  it('becomes smaller if it has lost less before', async () => {
    const share = async (q: number) => {
      const upload = await saved(original, q);
      return (await compress(upload)).bytes.length / upload.length;
    };
    expect(await share(95)).toBeLessThan(await share(85));
    expect(await share(85)).toBeLessThan(0.97);
  });
});

describe('a result of this service', () => {
  const original = texturedPixels(512, 384);
  const result = async () => {
    const { bytes } = await compress(await saved(original, 97));
    return Buffer.from(bytes);
  };

  it('comes back byte for byte without being decoded, also with other metadata', async () => {
    const ours = await result();
    const decode = jest.spyOn(engine.jpeg, 'decode');
    for (const file of [ours, Buffer.from(withMetadata(ours, { orientation: 6 }))])
      await expectUnchanged(file);
    expect(decode).not.toHaveBeenCalled();
    decode.mockRestore();
  });

  it('is returned unchanged by a stricter policy, and compressed by a laxer one', async () => {
    const ours = await result();
    const under = (targetScore: number) => compress(ours, { targetScore });
    expect((await under(QUALITY_TARGETS['very-high'])).report.skipReason).toBe('already-optimised');
    const lax = await under(QUALITY_TARGETS.low);
    expect(lax.report.skipReason).toBeUndefined();
    expect(lax.bytes.length).toBeLessThan(ours.length * 0.95);
  });

  it('is scaled down if it is too large, despite its marker', async () => {
    const ours = await result();
    const { report } = await compress(ours, { maxDimensionPx: 256 });
    expect(report.dimensions).toEqual({ width: 256, height: 192 });
  });

  it('does not degrade in ten passes if the marker is removed before each', async () => {
    let file: Uint8Array = await result();
    for (let pass = 0; pass < 10; pass++)
      file = (await compress(withoutSegments(file, isResultMarker))).bytes;
    expect(await lossAgainst(original, file)).toBeLessThan(1.3);
  });

  it('is reproduced after another tool has saved it again with finer quantization', async () => {
    const ours = await result();
    const again = await rawImage(await decodeJpeg(ours))
      .removeAlpha()
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const { bytes, report } = await compress(again);
    expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
    expect(bytes.length).toBeLessThan(ours.length * 1.05);
    expect(await lossAgainst(original, bytes)).toBeLessThan(1.6);
  });
});
