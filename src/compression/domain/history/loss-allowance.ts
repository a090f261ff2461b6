/**
 * How much a JPEG may lose in one encode, in units of loss (1 − score): at most the loss of the target against the
 * upload; and all encodes together, also by other tools, at most the loss of `low` against the first original. An
 * image that this service has encoded before is held to the target in total, or it would approach `low` encode by
 * encode.
 */
import type { ChromaSubsampling } from '../pixels';
import { QUALITY_TARGETS } from '../compression-policy';
import { LOSS_AT_SSIMULACRA2_80 } from '../score/ssim-score';

/** With less than this share of the target's loss, a lossy encode saves hardly more than a lossless rewrite. */
const MIN_SHARE = 0.25;

/**
 * Returns the loss against the upload that this encode may cause; 0 if only lossless changes are allowed.
 * @param spent estimated loss of the upload against its first original, 0..1
 */
export function allowedLoss(
  { targetScore, isEncodedHere = false }: { readonly targetScore: number; readonly isEncodedHere?: boolean },
  spent: number,
  chroma: ChromaSubsampling,
): number {
  const target = 1 - targetScore;
  const total = isEncodedHere ? target : Math.max(target, 1 - QUALITY_TARGETS.low);
  const allowed = Math.min(target, remainingLoss(total, spent, chroma));
  return allowed < MIN_SHARE * target ? 0 : allowed;
}

/**
 * The loss of an earlier coding ÷ the loss of re-encoding with the same steps on a shifted block grid. On 25 images,
 * saved by libjpeg at 50 to 95 and by MozJPEG at 60 to 85, it was 1.2 to 1.6 in 4:2:0, where chroma is already smooth,
 * and 0.9 to 1.1 in 4:4:4 (standard deviation of the logarithm 0.12); if jpegli made both, 1.13 to 1.25 and 1.01 to
 * 1.05.
 */
const FIRST_TO_SECOND: Readonly<
  Record<ChromaSubsampling, { readonly sameEncoder: number; readonly otherEncoder: number }>
> = {
  '4:2:0': { sameEncoder: 1.16, otherEncoder: 1.4 },
  '4:4:4': { sameEncoder: 1.02, otherEncoder: 1 },
};

/**
 * Independent errors add up as squares, but subsampling chroma twice blurs the same places twice (fitted on 33 images,
 * saved at 90 and 95 and then compressed).
 */
const ADDING_POWER: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 1.4, '4:4:4': 2 };

export interface EarlierCoding {
  /** 1 − score after re-encoding the image as coarsely, on a shifted block grid. */
  readonly reencodingLoss: number;
  /** Whether the encoder that measured the loss also made the coding: the ratio is then better known. */
  readonly isByThisEncoder: boolean;
}

/** Estimates the loss (1 − score) of all earlier codings against the first original, which is unknown. */
export function earlierLoss(codings: readonly EarlierCoding[], chroma: ChromaSubsampling): number {
  const power = ADDING_POWER[chroma];
  const { sameEncoder, otherEncoder } = FIRST_TO_SECOND[chroma];
  const losses = codings.map(
    ({ reencodingLoss, isByThisEncoder }) => reencodingLoss * (isByThisEncoder ? sameEncoder : otherEncoder),
  );
  return losses.reduce((sum, loss) => sum + loss ** power, 0) ** (1 / power);
}

/** Returns how much another coding may lose so that all lose at most `total`. */
export function remainingLoss(total: number, spent: number, chroma: ChromaSubsampling): number {
  const power = ADDING_POWER[chroma];
  return Math.max(0, total ** power - spent ** power) ** (1 / power);
}

/** A coding at this quality on jpegli's scale (libjpeg's 90) or above has lost too little to limit another encode. */
const FINEST_QUALITY = 94;
/** An upload at this quality (libjpeg's 88) or above may hide a coarser coding; below, the last coding is as coarse. */
const FINE_QUALITY = 92;
/**
 * Largest loss with the former tables ÷ loss off the grid. A texture that only resembles a coding loses as much on it.
 */
const MAX_LOSS_BACK = 0.6;

/** @param quality of the last coding, 1..100 on jpegli's scale */
export function hasLostSomething(quality: number): boolean {
  return quality < FINEST_QUALITY;
}

/**
 * Largest re-encoding loss per step of 101 − quality, in 24 codings each of 125 images: 0.091 times the loss at an SSIMULACRA2 of 80.
 */
const MOST_LOSS_A_STEP = 0.095 * LOSS_AT_SSIMULACRA2_80;

/** Whether a coding at this quality could have lost enough to limit another encode, so that its loss has to be measured. */
export function mayLimitLoss(
  policy: Parameters<typeof allowedLoss>[0],
  quality: number,
  chroma: ChromaSubsampling,
): boolean {
  if (!hasLostSomething(quality)) return false;
  const reencodingLoss = MOST_LOSS_A_STEP * (101 - quality);
  const isByThisEncoder = policy.isEncodedHere ?? false;
  const spent = earlierLoss([{ reencodingLoss, isByThisEncoder }], chroma);
  return allowedLoss(policy, spent, chroma) < allowedLoss(policy, 0, chroma);
}

/** @param quality of the last coding, 1..100 on jpegli's scale */
export function mayHideFormerCoding(quality: number): boolean {
  return quality >= FINE_QUALITY;
}

/**
 * Whether trials confirm a former coding: encoding again with its tables must lose little on the block grid,
 * and more half a block away.
 * @param onGrid loss with the former tables; undefined if it could not be measured, which counts as none
 */
export function isFormerCoding(onGrid: number | undefined, offGrid: number): boolean {
  return (onGrid ?? 0) <= MAX_LOSS_BACK * offGrid;
}
