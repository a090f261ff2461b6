/**
 * The library: the recipe of the service in worker processes of its own, without the server. See docs/library.md.
 */
import type { CompressedImage } from '../compression/domain/compression-report';
import type { CompressStream } from './compress-stream';
import { Compressor } from './compressor';
import { minifyWith, type MinimizerResult } from './image-minimizer';
import type { CompressOptions } from './options';

export type { CompressedImage, CompressOptions, CompressStream, MinimizerResult };
export type { CompressionReport } from '../compression/domain/compression-report';
export type { RemovedCompanion, SkipReason } from '../contract/report-words';
export { Compressor };
export type { CompressorOptions } from './compressor';
export {
  AbortError,
  CompressionError,
  EngineError,
  ImageRefusedError,
  InvalidOptionError,
  type CompressionErrorCode,
} from './errors';

/** Shared by all that do not make their own. */
const shared = new Compressor();

/**
 * Compresses a JPG or PNG in a worker process.
 * @param bytes the file; do not change them until the promise is settled
 * @returns the new file and its report; the bytes that were given when `report.skipReason` is set. The buffer behind the
 * bytes may hold more than them
 * @throws InvalidOptionError, ImageRefusedError, EngineError, or AbortError when `options.signal` is aborted
 */
export function compress(bytes: Uint8Array, options: CompressOptions = {}): Promise<CompressedImage> {
  return shared.compress(bytes, options);
}

/**
 * A transform stream: takes the bytes of one image and gives those of the result. `report` is set before the first byte.
 * @throws InvalidOptionError at once; what `compress` throws destroys the stream
 */
export function compressStream(options: CompressOptions = {}): CompressStream {
  return shared.compressStream(options);
}

/**
 * The `implementation` of a minimizer for image-minimizer-webpack-plugin.
 * @param options CompressOptions, checked when it runs: the plug-in's types want an implementation to take anything
 * @returns the new asset; null for a file that is neither JPG nor PNG, which the plug-in leaves unchanged
 * @throws what `compress` throws; the plug-in reports it with the name of the asset
 */
export function imageMinimizerMinify<Result extends MinimizerResult>(
  original: Result,
  options?: unknown,
): Promise<Result | null> {
  return minifyWith(shared, original, options);
}
