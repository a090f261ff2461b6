/** Reads what came in: its header, and of a format without codings of its own the pixels, which become those of a PNG. */
import type { ResultFormatName } from '../../contract/formats';
import { cannotConvert, ImageRefused, LOST_FRAMES } from '../../contract/image-problems';
import type { RemovedData, SkipReason } from '../../contract/report-words';
import { isLossless, savesEnough, type ByteLimit, type KeptMetadata } from '../domain/compression-policy';
import { fitsWithin, type Dimensions } from '../domain/dimensions';
import { judgedDensity } from '../domain/score/as-seen';
import { keptBlocks } from '../formats/embedded-blocks';
import { exifResolution, holdsMoreThan, readOrientation } from '../formats/exif';
import { readSource, refuseManyPixels, type PngSource, type Source } from '../formats/image-header';
import { withoutForeignChunks } from '../formats/png/png-metadata';
import { pngOfUpload } from '../formats/png/png-of-upload';
import { withExactRows } from '../formats/png/png-repair';
import { pngColours } from '../formats/png/png-shown-colours';
import { isResultFor } from '../formats/result-policy';
import { statesOnlySourceType, statesSourceType } from '../formats/rights';
import { withOutcome, type LimitedResult } from './byte-limit';
import { isStill, readStillHeader } from '../formats/read-still-header';
import type { Result } from './choose';
import type { CodecEngine } from './codecs.port';
import { canEnd, mayStay, type Context } from './context';
import { findReader, findResultFormat, stillCode } from './formats';
import type { DecodedUpload, UploadReader, UploadSize } from './result-format.port';

/** What a result is made from. */
export interface Upload {
  /** The upload, or a PNG of its pixels. */
  readonly source: Source;
  /** Present if `source` is a PNG of its pixels, because its format has no codings of its own or its data were repaired. */
  readonly decoded?: DecodedFile;
  /** What is asked of `source`. */
  readonly context: Context;
}

/** An upload that is its own result, but for private metadata. */
export interface FixedUpload {
  readonly bytes: Uint8Array;
  readonly dimensions: Dimensions;
  readonly fixed: LimitedResult;
  readonly context: Context;
}

interface DecodedFile {
  readonly bytes: Uint8Array;
  readonly format: ResultFormatName;
  /** The upload without private metadata; undefined if it may not be the result. */
  readonly unchanged: Uint8Array | undefined;
  /** Of the result; absent if there is none. */
  readonly byteLimit?: ByteLimit | undefined;
  /** What every new file lacks. */
  readonly removed: readonly RemovedData[];
}

/** Of an upload that a package reads, without decoding it. @throws ImageRefused `undecodable_image` */
export async function measureUpload(bytes: Uint8Array, engine: CodecEngine): Promise<UploadSize> {
  const reader = findReader(engine, bytes);
  if (!reader) throw new Error('No package reads this upload');
  return reader.dimensions(bytes);
}

/**
 * Reads an upload as what it is compared with, whatever its format. Returns undefined for an animation that is not a PNG.
 * @throws ImageRefused when it is not accepted
 */
export async function readPixels(bytes: Uint8Array, context: Context): Promise<Source | undefined> {
  const { engine, policy, stopwatch } = context;
  const reader = findReader(engine, bytes);
  if (!reader) return readSource(bytes, policy.maxPixels);
  const { isAnimated = false, ...size } = await measured(reader, bytes, context);
  if (isAnimated) return undefined;
  const decoded = await stopwatch.time('decode', () => reader.decode(bytes, size));
  return readSource(pngOfUpload(decoded), policy.maxPixels);
}

async function measured(reader: UploadReader, bytes: Uint8Array, { policy }: Context) {
  const size = await reader.dimensions(bytes);
  refuseManyPixels(size, policy.maxPixels);
  return size;
}

/** @throws ImageRefused when the upload is not accepted, or cannot become what is asked for */
export async function readUpload(bytes: Uint8Array, context: Context): Promise<Upload | FixedUpload> {
  const { engine, policy } = context;
  const reader = findReader(engine, bytes);
  return reader
    ? readDecoded(reader, bytes, context)
    : { source: readSource(bytes, policy.maxPixels), context };
}

/** See canEnd: with one encode, seven WebPs took 317 to 417 ms a megapixel, six AVIFs 596 to 1375. */
const LEAST_MS = 300;

/** The result has the format of the upload if something here writes it; else it is a JPG, or a PNG if it is transparent or must be exact. */
async function readDecoded(
  reader: UploadReader,
  bytes: Uint8Array,
  context: Context,
): Promise<Upload | FixedUpload> {
  const { engine, policy, stopwatch } = context;
  const { formats = ['same'], background, byteLimit } = policy;
  const { name: format } = reader;
  const { isAnimated = false, ...size } = await measured(reader, bytes, context);
  const isAccepted = mayStay(context, format);
  const fixed = (skipReason: SkipReason, unchanged = bytes, removed: readonly RemovedData[] = []) => {
    const same = asItIs({ bytes, format, removed }, unchanged, size, skipReason);
    return { bytes, dimensions: size, fixed: byteLimit ? withOutcome(same, byteLimit) : same, context };
  };
  if (isAnimated) {
    if (!isAccepted) throw cannotConvert(LOST_FRAMES);
    const { blocks, removed } = isStill(format)
      ? readStillHeader(format, bytes, Infinity)
      : { blocks: {}, removed: [] };
    const copy = withoutPrivateParts(bytes, format, { ...size, ...blocks }, policy.keepMetadata);
    return fixed('animated', copy, removed);
  }
  const decoded = await stopwatch.time('decode', () => reader.decode(bytes, size));
  const source = readSource(pngOfUpload(decoded), policy.maxPixels) as PngSource;
  if (!pngColours(source.structure) && isAccepted) return fixed('hdr');
  const isTransparent = decoded.channels % 2 === 0;
  const mayStayAsIs = isAccepted && fitsWithin(size, policy) && !(background && isTransparent);
  const unchanged = mayStayAsIs
    ? withoutPrivateParts(bytes, format, decoded, policy.keepMetadata)
    : undefined;
  const into = findResultFormat(engine, format);
  const isExact = isLossless(policy);
  // Nothing is gained from a result of this service, nor without loss from what has lost something.
  const asked = { ...policy, density: judgedDensity(size, policy.density) };
  const isFinal =
    (isExact && decoded.isLossy === true) || isResultFor(stillCode(format)?.readMarker(bytes), asked);
  const unwritable = isTransparent || isExact ? 'same' : 'jpeg';
  const fits = unchanged && unchanged.length <= (byteLimit?.maxBytes ?? Infinity);
  const own = into ? (isFinal && fits ? [] : [format]) : [unwritable];
  const wanted = new Set(formats.flatMap((name) => (name === 'same' || name === format ? own : [name])));
  if (unchanged && (wanted.size === 0 || !canEnd(context, size, LEAST_MS)))
    return fixed('already-optimised', unchanged, decoded.removed);
  const { isLossy = false, removed = [] } = decoded;
  // A byte limit takes what fits, however little it saves.
  const mostBytes = unchanged && !byteLimit ? bytes.length * (1 - policy.minSavingsRatio) : Infinity;
  const decodedUpload = { byteLength: bytes.length, isLossy, mostBytes };
  const asking = { ...context, decodedUpload, policy: { ...policy, formats: [...wanted] } };
  return instead(source, asking, { bytes, format, unchanged, removed });
}

/** Returns the upload if there is nothing to cut out; undefined if that is impossible. */
function withoutPrivateParts(
  bytes: Uint8Array,
  format: ResultFormatName,
  { width, height, icc, exif, xmp, credentials }: Omit<DecodedUpload, 'data' | 'channels'>,
  keep: KeptMetadata,
) {
  const isPrivate = (exif && holdsMoreThan(keep, exif)) || (xmp !== undefined && !statesOnlySourceType(xmp));
  if (keep === 'all' || !isPrivate) return bytes;
  const options = {
    keep,
    orientation: readOrientation(exif),
    dimensions: { width, height },
    resolution: exifResolution(exif),
    isConverted: false,
  };
  const { blocks } = keptBlocks({ exif, xmp, credentials }, options);
  const { xmp: packet, ...lean } = blocks;
  // EXIF names author and owner in fewer bytes; how the image was made is stated only in XMP.
  const isStated = packet !== undefined && statesSourceType(packet);
  try {
    const copies = [blocks, isStated ? blocks : lean].map((kept) =>
      stillCode(format)?.rewrite(bytes, { blocks: { ...(icc && { icc }), ...kept } }),
    );
    const copy = copies.find((each) => each && each.length <= bytes.length);
    return copy && Buffer.compare(copy, bytes) === 0 ? bytes : copy;
  } catch {
    return undefined;
  }
}

/** Of a PNG that decoders refuse although all its rows are there. Returns undefined for any other upload. */
export async function repairUpload({ source, decoded, context }: Upload): Promise<Upload | undefined> {
  const { keepMetadata: keep, maxPixels, background } = context.policy;
  if (decoded || source.format !== 'png') return undefined;
  const { bytes, structure, format, dimensions: size } = source;
  const repaired = await withExactRows(structure);
  const losesMetadata = keep !== 'all' && withoutForeignChunks(bytes, structure, keep) !== undefined;
  const isKept = background === undefined && fitsWithin(size, context.policy);
  const unchanged = isKept && mayStay(context, format) && !losesMetadata ? bytes : undefined;
  return (
    repaired && instead(readSource(repaired, maxPixels), context, { bytes, format, unchanged, removed: [] })
  );
}

function instead(source: Source, context: Context, file: Omit<DecodedFile, 'byteLimit'>): Upload {
  const { byteLimit, ...unlimited } = context.policy;
  // The result then is not larger than the upload, and fits, too.
  const fits = byteLimit !== undefined && (file.unchanged?.length ?? Infinity) <= byteLimit.maxBytes;
  return {
    source,
    decoded: { ...file, byteLimit },
    context: { ...context, policy: fits ? unlimited : context.policy },
  };
}

/** Returns the upload instead of the result, if that is accepted and not larger, or if there can be none that looks like it. */
export async function orUpload(
  { bytes, unchanged, format, removed }: DecodedFile,
  { source: { dimensions }, context: { policy } }: Upload,
  making: Promise<Result>,
): Promise<Result> {
  const file = { bytes, format, removed };
  const kept = unchanged && asItIs(file, unchanged, dimensions, 'already-optimised');
  const chosen = await making.catch((error: unknown) => {
    const isImpossible = error instanceof ImageRefused && error.reason === 'conversion';
    if (isImpossible && kept) return kept;
    throw error;
  });
  const minSavingsRatio = policy.byteLimit ? 0 : policy.minSavingsRatio;
  const size = chosen.bytes.length;
  const isSmaller =
    savesEnough(bytes.length, size, { minSavingsRatio }) && size < (unchanged?.length ?? Infinity);
  const isBetter = isSmaller && (chosen.missedScore === undefined || policy.byteLimit !== undefined);
  return kept && !isBetter ? kept : { ...chosen, removed: [...removed, ...(chosen.removed ?? [])] };
}

/** @param unchanged the upload, or a copy without private metadata. Content credentials hold only for the very file. */
function asItIs(
  { bytes, format, removed }: Pick<DecodedFile, 'bytes' | 'format' | 'removed'>,
  unchanged: Uint8Array,
  dimensions: Dimensions,
  skipReason: SkipReason,
): Result {
  const kept = isStill(format) ? readStillHeader(format, unchanged, Infinity).removed : removed;
  const isLost = (kind: RemovedData) => kind === 'content-credentials' || !kept.includes(kind);
  const lost = unchanged === bytes ? [] : removed.filter(isLost);
  return { format, bytes: unchanged, score: 1, dimensions, skipReason, removed: lost };
}
