/** Candidates in other formats than the upload's: with loss for photos, without for graphics where the format can. */
import { cannotConvert, lostTransparency, type Obstacle } from '../../contract/image-problems';
import { isLossless } from '../domain/compression-policy';
import { MosaicJudge } from '../domain/judge';
import { sampleBands } from '../domain/near-lossless/sample-bands';
import { once } from '../domain/once';
import { asRgba, hasHiddenColours, maxDifference, type Pixels } from '../domain/pixels';
import { buildMosaic } from '../domain/search/mosaic';
import { BLOCK_NAMES, type BlockName, type EmbeddedBlocks } from '../formats/embedded-blocks';
import { blockData, lostKinds, type FoundData } from '../formats/embedded-data';
import { findData, losesByConversion } from '../formats/image-header';
import type { Candidate, Result } from './choose';
import { effortInTime, isLate, isTooSmall, mayStay, meanwhile, otherFormats, type Context } from './context';
import { LossyAttempt, searchInTurn } from './lossy-attempt';
import type { OpenedImage, ReducedPixels, ShownImage } from './opened-image';
import type { ResultFormat } from './result-format.port';
import { findResultFormat, getResultFormat, stillCode } from './formats';

/** Trials overestimate sizes by this factor relative to those of a JPEG (standard deviation 5%; measured with the encoder that wins most). */
const BIAS = 1.035;
/** Where the upload's own format is accepted, another one must be predicted to take at most this share. */
const WORTHWHILE = 0.95;
/** Predictions are too high about as often as too low. */
const MARGIN = 1.02;
/** If no quality passes, a lossless file may take this many times the bytes of the upload. */
const MOST_WITHOUT_LOSS = 1.25;
/** A part of a larger image predicts that. */
const ESTIMATED_PIXELS = 250_000;
const ESTIMATE_TOLERANCE = 1.2;

/**
 * @param own makes the result in the format of the upload, and `estimate` predicts its bytes
 * @throws ImageRefused `cannot_convert` if no accepted format can hold the image
 */
export async function listConversions(
  image: OpenedImage,
  own: { readonly make: () => Promise<Result>; readonly estimate: () => Promise<number> },
  context: Context,
): Promise<Candidate[]> {
  const { source } = image;
  const isOptional = mayStay(context, source.format);
  const formats = formatsFor(image, context, isOptional);
  if (formats.length === 0) return [];
  const shown = await image.shown(own.make);
  const found = findData(source);
  const conversions = formats.map((format) => describeConversion(format, shown, found, context));
  // Displayed colours and bits may be lost only if the client named the format.
  const possible = conversions.filter(
    ({ obstacle, removed }) =>
      obstacle === undefined && !(isOptional && (removed.has('bit-depth') || removed.has('colour-profile'))),
  );
  if (possible.length === 0 && !isOptional)
    throw cannotConvert(conversions[0].obstacle ?? { reason: 'conversion', words: 'no format is accepted' });
  return possible.map(({ into, removed }): Candidate => {
    const isDominated =
      shown.isPhoto && possible.some((other) => other.into.smallerForPhotosThan?.includes(into.name));
    const file = fileIn(into, shown, image, context);
    return {
      estimate: async () => (isDominated || isLate(context) ? Infinity : file.estimate()),
      ...(isOptional && { most: async () => (await own.estimate()) * WORTHWHILE * BIAS }),
      margin: MARGIN,
      make: async () => {
        const made = await file.make();
        if (!made) return undefined;
        const asked = { targetScore: context.policy.targetScore, density: shown.density };
        const bytes = stillCode(into.name)?.rewrite(made.bytes, { made: asked }) ?? made.bytes;
        return { ...made, bytes, format: into.name, dimensions: image.size, removed: [...removed] };
      },
    };
  });
}

function formatsFor({ source }: OpenedImage, context: Context, isOptional: boolean) {
  if (isOptional && losesByConversion(source)) return [];
  const others = otherFormats(context, source.format);
  const writable = others.flatMap((format) => findResultFormat(context.engine, format) ?? []);
  // If no format is possible, the first one provides the reason.
  return writable.length > 0 || isOptional
    ? writable
    : others.map((format) => getResultFormat(context.engine, format));
}

/** Returns what a conversion loses, and why it is impossible, if it is. */
function describeConversion(
  into: ResultFormat,
  image: ShownImage,
  found: readonly FoundData[],
  { policy }: Context,
) {
  const dropped = droppedBlocks(into, image.metadata);
  const removed = new Set(image.removed);
  if (dropped.includes('icc')) removed.add('colour-profile');
  if (dropped.some((block) => block !== 'icc')) removed.add('kept-metadata');
  const [exif, xmp] = (['exif', 'xmp'] as const).map((block) =>
    dropped.includes(block) ? undefined : image.metadata[block],
  );
  for (const kind of lostKinds(found, blockData({ exif, xmp }))) removed.add(kind);
  return { into, removed, obstacle: findObstacle(into, image, isLossless(policy)) };
}

function findObstacle(into: ResultFormat, image: ShownImage, isExact: boolean): Obstacle | undefined {
  const { width, height, channels } = image.pixels;
  const { label, maxSidePx, maxPixels = Infinity, hasAlpha } = into;
  if (Math.max(width, height) > maxSidePx)
    return { reason: 'side-too-long', words: `${label} holds at most ${maxSidePx} px a side` };
  if (width * height > maxPixels)
    return { reason: 'side-too-long', words: `${label} holds at most ${maxPixels / 1e6} megapixels` };
  if (!hasAlpha && channels % 2 === 0) return lostTransparency(label);
  if (!isExact) return undefined;
  let loss: string | undefined;
  if (!into.encodeLosslessly) loss = 'is written with loss';
  else if (image.removed.includes('bit-depth')) loss = 'would round its samples to 8 bits';
  else if (image.isConverted || hasHiddenColours(image.pixels)) loss = 'would change its samples';
  if (!loss) return undefined;
  return { reason: 'conversion', words: `${label} ${loss}, which the quality "lossless" does not allow` };
}

function droppedBlocks({ holds = [], maxBlockBytes = Infinity }: ResultFormat, blocks: EmbeddedBlocks) {
  const isHeld = (name: BlockName, length: number) =>
    holds.includes(name) && (name === 'icc' || length <= maxBlockBytes);
  return BLOCK_NAMES.filter((name) => blocks[name] && !isHeld(name, blocks[name].length));
}

type ConvertedFile = Pick<Result, 'bytes' | 'score' | 'quality' | 'maxError' | 'missedScore'>;

/** The file of an image in a format. */
function fileIn(
  into: ResultFormat,
  image: ShownImage,
  { source }: Pick<OpenedImage, 'source'>,
  context: Context,
): { estimate(): Promise<number>; make(): Promise<ConvertedFile | undefined> } {
  const { policy, stopwatch, decodedUpload } = context;
  const { byteLength, mostBytes } = decodedUpload ?? { byteLength: source.bytes.length, mostBytes: Infinity };
  const { pixels, metadata } = image;
  const { encodeLosslessly } = into;
  // Photos are lossy, graphics and what is too small to be judged only if the format has no other coding.
  const isUnjudged = isTooSmall(context, pixels);
  const mayLose = image.isPhoto && !isLossless(policy) && !isUnjudged;
  const isLossy = into.lossy.length > 0 && (!encodeLosslessly || mayLose);

  const attempts = once(async () => {
    const attempted: LossyAttempt[] = [];
    if (!isLossy) return attempted;
    const pieces = once(() =>
      buildMosaic(pixels, undefined, { ...into.lossy[0].tiles, density: image.density }),
    );
    const codings = pixels.channels < 3 ? into.lossy.slice(-1) : into.lossy;
    const full = codings.find(({ chroma }) => chroma === '4:4:4') ?? codings[0];
    for (const coding of isUnjudged ? [full] : codings) {
      const mosaic = once(() => new MosaicJudge(pieces(), coding.tiles.seamPx));
      const lossWeight = into.lossWeight?.(image.density);
      const input = { image, mosaic, context, decode: into.decode.bind(into), lossWeight };
      attempted.push(await new LossyAttempt(coding, input).start());
    }
    return attempted.sort((one, other) => one.bytes - other.bytes);
  });

  const encodeExactly = (exact: Pixels, lostBits = 0, step: 'search' | 'encode' = 'encode') => {
    if (!encodeLosslessly) throw new Error(`${into.name} has no coding`);
    const megapixels = (exact.width * exact.height) / 1e6;
    const effort = effortInTime(context, (effort) => megapixels * (into.losslessMs?.[effort] ?? 0));
    return stopwatch.time(step, () => encodeLosslessly(exact, { effort, metadata, lostBits }));
  };
  const exactly = async ({ pixels: exact, ...facts }: ReducedPixels) => {
    const bytes = await encodeExactly(exact);
    await stopwatch.time('verify', async () => {
      const [decoded, wanted] = await meanwhile(into.decode(bytes, exact), () => asRgba(exact));
      if (maxDifference(wanted, asRgba(decoded)) > 0)
        throw new Error(`${into.name}: a file without loss has other pixels`);
    });
    return { bytes, ...facts };
  };
  const lossless = once(async (): Promise<ConvertedFile> => {
    const unreduced = { pixels, score: 1, maxError: 0 };
    const reduced = await image.reduced?.();
    if (!reduced) return exactly(unreduced);
    const file = await exactly(reduced);
    // A palette is always smaller than the pixels that it replaces; slightly changed channels may not be.
    if (reduced.maxError === undefined || isLate(context)) return file;
    const other = await exactly(unreduced);
    return other.bytes.length < file.bytes.length ? other : file;
  });
  /** The file without loss, or nearly so, if no quality passes and it is not much larger than the upload. */
  const losslessInstead = async ([attempt]: readonly LossyAttempt[]): Promise<ConvertedFile | undefined> => {
    if (!encodeLosslessly) return undefined;
    const most = Math.min(byteLength * MOST_WITHOUT_LOSS, mostBytes);
    const part = sampleBands(pixels, ESTIMATED_PIXELS);
    // Rounding would change alpha, too.
    const roundings = pixels.channels % 2 === 1 ? (into.lostBits ?? []) : [];
    for (const lostBits of [...roundings, 0]) {
      if (isLate(context)) return undefined;
      if (part.data.length < pixels.data.length) {
        const { length } = await encodeExactly(part, lostBits, 'search');
        if (length * (pixels.data.length / part.data.length) > most * ESTIMATE_TOLERANCE) return undefined;
      }
      const file = lostBits === 0 ? await lossless() : { bytes: await encodeExactly(pixels, lostBits) };
      // Finer ones are hardly ever smaller.
      if (file.bytes.length > most) return undefined;
      if ('score' in file) return file;
      const { facts, score } = await attempt.judged(file.bytes, { lossWeight: 1 });
      if (attempt.passes({ score })) return { ...file, score: facts.score };
    }
    return undefined;
  };

  return {
    /** Accurate to about 5%; exact for lossless files. */
    estimate: async () => (await attempts()).at(0)?.bytes ?? (await lossless()).bytes.length,
    make: async () => {
      const tried = await attempts();
      if (tried.length === 0) return lossless();
      // No score can tell how a few pixels look: they get the highest quality, and full chroma if the format has it.
      const [{ range }] = tried;
      const found = isUnjudged ? await tried[0].encode(range.highest) : await searchInTurn(tried, mostBytes);
      if (!found) return undefined;
      const { facts, score } = found;
      if (tried[0].passes({ score })) return facts;
      return (await losslessInstead(tried)) ?? { ...facts, missedScore: score };
    },
  };
}
