/**
 * The library: the recipe of the service in worker processes of its own, without the server. See docs/library.md.
 */
import type { CompressStream } from './compress-stream';
import { Compressor } from './compressor';
import { minifyWith, type MinimizerResult } from './image-minimizer';
import type { ImageInput } from './input';
import type { CompressedSet, CompressedSetFile } from './compressed-set';
import type { CompareOptions, CompressOptions, CompressSetOptions } from './options';
import type { ComparedImages, CompressedImage } from './report';

export type { CompressedImage, CompressOptions, CompressStream, ImageInput, MinimizerResult };
export type { ComparedImages, CompareOptions };
export type { CompressedSet, CompressedSetFile, CompressSetOptions };
export type { SetDescription } from '../compression/application/sets/make-set';
export type { CompressionReport } from './report';
export type { RemovedCompanion, SkipReason } from '../contract/report-words';
export { Compressor };
export type { CompressorOptions } from './compressor';
export {
  AbortError,
  CompressionError,
  CompressorClosedError,
  EngineError,
  ImageRefusedError,
  InputError,
  InvalidOptionError,
  type CompressionErrorCode,
} from './errors';

/** Used by the functions below; callers that want their own workers create a Compressor. */
const shared = new Compressor();

/**
 * Compresses a JPG or PNG in a worker process.
 * @param input bytes, a path, a file URL, a Blob or a stream; do not change bytes until the promise is settled
 * @returns the new file and its report; the given bytes if `report.skipped`
 * @throws InvalidOptionError, InputError, ImageRefusedError, EngineError, or AbortError when `options.signal` is aborted
 * @example
 * const { bytes, report } = await compress('photo.jpg', { quality: 'medium', maxDimension: 640 });
 * await writeFile('smaller.jpg', bytes);
 * console.log(Math.max(report.width, report.height)); // 640
 * @example
 * try {
 *   await compress('notes.txt');
 * } catch (error) {
 *   if (!(error instanceof ImageRefusedError)) throw error;
 *   console.log(error.code); // 'unsupported_media_type'
 * }
 */
export function compress(input: ImageInput, options: CompressOptions = {}): Promise<CompressedImage> {
  return shared.compress(input, options);
}

/**
 * Compares an image with its original as `compress` compares its results: scaled to the size of the image, and as seen at a density.
 * @param original a JPG or PNG, as in `compress`
 * @param image a JPG, PNG, WebP or AVIF of the same picture, by any encoder, and no larger
 * @throws ImageRefusedError `cannot_compare` if one is a crop, or has other colours; otherwise as `compress`
 * @example
 * const compared = await compare('photo.jpg', (await compress('photo.jpg', { format: 'webp' })).bytes);
 * console.log(compared.format); // 'webp'
 */
export function compare(
  original: ImageInput,
  image: ImageInput,
  options: CompareOptions = {},
): Promise<ComparedImages> {
  return shared.compare(original, image, options);
}

/**
 * Compresses a JPG or PNG to several sizes and formats for the `srcset` of a page. Iterate over the result for the
 * files, then await its `markup` or its `description`.
 * @returns an async iterable of files; a failed one is in the description, unless all have failed
 * @throws InvalidOptionError at once; other errors of `compress` end the iteration and reject the description
 * @example
 * const set = compressSet('photo.jpg', { width: 320, densities: [1, 2], format: 'webp,same' });
 * for await (const { name, bytes } of set) await writeFile(name, bytes);
 * console.log((await set.description).files.length); // 4
 */
export function compressSet(input: ImageInput, options: CompressSetOptions): CompressedSet {
  return shared.compressSet(input, options);
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
