/**
 * The second stage of the JPEG recipe: estimates what the image has lost in earlier codings, and what this pass may
 * lose.
 */
import { offGridOrigin, blockOrigin } from '../domain/history/block-grid';
import { detectFormerCoding } from '../domain/history/coding-history';
import {
  equivalentQuality,
  isTableOf,
  MOZJPEG_TABLES,
  STANDARD_TABLES,
  type EncoderQuality,
  type TableFamily,
} from '../domain/history/quantization-tables';
import { earlierLoss, type EarlierCoding } from '../domain/history/spent-loss';
import { allowedLoss } from '../domain/loss-allowance';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { Position } from '../domain/dimensions';
import type { ChromaSubsampling } from '../domain/pixels';
import { mosaicOf } from '../domain/search/mosaic';
import type { UploadCoding } from '../domain/search/trial-curve';
import type { FormerCoding, JpegCodec } from './codecs.port';
import type { DecodedJpeg, JpegSource } from './jpeg-source';
import { MosaicTrials } from './mosaic-trials';
import type { Stopwatch } from './stopwatch';

export interface Allowance {
  /** Allowed loss, 1 − score against the upload; 0 if only lossless changes are allowed. */
  readonly loss: number;
  /** The coding of the upload; absent if its block grid is unknown, for example after scaling. */
  readonly upload?: UploadCoding;
  /** A coarser coding before the last one. */
  readonly former?: FormerCoding;
}

/** A coding at this quality (libjpeg's 90) or above has lost too little to limit a further pass. */
const FINEST_QUALITY = 94;
/**
 * At this quality (libjpeg's 88) and above, an upload may hide a coarser former coding. Below, the last coding is as
 * coarse.
 */
const FINE_QUALITY = 92;
/**
 * Encoding an image with the tables of its former coding loses little: at most this share of the loss off the grid. A
 * texture that only resembles a former coding loses as much on the grid as off it.
 */
const MAX_LOSS_BACK = 0.6;

export async function allowanceFor(
  { structure }: JpegSource,
  { pixels, turned, isScaled, chromaModes }: DecodedJpeg,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Allowance> {
  const { lumaSteps, components } = structure;
  const [chroma] = chromaModes;
  // Scaling destroys the block grid of the upload and reduces its loss.
  if (!lumaSteps || isScaled || components.length === 4) return { loss: allowedLoss(policy, 0, chroma) };
  const engine = engineTables(codec, chroma);
  const families = [STANDARD_TABLES, MOZJPEG_TABLES, engine];
  const origin = blockOrigin(pixels, turned);
  const mosaicFrom = (from: Position) => new MosaicTrials(mosaicOf(pixels, from), codec, stopwatch);
  let across: MosaicTrials | undefined;
  const reencodingLossAt = async (quality: number) => {
    if (quality >= FINEST_QUALITY) return 0;
    across ??= mosaicFrom(offGridOrigin(origin));
    return (await across.encode(chroma, quality)).loss;
  };

  const uploadQuality = equivalentQuality(lumaSteps, engine);
  const isByThisEncoder = isTableOf(engine, lumaSteps) && !isTableOf(MOZJPEG_TABLES, lumaSteps);
  const upload = { chroma, quality: uploadQuality, reencodingLoss: await reencodingLossAt(uploadQuality) };
  const past: EarlierCoding[] = [{ ...upload, isByThisEncoder }];
  let former: FormerCoding | undefined;
  if (uploadQuality >= FINE_QUALITY) {
    const along = mosaicFrom(origin);
    const suspected = stopwatch.measure('search', () =>
      detectFormerCoding(along.mosaic.pixels, lumaSteps, families, turned >= 5),
    );
    const lossAcross = suspected
      ? await reencodingLossAt(equivalentQuality(stepsOf(suspected, families), engine))
      : 0;
    const lossAlong =
      suspected && turned === 1 ? await along.lossWithFormerTables({ ...suspected, chroma }) : 0;
    if (suspected && (lossAlong ?? 0) <= MAX_LOSS_BACK * lossAcross) {
      former = { ...suspected, chroma };
      past.push({ reencodingLoss: lossAcross, isByThisEncoder: suspected.family === 'engine' });
    }
  }
  // A file by this service is held to its own target; otherwise it would approach the limit of `low` pass by pass.
  const reference = past.some((coding) => coding.isByThisEncoder) ? 'original' : policy.reference;
  const loss = allowedLoss({ ...policy, reference }, earlierLoss(past, chroma), chroma);
  return { loss, upload, ...(former ? { former } : {}) };
}

export function engineTables(codec: JpegCodec, chroma: ChromaSubsampling): TableFamily {
  return { name: 'engine', stepsAt: (quality) => codec.lumaSteps(quality, chroma) };
}

function stepsOf({ family, quality }: EncoderQuality, families: readonly TableFamily[]): readonly number[] {
  const found = families.find(({ name }) => name === family);
  if (!found) throw new Error(`There is no family of tables named ${family}`);
  return found.stepsAt(quality);
}
