import { isAffordable, keepableMemory, memoryDemand } from '../../../../src/compression/domain/memory-demand';

it.each([
  // Measured peaks above the idle worker, in MB: the estimate exceeds each, but by less than three times.
  ['jpeg', 1000, 800, 61],
  ['jpeg', 2000, 1500, 129],
  ['jpeg', 3000, 2000, 206],
  ['jpeg', 3840, 2880, 307],
  ['jpeg', 12000, 9000, 307],
  ['jpeg', 3840, 3840, 434],
  ['png', 3840, 2160, 557],
  ['png', 3840, 3840, 602],
  ['png', 1200, 800, 118],
] as const)('estimates a %s of %d x %d px', (format, width, height, measured) => {
  const estimate = memoryDemand({ format, dimensions: { width, height } }, { maxDimensionPx: 3840 }) / 1e6;
  expect(estimate).toBeGreaterThanOrEqual(measured);
  expect(estimate).toBeLessThan(measured * 3);
});

it('estimates little for a thumbnail of a large upload', () => {
  const header = { format: 'jpeg', dimensions: { width: 4000, height: 3000 } } as const;
  const estimate = memoryDemand(header, { maxDimensionPx: 64 }, 20e6);
  expect(estimate).toBeLessThan(100e6);
});

describe('memory that codecs keep between images', () => {
  const limits = { maxDimensionPx: 3840 };
  const base = 64 * 1024 * 1024;

  it('fits into the estimate of the next JPEG while that is decoded', () => {
    const size = { width: 3840, height: 2880 };
    const pixels = size.width * size.height;
    const header = { format: 'jpeg', dimensions: size } as const;
    const kept = keepableMemory(header, limits);
    // An encoder of this image takes 14 bytes per pixel at most; the decoder, 8.
    expect(kept).toBeGreaterThanOrEqual(14 * pixels);
    expect(kept + 8 * pixels).toBeLessThanOrEqual(memoryDemand(header, limits));
  });

  it('makes way for a decoder that holds the whole source, for small images and for PNGs', () => {
    const [large, small] = [
      { width: 3840, height: 2880 },
      { width: 1000, height: 800 },
    ];
    expect(keepableMemory({ format: 'jpeg', dimensions: large, heldBytes: 300e6 }, limits)).toBe(base);
    expect(keepableMemory({ format: 'jpeg', dimensions: small }, limits)).toBe(base);
    expect(keepableMemory({ format: 'png', dimensions: large }, limits)).toBe(base);
  });
});

const MIB = 1024 * 1024;
const framesOf = (bytes: number) => ({ bytes, largestBytes: MIB });

it('animations of more than 64 MiB are returned unchanged', () => {
  expect([isAffordable(framesOf(64 * MIB)), isAffordable(framesOf(64 * MIB + 1))]).toEqual([true, false]);
});
