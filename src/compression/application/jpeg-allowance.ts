/** The second stage of the JPEG recipe: what the image has been through, and what this pass may lose. */
import { acrossBlocks, blockOrigin } from '../domain/history/block-grid';
import { formerCoding } from '../domain/history/coding-history';
import {
  equivalentQuality,
  isFrom,
  MOZJPEG_TABLES,
  STANDARD_TABLES,
  type SavedQuality,
  type TableFamily,
} from '../domain/history/quantization-tables';
import { spentLoss, type PastCoding } from '../domain/history/spent-loss';
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
const MOST_LOSS_BACK = 0.6;

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
  const own = ownTables(codec, chroma);
  const families = [STANDARD_TABLES, MOZJPEG_TABLES, own];
  const origin = blockOrigin(pixels, turned);
  const mosaicFrom = (from: Position) => new MosaicTrials(mosaicOf(pixels, from), codec, stopwatch);
  let across: MosaicTrials | undefined;
  const lossOnceMore = async (quality: number) => {
    if (quality >= FINEST_QUALITY) return 0;
    across ??= mosaicFrom(acrossBlocks(origin));
    return (await across.encode(chroma, quality)).loss;
  };

  const uploadQuality = equivalentQuality(lumaSteps, own);
  const isOwn = isFrom(own, lumaSteps) && !isFrom(MOZJPEG_TABLES, lumaSteps);
  const upload = { chroma, quality: uploadQuality, lossOnceMore: await lossOnceMore(uploadQuality) };
  const past: PastCoding[] = [{ ...upload, isOwn }];
  let former: FormerCoding | undefined;
  if (uploadQuality >= FINE_QUALITY) {
    const along = mosaicFrom(origin);
    const suspected = stopwatch.measure('search', () =>
      formerCoding(along.mosaic.pixels, lumaSteps, families, turned >= 5),
    );
    const lossAcross = suspected
      ? await lossOnceMore(equivalentQuality(stepsOf(suspected, families), own))
      : 0;
    const lossAlong = suspected && turned === 1 ? await along.encodeAsBefore({ ...suspected, chroma }) : 0;
    if (suspected && (lossAlong ?? 0) <= MOST_LOSS_BACK * lossAcross) {
      former = { ...suspected, chroma };
      past.push({ lossOnceMore: lossAcross, isOwn: suspected.family === 'own' });
    }
  }
  // What this service has coded had its pass: it is not let down towards the floor, pass by pass.
  const reference = past.some((coding) => coding.isOwn) ? 'original' : policy.reference;
  const loss = allowedLoss({ ...policy, reference }, spentLoss(past, chroma), chroma);
  return { loss, upload, ...(former ? { former } : {}) };
}

export function ownTables(codec: JpegCodec, chroma: ChromaSubsampling): TableFamily {
  return { name: 'own', stepsAt: (quality) => codec.lumaSteps(quality, chroma) };
}

function stepsOf({ family, quality }: SavedQuality, families: readonly TableFamily[]): readonly number[] {
  const found = families.find(({ name }) => name === family);
  if (!found) throw new Error(`There is no family of tables named ${family}`);
  return found.stepsAt(quality);
}
