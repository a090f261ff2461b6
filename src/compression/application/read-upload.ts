/** Reads what came in: its header, and for the format of a package its pixels, which become those of a PNG. */
import type { ResultFormatName } from '../../contract/formats';
import { chooseSmallest, isLossless } from '../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../domain/dimensions';
import { withoutRedundantChannels } from '../domain/pixels';
import { readSource, refuseManyPixels, type Source } from '../formats/image-header';
import { pngOfPixels } from '../formats/png/png-chunks';
import { pngWithBlocks, withoutForeignChunks } from '../formats/png/png-metadata';
import { withExactRows } from '../formats/png/png-repair';
import { statesOnlySourceType } from '../formats/rights';
import type { Result } from './choose';
import type { CodecEngine } from './codecs.port';
import { mayStay, type Context } from './context';
import type { AddedUpload } from './result-format.port';

export interface Upload {
  /** The upload, or a PNG of its pixels if a package has read it or its data were repaired. */
  readonly source: Source;
  readonly added?: AddedFile;
  /** What is asked of `source`. */
  readonly context: Context;
}

/** An upload of which `source` is a copy, because a package has read it or its data were repaired. */
interface AddedFile {
  readonly bytes: Uint8Array;
  readonly format: ResultFormatName;
  /** Whether it may be the result. */
  readonly mayStay: boolean;
  /** Whether it fits into a byte limit; false if there is none. */
  readonly fits: boolean;
}

function addedUploadIn(
  { uploads = [], knownFormats }: CodecEngine,
  bytes: Uint8Array,
): AddedUpload | undefined {
  const found = knownFormats?.addedUpload(bytes);
  return uploads.find(({ name }) => name === found?.name);
}

/** Of an upload that a package reads, without decoding it. @throws ImageRefused `undecodable_image` */
export async function measureUpload(bytes: Uint8Array, engine: CodecEngine): Promise<Dimensions> {
  const added = addedUploadIn(engine, bytes);
  if (!added) throw new Error('No package reads this upload');
  return added.dimensions(bytes);
}

/**
 * The result of what a package reads is a JPG instead of the format of the upload, or a PNG if it is transparent or must stay lossless.
 * @throws ImageRefused when the upload is not accepted
 */
export async function readUpload(bytes: Uint8Array, context: Context): Promise<Upload> {
  const { engine, policy, stopwatch } = context;
  const added = addedUploadIn(engine, bytes);
  if (!added) return { source: readSource(bytes, policy.maxPixels), context };
  const size = await added.dimensions(bytes);
  refuseManyPixels(size, policy.maxPixels);
  const decoded = await stopwatch.time('decode', () => added.decode(bytes, size));
  const { width, height, channels, data, ...blocks } = decoded;
  const pixels = withoutRedundantChannels({ width, height, channels, data }, blocks.icc === undefined);
  const source = readSource(pngWithBlocks(pngOfPixels(pixels), blocks), policy.maxPixels);
  const own = pixels.channels % 2 === 0 || isLossless(policy) ? 'same' : 'jpeg';
  const { formats = ['same'], keepMetadata } = policy;
  const asked = new Set(formats.map((format) => (format === 'same' ? own : format)));
  const isAccepted = formats.includes('same') || formats.includes(added.name);
  const { exif, xmp } = blocks;
  const isPrivate = exif !== undefined || (xmp !== undefined && !statesOnlySourceType(xmp));
  const losesMetadata = keepMetadata !== 'all' && isPrivate;
  const asking = { ...context, policy: { ...policy, formats: [...asked] } };
  return instead(source, asking, { bytes, format: added.name, isAccepted: isAccepted && !losesMetadata });
}

/** Of a PNG that decoders refuse although all its rows are there. Returns undefined for any other upload. */
export async function repairUpload({ source, added, context }: Upload): Promise<Upload | undefined> {
  const { keepMetadata: keep, maxPixels } = context.policy;
  if (added || source.format !== 'png') return undefined;
  const { bytes, structure, format } = source;
  const repaired = await withExactRows(structure);
  const losesMetadata = keep !== 'all' && withoutForeignChunks(bytes, structure, keep) !== undefined;
  const isAccepted = mayStay(context, format) && !losesMetadata;
  return repaired && instead(readSource(repaired, maxPixels), context, { bytes, format, isAccepted });
}

/** @param upload `isAccepted`: whether it may be the result if it is neither scaled nor flattened */
function instead(
  source: Source,
  context: Context,
  { isAccepted, ...upload }: Omit<AddedFile, 'mayStay' | 'fits'> & { readonly isAccepted: boolean },
): Upload {
  const { byteLimit, ...unlimited } = context.policy;
  const { dimensions: size } = source;
  const mustChange = unlimited.background !== undefined || !sameSize(fitWithin(size, context.policy), size);
  const stays = isAccepted && !mustChange;
  // The result then is not larger than the upload, and fits, too.
  const fits = stays && byteLimit !== undefined && upload.bytes.length <= byteLimit.maxBytes;
  return {
    source,
    added: { ...upload, mayStay: stays, fits },
    context: { ...context, policy: fits ? unlimited : context.policy },
  };
}

/** Returns the upload of a package instead of the result, if that is accepted and not larger. */
export function orUpload(
  { bytes, format, mayStay: isAccepted, fits }: AddedFile,
  { source: { dimensions }, context: { policy } }: Upload,
  chosen: Result,
): Result & { readonly budget?: 'met' | 'missed' } {
  const minSavingsRatio = policy.byteLimit ? 0 : policy.minSavingsRatio;
  const best = chooseSmallest(bytes.length, [chosen], { minSavingsRatio, mustChange: !isAccepted });
  const same = { bytes, format, score: 1, dimensions, skipReason: 'already-optimised' } as const;
  return { ...(best ?? same), ...(fits ? { budget: 'met' } : {}) };
}
