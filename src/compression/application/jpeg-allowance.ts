/** The second stage of the JPEG recipe: what the image has been through, and what this pass may lose. */
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
  /** 1 − score against the upload; 0 when only lossless changes are allowed. */
  readonly loss: number;
  /** How the upload was coded; absent when its blocks are gone. */
  readonly upload?: UploadCoding;
  /** A coarser coding that the image had before it was saved as it is now. */
  readonly former?: FormerCoding;
}

/** At this quality, libjpeg's 90, and above, a coding has lost too little to bound a further pass. */
const FINEST_QUALITY = 94;
/** At this quality, libjpeg's 88, and above, a former coding may be hidden; below, the last one is as coarse. */
const FINE_QUALITY = 92;
/**
 * An image that had a former coding loses little on the way back to it: at most this share of what a coding as coarse
 * loses across the blocks. A texture that only resembled one loses as much along the blocks as across.
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
  // Scaling leaves no trace of the blocks that the upload was coded in, and makes what it has lost smaller.
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
  // What this service has coded had its pass: it is not let down towards the floor, pass by pass.
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
