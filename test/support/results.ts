import type { CompressedImage } from '../../src/compression/domain/compression-report';

export function resultOf(bytes: Uint8Array, facts: Partial<CompressedImage['report']> = {}): CompressedImage {
  const dimensions = { width: 40, height: 30 };
  const [originalSize, compressedSize] = [100_000, bytes.length];
  const bytesSaved = Math.max(0, originalSize - compressedSize);
  const sizes = { originalSize, compressedSize, bytesSaved };
  const timings = { decode: 1, search: 2, encode: 3, verify: 4 };
  const report = {
    format: 'jpeg' as const,
    ...sizes,
    score: 0.991_456_789,
    originalDimensions: dimensions,
    dimensions,
  };
  return { bytes, report: { ...report, timings, encodes: 1, ...facts } };
}
