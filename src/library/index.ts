/**
 * The library: functions that share one compressor, and a minimizer for webpack. Its workers start with the
 * first image and end when they are idle, so nothing has to be closed. See docs/library.md.
 */
/// <reference types="node" preserve="true" />
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namedAs } from '../contract/formats';
import { formatTotals, type Change } from './changes';
import { readSettings } from './check-options';
import { Compressor } from './compressor';
import { ImageRefusedError, InvalidOptionError } from './errors';
import type { CompressOptions } from './options';

export type { CompressedSet, CompressedSetFile } from './compressed-set';
export type { CompressStream } from './compress-stream';
export type { ImageInput } from './input';
export type { CompareOptions, CompressOptions, CompressSetOptions } from './options';
export type { ComparedImages, CompressedImage, CompressionReport } from './report';
export type { SetDescription } from '../sets/make-set';
export type { RemovedData, SkipReason } from '../contract/report-words';
export { Compressor, type CompressorOptions } from './compressor';
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

/** Starts nothing until it is used. */
const shared = new Compressor();

/**
 * Compresses a JPG, PNG, WebP or AVIF in a worker process.
 * @param input bytes, a path, a file URL, a Blob or a stream; do not change bytes until the promise is settled
 * @returns the new file and its report; the given bytes if `report.skipped`
 * @throws InvalidOptionError, InputError, ImageRefusedError, EngineError, or AbortError when `options.signal` is aborted
 * @example
 * const { bytes, report } = await compress('photo.jpg', { quality: 'medium', maxDimension: 640 });
 * await writeFile('smaller.jpg', bytes);
 * console.log(Math.max(report.width, report.height)); // 640
 */
export const compress = shared.compress.bind(shared);

/**
 * Compares an image with its original as `compress` compares its results: at the size of the image, as seen at a density.
 * @param image the same picture in any format of results, by any encoder, and no larger
 * @throws ImageRefusedError `cannot_compare` if one is a crop, or has other colours; otherwise as `compress`
 * @example
 * const compared = await compare('photo.jpg', (await compress('photo.jpg', { format: 'webp' })).bytes);
 * console.log(compared.format); // 'webp'
 */
export const compare = shared.compare.bind(shared);

/**
 * Compresses an image to several sizes and formats for the `srcset` of a page. Iterate over the result for the
 * files, then await its `markup` or its `description`.
 * @returns an async iterable of files; a failed one is in the description, unless all have failed
 * @throws InvalidOptionError at once; other errors of `compress` end the iteration and reject the description
 * @example
 * const set = compressSet('photo.jpg', { width: 320, densities: [1, 2], format: 'webp,same' });
 * for await (const { name, bytes } of set) await writeFile(name, bytes);
 * console.log((await set.description).files.length); // 4
 */
export const compressSet = shared.compressSet.bind(shared);

/**
 * Returns a transform stream from the bytes of one image to those of the result. `report` is set before the first byte.
 * @throws InvalidOptionError at once; other errors of `compress` destroy the stream
 * @example
 * const compressing = compressStream({ effort: 'fast' });
 * await pipeline(createReadStream('photo.jpg'), compressing, createWriteStream('streamed.jpg'));
 * console.log(compressing.report.format); // 'jpeg'
 */
export const compressStream = shared.compressStream.bind(shared);

/** Written out, because reading package.json would fail inside a bundle. */
const PACKAGE = 'image-compression-service';

/** An asset of webpack; the plug-in is no dependency, so its type is declared here. */
export interface MinimizerResult {
  readonly data: Buffer;
  readonly filename: string;
  readonly info: object;
}

/** The plug-in passes the bytes of a failed image twice, to its loader and with the assets: nothing else connects the two calls. */
const refused = new WeakSet<Buffer>();

/**
 * The `implementation` of a minimizer for image-minimizer-webpack-plugin.
 * @param given CompressOptions, checked when it runs: the plug-in's types want an implementation to take anything
 * @returns the new asset; null for a file that is no image, or would get another format unasked; the plug-in leaves it unchanged
 * @throws Error with the name of the file, which webpack's cache can keep; errors of the engine as `compress`
 * @example
 * const asset = { filename: 'notes.txt', data: await readFile('notes.txt'), warnings: [], errors: [] };
 * console.log(await imageMinimizerMinify(asset)); // null
 */
export async function imageMinimizerMinify<Result extends MinimizerResult>(
  original: Result,
  given?: unknown,
): Promise<Result | null> {
  if (refused.has(original.data)) return null;
  try {
    return await minify(original, given);
  } catch (error) {
    refused.add(original.data);
    if (!(error instanceof ImageRefusedError || error instanceof InvalidOptionError)) throw error;
    const { sourceFilename = original.filename } = original.info as { sourceFilename?: string };
    throw new Error(`${sourceFilename}: ${error.message}`);
  }
}

async function minify<Result extends MinimizerResult>(original: Result, given: unknown) {
  const { resize = {}, ...options } = (given ?? {}) as CompressOptions & { readonly resize?: object };
  if (Object.keys(resize).length > 0) {
    const message = 'resize is not supported; set maxDimension, or resize with another minimizer.';
    throw new InvalidOptionError('resize', message);
  }
  const { knownFormats } = readSettings({}, {});
  const own = knownFormats.ofUpload(original.data);
  if (own === undefined) return null;
  const { bytes, report } = await compress(original.data, options);
  if (options.format === undefined && report.format !== own) return null;
  const filename =
    report.format === own ? original.filename : namedAs(original.filename, knownFormats.of(report.format));
  const { minimizedBy = [] } = original.info as { minimizedBy?: readonly string[] };
  const { width, height } = report;
  const made = { width, height, minimized: true, minimizedBy: [PACKAGE, ...minimizedBy] };
  return {
    ...original,
    filename,
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    info: { ...original.info, ...made },
  };
}

/** What ImageTotals needs of webpack's compiler. */
interface WebpackCompiler {
  readonly context: string;
  readonly hooks: {
    readonly done: {
      tapPromise(
        name: string,
        end: (stats: { readonly compilation: WebpackCompilation }) => Promise<void>,
      ): void;
    };
  };
  getInfrastructureLogger(name: string): { info(text: string): void };
}

interface WebpackCompilation {
  getAssets(): readonly { readonly info: object }[];
}

interface MinimizedInfo {
  readonly minimizedBy?: readonly string[];
  readonly sourceFilename?: string;
  readonly size?: number;
}

/**
 * A plug-in for webpack that logs at the end of a build what `imageMinimizerMinify` has saved. Images from webpack's cache count
 * too, so their originals are looked up.
 * @example
 * const { name } = ImageTotals;
 * console.log(name); // 'ImageTotals'
 */
export class ImageTotals {
  apply(compiler: WebpackCompiler): void {
    compiler.hooks.done.tapPromise(PACKAGE, async ({ compilation }) => {
      const changes: Change[] = [];
      for (const { info } of compilation.getAssets()) {
        const { minimizedBy, sourceFilename, size: after } = info as MinimizedInfo;
        if (!minimizedBy?.includes(PACKAGE) || !sourceFilename || after === undefined) continue;
        // An inlined image has no file.
        const original = await stat(join(compiler.context, sourceFilename.split('?')[0])).catch(
          () => undefined,
        );
        if (original) changes.push({ before: original.size, after });
      }
      if (changes.length > 0) compiler.getInfrastructureLogger(PACKAGE).info(formatTotals(changes));
    });
  }
}
