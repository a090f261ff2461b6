/** Compresses images with the native engine and the default settings, without a service. */
import { compressImage } from '../../src/compression/application/recipe';
import { readJpegFrame } from '../../src/compression/formats/jpeg/jpeg-structure';
import type { CompressionPolicy } from '../../src/compression/domain/compression-policy';
import { createNativeEngine } from '../../src/compression/infrastructure/codecs/native/native-engine';
import { ImageRefused } from '../../src/contract/image-problems';
import { policy } from './default-policy';

export const engine = createNativeEngine();
export { policy };

export const compress = (image: Uint8Array, changes: Partial<CompressionPolicy> = {}) =>
  compressImage(image, engine, { ...policy, ...changes });

export const decodeJpeg = (jpeg: Uint8Array) =>
  engine.jpeg.decode(jpeg, { header: readJpegFrame(jpeg), orientation: 1 });

/** Compresses a result once more, which gives the same file. Returns the report. */
export async function expectUnchanged(result: Uint8Array, changes: Partial<CompressionPolicy> = {}) {
  const { bytes, report } = await compress(result, changes);
  expect(report.skipReason).toBe('already-optimised');
  expect(bytes).toEqual(result);
  return report;
}

export const within = (
  image: Uint8Array,
  maxBytes: number,
  asked: Partial<CompressionPolicy> = {},
  allowsAny = false,
) => compress(image, { ...asked, byteLimit: { maxBytes, allowsAny } });

export async function refusal(work: Promise<unknown>) {
  const thrown: unknown = await work.then(
    () => new Error('It was not refused'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ImageRefused)) throw thrown;
  return thrown;
}
