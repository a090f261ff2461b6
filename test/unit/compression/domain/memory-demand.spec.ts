import { readSettings } from '../../../../src/settings/settings';
import { isAffordable, keepableMemory, memoryDemand } from '../../../../src/compression/domain/memory-demand';

const MIB = 1024 * 1024;
const LARGEST = { width: 3840, height: 3840 };

it.each([
  // Measured peaks of a new worker above its idle memory, in MB: the estimate exceeds each, but by less than as much again.
  ['jpeg', false, 'same', 3840, 3840, 381],
  ['jpeg', false, 'png', 3840, 3840, 477],
  ['jpeg', false, 'avif', 3840, 3840, 968],
  ['png', false, 'same', 3840, 3840, 619],
  ['png', false, 'same', 2309, 1732, 232],
  ['png', false, 'jpeg', 3840, 3840, 492],
  ['png', false, 'avif', 3840, 3840, 1027],
  ['png', true, 'same', 3840, 3840, 884],
  ['png', true, 'same', 2309, 1732, 328],
  ['png', true, 'avif', 3840, 3840, 1293],
  ['png', true, 'avif', 3266, 2450, 763],
] as const)('estimates a %s (transparent: %s) as %s of %d x %d px', (...row) => {
  const [format, mayBeTransparent, target, width, height, measured] = row;
  const limits = { maxDimensionPx: 3840, formats: [target] };
  const estimate = memoryDemand({ format, dimensions: { width, height }, mayBeTransparent }, limits) / 1e6;
  expect(estimate).toBeGreaterThanOrEqual(measured);
  expect(estimate).toBeLessThan(measured * 2);
});

it('accepts the largest results in every format with the documented budget', () => {
  const { memory, knownFormats } = readSettings({ MEMORY_BUDGET_MB: '1024', WORKERS: '2' }).compression;
  const header = { format: 'png', dimensions: LARGEST, mayBeTransparent: true } as const;
  for (const format of knownFormats.names) {
    const limits = { maxDimensionPx: 3840, formats: [format] };
    expect(memoryDemand(header, limits, 20 * MIB, knownFormats)).toBeLessThanOrEqual(memory.imageBytes);
  }
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

const framesOf = (bytes: number) => ({ bytes, largestBytes: MIB });

it('animations of more than 64 MiB are returned unchanged', () => {
  expect([isAffordable(framesOf(64 * MIB)), isAffordable(framesOf(64 * MIB + 1))]).toEqual([true, false]);
});
