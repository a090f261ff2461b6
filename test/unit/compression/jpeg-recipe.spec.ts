import sharp from 'sharp';
import { compressImage } from '../../../src/compression/application/compress-image';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { ScoreReference } from '../../../src/compression/domain/score/ssim-score';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../src/settings/settings';
import { decodeIndependently, photoPixels, randomNumbers } from '../../support/images';

const engine = createNativeEngine();
const { policy } = readSettings({});
const compress = (jpeg: Uint8Array) => compressImage(jpeg, engine, policy);
const allowed = 1 - policy.targetScore;

/** Saved by libjpeg-turbo, or by MozJPEG. */
function saved({ data, width, height }: Pixels, quality: number, mozjpeg = false, chroma = '4:4:4') {
  const options = { quality, mozjpeg, chromaSubsampling: chroma };
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg(options)
    .toBuffer();
}

/** The loss of a file against the first original, in units of what the target allows. */
async function lossAgainst(original: Pixels, jpeg: Uint8Array): Promise<number> {
  return (
    (1 - new ScoreReference(original).score(await engine.jpeg.decode(jpeg, { orientation: 1 }))) / allowed
  );
}

/** What exiftool -all= does: the application's segments go, the coded picture stays as it is. */
function withoutApplicationSegments(jpeg: Buffer): Buffer {
  const kept = [jpeg.subarray(0, 2)];
  let at = 2;
  for (let marker = jpeg[at + 1]; marker !== 0xda; marker = jpeg[at + 1]) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if ((marker & 0xf0) !== 0xe0) kept.push(jpeg.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...kept, jpeg.subarray(at)]);
}

const flat: Pixels = { width: 200, height: 150, channels: 3, data: new Uint8Array(90_000).fill(90) };
const noise = (amplitude: number): Pixels => {
  const random = randomNumbers(5);
  const data = Uint8Array.from({ length: 300 * 200 * 3 }, () => 128 + (random() - 0.5) * amplitude);
  return { width: 300, height: 200, channels: 3, data };
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
])('keeps the promise for %s, and leaves the result alone afterwards', async (_, pixels) => {
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
  const again = await compress(bytes);
  expect(again.report.skipReason).toBe('already-optimised');
  expect(Buffer.from(again.bytes).equals(Buffer.from(bytes))).toBe(true);
});

describe('files that somebody else has saved', () => {
  const original = photoPixels(512, 384, 3);

  it.each([
    [50, false],
    [75, false],
    [85, false],
    [90, false],
    [95, false],
    [50, true],
    [80, true],
    [90, true],
    [95, true],
  ])(
    'at quality %i (MozJPEG: %s) lose little more against the original than the target allows',
    async (q, moz) => {
      const foreign = await saved(original, q, moz);
      const { bytes, report } = await compress(foreign);
      const own = await lossAgainst(original, foreign);
      const total = await lossAgainst(original, bytes);
      if (own >= 1) expect([report.score, total]).toEqual([1, own]);
      else expect(total).toBeLessThan(1.25);
    },
  );

  it('are not degraded by ten passes, also where another tool saves the result again in between', async () => {
    let file: Uint8Array = await saved(original, 98);
    for (let pass = 0; pass < 10; pass++) {
      file = (await compress(file)).bytes;
      if (pass === 4) {
        const { data } = await engine.jpeg.decode(file, { orientation: 1 });
        file = await saved({ ...original, data }, 95);
      }
    }
    // One pass allows 1; the other tool's own loss comes on top, by squares.
    expect(await lossAgainst(original, file)).toBeLessThan(1.1);
  });

  it('come back byte for byte when another tool has taken the metadata off a result of ours', async () => {
    const profile = await sharp(await saved(original, 97))
      .withIccProfile('p3')
      .jpeg({ quality: 97 })
      .toBuffer();
    const { bytes } = await compress(profile);
    const stripped = withoutApplicationSegments(Buffer.from(bytes));
    expect(stripped.length).toBeLessThan(bytes.length);
    const again = await compress(stripped);
    expect(Buffer.from(again.bytes).equals(stripped)).toBe(true);
  });
});
