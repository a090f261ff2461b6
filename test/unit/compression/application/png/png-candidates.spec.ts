import sharp from 'sharp';
import { Stopwatch } from '../../../../../src/compression/application/context';
import { posteriseToFit } from '../../../../../src/compression/application/png/png-candidates';
import { preparePng } from '../../../../../src/compression/application/png/png-image';
import { FidelityGuard } from '../../../../../src/compression/domain/fidelity-guard';
import { readSource } from '../../../../../src/compression/formats/image-header';
import { compress, engine, expectUnchanged } from '../../../../support/compressing';
import { policy } from '../../../../support/default-policy';
import { png, screenshot, textured, type Draw } from '../../../../support/drawn-pngs';
import { decodeIndependently, photoPixels, rawImage, difference } from '../../../../support/images';
import { ssimulacra2Of } from '../../../../support/judged';

/** Compresses an image, and lists how many pixels were quantised each time. */
async function quantised(source: Uint8Array) {
  const quantise = jest.spyOn(engine.png, 'quantise');
  const { bytes } = await compress(source);
  const sizes = quantise.mock.calls.map(([{ width, height }]) => width * height);
  quantise.mockRestore();
  return { bytes, sizes };
}

it('gives an image of many colours an indistinguishable palette, and returns the result unchanged when it is uploaded again', async () => {
  const source = png(490, 350, screenshot);
  const { bytes, report } = await compress(source);
  const lossless = await compress(source, { targetScore: 1 });
  // The colour type in the header: indexed.
  expect(bytes[25]).toBe(3);
  expect(report.score).toBeLessThan(1);
  expect(await ssimulacra2Of(source, decodeIndependently(bytes))).toBeGreaterThanOrEqual(85);
  expect(report.quality).toBeUndefined();
  expect(bytes.length).toBeLessThan(lossless.bytes.length * 0.75);
  expect(difference(source, bytes)).toBeLessThan(4);
  await expectUnchanged(bytes);
});

it.each([
  ['without loss', screenshot, { targetScore: 1 }],
  ['at a target that no palette reaches', screenshot, { targetScore: 0.9999 }],
] as const)('changes no pixel: %s', async (_, draw, changes) => {
  const source = png(420, 280, draw);
  const { bytes, report } = await compress(source, changes);
  expect(report.score).toBe(1);
  expect(difference(source, bytes)).toBe(0);
});

it('quantises a sample of the colours of a drawing, not its pixels', async () => {
  const { bytes, sizes } = await quantised(png(640, 480, screenshot));
  expect(bytes[25]).toBe(3);
  expect(Math.max(...sizes)).toBeLessThan((640 * 480) / 3);
});

it('changes nothing in an image of few colours, each of which covers a part of it', async () => {
  const colours = Array.from({ length: 48 }, (_, i) => [(i * 5) & 255, (i * 37) & 255, (i * 11) & 255, 255]);
  const source = png(480, 320, (x, y) => colours[((x >> 4) * 7 + (y >> 4) * 5) % colours.length]);
  const { bytes, report } = await compress(source);
  expect(report.score).toBe(1);
  expect(difference(source, bytes)).toBe(0);
});

it('merges the many shades of soft edges between few colours', async () => {
  const lines = Array.from(
    { length: 60 },
    (_, i) => `<path d="M${7 * i} 0L${420 - 7 * i} 300" stroke="rgb(${4 * i},20,90)" stroke-width="1.3"/>`,
  );
  const svg = `<svg width="420" height="300" xmlns="http://www.w3.org/2000/svg"><rect width="420" height="300" fill="#fff"/>${lines.join('')}</svg>`;
  const source = await sharp(Buffer.from(svg)).png({ palette: true, quality: 100, dither: 0 }).toBuffer();
  const colours = new Set(new Uint32Array(Uint8Array.from(decodeIndependently(source).data).buffer));
  expect(colours.size).toBeGreaterThan(64);
  const { bytes, report } = await compress(source);
  const lossless = await compress(source, { targetScore: 1 });
  expect(report.score).toBeLessThan(1);
  expect(bytes.length).toBeLessThan(lossless.bytes.length * 0.9);
  expect(await ssimulacra2Of(source, decodeIndependently(bytes))).toBeGreaterThanOrEqual(85);
});

it('keeps transparency in a palette', async () => {
  const veiled: Draw = (x, y) => {
    const [r, g, b] = screenshot(x, y);
    return [r, g, b, y < 60 ? 0 : y < 200 ? 128 : 255];
  };
  const source = png(500, 400, veiled);
  const { bytes, report } = await compress(source);
  expect(report.score).toBeLessThan(1);
  const result = decodeIndependently(bytes);
  for (const [y, alpha] of [
    [20, 0],
    [150, 128],
    [300, 255],
  ]) {
    expect(Math.abs(result.data[(y * 500 + 250) * 4 + 3] - alpha)).toBeLessThanOrEqual(3);
  }
});

it('never enlarges the file of a scaled image if a palette prevents it', async () => {
  const source = await sharp(
    png(600, 450, (x, y) => (((x >> 5) + (y >> 5)) % 2 ? [255, 255, 255, 255] : [20, 90, 160, 255])),
  )
    .rotate(17, { background: '#fff' })
    .png({ palette: true, colours: 32 })
    .toBuffer();
  const { report } = await compress(source, { maxDimensionPx: 400 });
  expect(report.dimensions.width).toBe(400);
  expect(report.compressedSize).toBeLessThan(report.originalSize);
});

describe('the near-lossless stage', () => {
  const differences = (...files: Uint8Array[]) => {
    const [before, after] = files.map(decodeIndependently);
    return Array.from(before.data, (value, i) => Math.abs(value - after.data[i]));
  };
  const most = (a: Buffer, b: Uint8Array) =>
    differences(a, b).reduce((worst, one) => Math.max(worst, one), 0);

  it('is used if no palette is good enough, and reports the largest difference', async () => {
    const source = png(360, 240, textured);
    const { bytes, report } = await compress(source);
    const lossless = await compress(source, { targetScore: 1 });
    expect(bytes.length).toBeLessThan(lossless.bytes.length * 0.75);
    expect(report.maxError).toBeGreaterThan(0);
    expect(report.maxError).toBeLessThanOrEqual(8);
    expect(most(source, bytes)).toBe(report.maxError);
    expect(lossless.report.maxError).toBe(0);
  });

  it('keeps alpha exact, and ignores invisible colours', async () => {
    const veiled: Draw = (x, y) => [...textured(x, y).slice(0, 3), x < 100 ? 0 : 55 + ((x + y) >> 3)];
    const source = png(560, 420, veiled);
    const { bytes, report } = await compress(source);
    const before = decodeIndependently(source);
    expect(report.maxError).toBeGreaterThan(0);
    const faults = differences(source, bytes).filter((difference, i) => {
      if (i % 4 === 3) return difference > 0;
      return before.data[i | 3] > 0 && difference > (report.maxError ?? 0);
    });
    expect(faults).toEqual([]);
  });

  it('leaves grey as grey', async () => {
    const grey: Draw = (x, y) => [...Array<number>(3).fill(textured(x, y)[0]), 255];
    const { bytes, report } = await compress(png(600, 400, grey));
    expect(report.maxError).toBeGreaterThan(0);
    expect(bytes[25]).toBe(0);
  });

  it.each([
    ['one pixel', 1, 1],
    ['one row', 700, 1],
    ['one column', 1, 700],
    ['less than a block', 7, 5],
  ])('keeps its error bound in %s', async (_, width, height) => {
    const source = png(width, height, (x, y) => textured(x * 3, y * 5));
    const { bytes, report } = await compress(source, { minSavingsRatio: 0 });
    expect(most(source, bytes)).toBeLessThanOrEqual(report.maxError ?? 255);
  });
});

describe('a scaled image', () => {
  /** 16 bits a sample, from a tile that deflate repeats. */
  const pattern = async (side: number) => {
    const rows = Uint16Array.from(
      { length: 64 * 64 * 4 },
      (_, i) => Math.imul((i % 256) + 1, 2654435761 + (i >> 8)) >>> 16,
    );
    const data = new Uint16Array(side * side * 4);
    for (let at = 0; at < data.length; at += rows.length)
      data.set(rows.subarray(0, Math.min(rows.length, data.length - at)), at);
    return sharp(data, { raw: { width: side, height: side, channels: 4 } })
      .toColourspace('rgb16')
      .png({ compressionLevel: 9 })
      .toBuffer();
  };

  it('has 8 bits a sample', async () => {
    const source = await pattern(512);
    expect(source[24]).toBe(16);
    const { bytes, report } = await compress(source, { maxDimensionPx: 400 });
    expect(bytes[24]).toBeLessThanOrEqual(8);
    expect(report.dimensions.width).toBe(400);
  });

  it('does not grow many times over, with any content', async () => {
    const source = await pattern(1000);
    expect(source.length).toBeLessThan(200_000);
    const { bytes } = await compress(source, { maxDimensionPx: 950 });
    expect(bytes.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  });
});

it('does not quantise the whole of a photo if all colours of a palette are too few for a part', async () => {
  const { bytes, sizes } = await quantised(await rawImage(photoPixels(640, 480)).png().toBuffer());
  expect(bytes[25]).not.toBe(3);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes).not.toContain(640 * 480);
});

it('scores an image of few shades over black, too, where it fails over white already', async () => {
  const bytes = png(200, 150, (x, y) => [
    ...textured(x, y)
      .slice(0, 3)
      .map((value) => 255 - (value >> 2)),
    (x * 7) & 255,
  ]);
  const source = readSource(bytes, policy.maxPixels);
  if (source.format !== 'png') throw new Error('This is no PNG');
  const image = preparePng(source, { engine, policy, stopwatch: new Stopwatch() });
  const pixels = await image.pixels();
  const coded = await posteriseToFit(image, pixels, 10_000);
  const guard = new FidelityGuard(pixels, policy.targetScore);
  const delivered = await engine.png.decode(coded.bytes);
  expect(guard.judge(delivered).score).toBeGreaterThan(coded.score);
  expect(coded.score).toBe(guard.score(delivered));
});
