/** A minimizer for image-minimizer-webpack-plugin. The plug-in is not a dependency, so its types are declared here. */
import { formatBySignature } from '../contract/formats';
import type { Compressor } from './compressor';
import { InvalidOptionError } from './errors';
import type { CompressOptions } from './options';

/** What the plug-in adds to the options of its user. */
interface MinifyOptions extends CompressOptions {
  /** From `?width=` and `?height=` in a request; not supported. */
  readonly resize?: Readonly<Record<string, unknown>> | undefined;
}

/** An asset on its way through the minimizers. */
export interface MinimizerResult {
  readonly data: Buffer;
  readonly filename: string;
  readonly info: object;
}

export async function minifyWith<Result extends MinimizerResult>(
  compressor: Compressor,
  original: Result,
  given: unknown,
): Promise<Result | null> {
  const { resize, ...options } = (given ?? {}) as MinifyOptions;
  if (resize && Object.keys(resize).length > 0) {
    throw new InvalidOptionError(
      'resize',
      'resize is not supported; set maxDimension, or resize with another minimizer.',
    );
  }
  if (formatBySignature(original.data) === undefined) return null;
  const { bytes, report } = await compressor.compress(original.data, options);
  const { minimizedBy = [] } = original.info as { minimizedBy?: readonly string[] };
  return {
    ...original,
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    info: {
      ...original.info,
      width: report.width,
      height: report.height,
      minimized: true,
      minimizedBy: ['image-compression-service', ...minimizedBy],
    },
  };
}
