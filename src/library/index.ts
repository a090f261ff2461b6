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

/** Used by the functions below; callers that want their own workers create a Compressor. */
const shared = new Compressor();

/**
 * Compresses a JPG or PNG in a worker process.
 * @param bytes the file; do not change them until the promise is settled
 * @returns the new file and its report; the given bytes if `report.skipReason` is set. The bytes may be a view into a larger
 * buffer
 * @throws InvalidOptionError, ImageRefusedError, EngineError, or AbortError when `options.signal` is aborted
 * @example
 * const { bytes, report } = await compress(await readFile('photo.jpg'), { quality: 'medium', maxDimension: 640 });
 * await writeFile('smaller.jpg', bytes);
 * console.log(Math.max(report.dimensions.width, report.dimensions.height)); // 640
 * @example
 * try {
 *   await compress(await readFile('notes.txt'));
 * } catch (error) {
 *   if (!(error instanceof ImageRefusedError)) throw error;
 *   console.log(error.code); // 'unsupported_media_type'
 * }
 */
export function compress(bytes: Uint8Array, options: CompressOptions = {}): Promise<CompressedImage> {
  return shared.compress(bytes, options);
}

/**
 * Returns a transform stream from the bytes of one image to those of the result. `report` is set before the first byte.
 * @throws InvalidOptionError at once; other errors of `compress` destroy the stream
 * @example
 * const compressing = compressStream({ effort: 'fast' });
 * await pipeline(createReadStream('photo.jpg'), compressing, createWriteStream('streamed.jpg'));
 * console.log(compressing.report.format); // 'jpeg'
 */
export function compressStream(options: CompressOptions = {}): CompressStream {
  return shared.compressStream(options);
}

/**
 * The `implementation` of a minimizer for image-minimizer-webpack-plugin.
 * @param options CompressOptions, checked when it runs: the plug-in's types want an implementation to take anything
 * @returns the new asset; null for a file that is neither JPG nor PNG, which the plug-in leaves unchanged
 * @throws the errors of `compress`; the plug-in reports them with the name of the asset
 * @example
 * const asset = { filename: 'notes.txt', data: await readFile('notes.txt'), warnings: [], errors: [] };
 * console.log(await imageMinimizerMinify(asset)); // null
 */
export function imageMinimizerMinify<Result extends MinimizerResult>(
  original: Result,
  options?: unknown,
): Promise<Result | null> {
  return minifyWith(shared, original, options);
}
