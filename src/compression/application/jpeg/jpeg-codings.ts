/** What may win as a JPG: the lowest quality that passes, a former coding, and the same coefficients in fewer bytes. */
import { isLossless } from '../../domain/compression-policy';
import { nearestQuality } from '../../domain/history/quantization-tables';
import { MosaicJudge, photoJudge } from '../../domain/judge';
import { once } from '../../domain/once';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import { buildMosaic } from '../../domain/search/mosaic';
import { chooseChroma } from '../../domain/search/quality-search';
import { copyMetadata, keepsXmp } from '../../formats/jpeg/metadata/copied-metadata';
import { isChromaHalved, type JpegStructure } from '../../formats/jpeg/jpeg-structure';
import { ImageRefused } from '../../../contract/image-problems';
import type { RemovedData } from '../../../contract/report-words';
import type { Candidate, Result } from '../choose';
import type { FormerCoding, JpegCodec } from '../codecs.port';
import { isTooSmall, type Context } from '../context';
import { LossyAttempt, searchInTurn, type Encoded } from '../lossy-attempt';
import { jpegCoding, jpegFormat, likelyQuality, uploadPatience, type UploadCoding } from './jpeg-format';
import { tableFamilies, type Allowance } from './jpeg-allowance';
import { decodeUpload, type JpegImage } from './jpeg-image';

/** A file may take this many times its prediction less or more: predictions are accurate to 15%. */
const MARGIN = 1.2;

/** @param removed what the result loses, whatever its coding */
export async function jpegCodings(
  image: JpegImage,
  allowance: () => Promise<Allowance>,
  search: () => Promise<JpegSearch>,
  removed: readonly RemovedData[],
): Promise<Candidate[]> {
  const { source, policy, isScaled, size } = image;
  const described = (file: Omit<Result, 'format'>): Result => {
    const losesXmp = policy.keepMetadata === 'all' && !keepsXmp(source.structure.metadata, file.bytes);
    return {
      ...file,
      format: 'jpeg',
      removed: [...removed, ...(losesXmp ? (['xmp-positions'] as const) : [])],
    };
  };
  const judged = ({ facts, score }: Encoded, passes: boolean) =>
    described({ ...facts, dimensions: size, ...(!passes && { missedScore: score }) });
  const lossless: Candidate = {
    // It saves a few percent: it is tried only where nothing lossy saves enough.
    estimate: () => Infinity,
    margin: 1,
    make: async () => {
      const rewritten = await rewriteLosslessly(image);
      return rewritten && described(rewritten);
    },
  };
  const isUnjudged = image.isConverted || isTooSmall(image, size);
  if (isLossless(policy) || (isUnjudged && !isScaled)) return [lossless];
  const { loss, former } = await allowance();
  const { attempts, restore } = await search();
  const searched: Candidate = {
    estimate: async () => (await attempts())[0].bytes,
    most: () => (isScaled ? Infinity : source.bytes.length * MARGIN),
    margin: MARGIN,
    make: async () => {
      const tried = await attempts();
      const file = await searchInTurn(tried);
      return file && judged(file, tried[0].passes(file));
    },
  };
  const restored = former && {
    estimate: () => former.bytes,
    most: () => source.bytes.length * MARGIN,
    margin: MARGIN,
    make: async () => {
      const file = await restore(former.coding);
      return file && judged(file, file.facts.score >= policy.targetScore);
    },
  };
  // The coefficients of the upload are those of its own dimensions.
  const exact = isScaled ? [] : [lossless];
  return [...(loss > 0 ? [searched] : []), ...(restored ? [restored] : []), ...exact];
}

/** Returns the same pixels in fewer bytes; undefined if the codec cannot do it. */
async function rewriteLosslessly({
  source,
  codec,
  policy,
  density,
  stopwatch,
}: JpegImage): Promise<Omit<Result, 'format'> | undefined> {
  const { bytes, structure, dimensions } = source;
  // Decoding refuses a damaged source, even if no lossy search has decoded it.
  const before = await stopwatch.time('verify', () => decodeUpload(codec, source, { orientation: 1 }));
  const recoded = await stopwatch.time('encode', () => codec.recodeLosslessly(bytes));
  if (!recoded) return undefined;
  const { orientation, storedSize } = structure;
  const { keepMetadata: keep, targetScore } = policy;
  const written = { keep, orientation, dimensions: storedSize, targetScore, density };
  const delivered = copyMetadata(structure, recoded, written);
  const decode = () => codec.decode(delivered, { header: structure, orientation: 1 });
  const after = await stopwatch.time('verify', decode).catch((error: unknown) => {
    // MozJPEG writes a broken file if components share an id. The upload, which was decoded before, is not at fault.
    if (error instanceof ImageRefused) return undefined;
    throw error;
  });
  if (!after || Buffer.compare(before.data, after.data) !== 0) return undefined;
  return { bytes: delivered, quality: storedQuality(structure, codec), score: 1, dimensions };
}

/** Returns the quality of the nearest known tables, 1..100; 100 if the file has none that can be read. */
export function storedQuality(structure: JpegStructure, codec: JpegCodec): number {
  const { lumaSteps } = structure;
  if (!lumaSteps) return 100;
  const families = tableFamilies(codec, isChromaHalved(structure) ? '4:2:0' : '4:4:4');
  return nearestQuality(lumaSteps, Object.values(families));
}

interface SearchedPixels {
  readonly pixels: Pixels;
  readonly density: number;
  readonly chromaModes: readonly ChromaSubsampling[];
  /** Allowed loss; 0 if only lossless changes are allowed. */
  readonly loss: number;
  readonly upload?: UploadCoding | undefined;
  /** Puts the metadata of the upload into an encoded image. */
  readonly write?: (encoded: Uint8Array) => Uint8Array;
}

export interface JpegSearch {
  /** One for each chroma mode, the smaller one first. They share a mosaic and a judge. */
  readonly attempts: () => Promise<readonly LossyAttempt[]>;
  /** Encodes with the tables of a former coding; undefined if the codec cannot. */
  readonly restore: (former: FormerCoding) => Promise<Encoded | undefined>;
}

/** The search for the quality of a JPG. PNGs use its trials to estimate their own size as a JPG. */
export function searchJpeg(
  context: Context,
  { pixels, density, chromaModes, loss, upload, write = (encoded) => encoded }: SearchedPixels,
): JpegSearch {
  const { jpeg: codec } = context.engine;
  // A JPEG is opaque, also as RGBA.
  const judge = photoJudge(pixels, loss, density, true);
  const input = {
    image: { pixels, isPhoto: true, density, metadata: {}, judge: () => judge },
    mosaic: once(() => new MosaicJudge(buildMosaic(pixels, undefined, { density }))),
    context,
    decode: jpegFormat(codec).decode,
    decodeTrial: (jpeg: Uint8Array, original: Pixels) => codec.decodeTrial(jpeg, original),
  };
  const all = chromaModes.map(
    (chroma) => new LossyAttempt({ ...jpegCoding(codec, chroma, write), patience: uploadPatience }, input),
  );
  return {
    attempts: once(async () => {
      const start = likelyQuality(loss, upload, density);
      const smallest = await chooseChroma(all, loss, all[0].range, start);
      // If 4:2:0 passes at no quality, 4:4:4 may.
      return [smallest, ...all.filter((attempt) => attempt !== smallest)];
    }),
    restore: async (former) => {
      const encoded = await context.stopwatch.time('encode', () =>
        codec.encodeWithFormerTables(pixels, former),
      );
      return encoded && all[0].judged(write(encoded), { quality: former.quality });
    },
  };
}
