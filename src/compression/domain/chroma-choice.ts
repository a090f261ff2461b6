/**
 * Which chroma resolution to code: the one that reaches the target in fewer bytes. 4:2:0 is smaller at the same
 * quality, but saturated detail then needs a higher quality, or never reaches the target at all. Both are searched
 * on the sample, where that is cheap.
 */
import { lowestPassingSample, relativeLoss, type QualityRange } from './quality-search';
import type { ChromaSubsampling } from './pixels';

export interface SampleResult {
  /** 0..1 */
  readonly score: number;
  /** Bytes of the encoded sample. */
  readonly size: number;
}

/** Full chroma reaches the target some steps earlier: where it is looked at first. */
const USUAL_LEAD = 3;
/** How the logarithms of loss and size usually change with each step of quality. */
const LOSS_PER_STEP = -0.045;
const SIZE_PER_STEP = 0.03;
/** A mode that one look predicts to be this much larger is not searched. */
const HOPELESS = 1.08;

interface Contender {
  readonly mode: ChromaSubsampling;
  readonly quality: number;
  readonly passes: boolean;
  readonly size: number;
}

/**
 * @param modes what may be chosen, at least one; with one there is nothing to search.
 * @param sample encodes and scores the sample; may be called again for the same quality by later stages.
 */
export async function chooseChroma(
  modes: readonly [ChromaSubsampling, ...ChromaSubsampling[]],
  range: QualityRange,
  targetScore: number,
  sample: (mode: ChromaSubsampling, quality: number) => Promise<SampleResult>,
): Promise<ChromaSubsampling> {
  const [first, ...others] = modes;
  if (others.length === 0) return first;
  const lossOf = ({ score }: SampleResult) => relativeLoss(score, targetScore);
  const contend = async (mode: ChromaSubsampling): Promise<Contender> => {
    const quality = await lowestPassingSample(range, async (q) => lossOf(await sample(mode, q)));
    const result = await sample(mode, quality);
    return { mode, quality, passes: lossOf(result) <= 1, size: result.size };
  };
  let best = await contend(first);
  for (const mode of others) {
    const look = await sample(mode, Math.max(range.lowest, best.quality - USUAL_LEAD));
    if (best.passes && sizeAtTarget(lossOf(look), look.size) > best.size * HOPELESS) continue;
    const other = await contend(mode);
    if ((other.passes && !best.passes) || (other.passes === best.passes && other.size < best.size))
      best = other;
  }
  return best.mode;
}

/** The size at which a mode will reach the target, from one look at it near there. */
function sizeAtTarget(loss: number, size: number): number {
  const steps = -Math.log(Math.max(loss, 1e-6)) / LOSS_PER_STEP;
  return size * Math.exp(steps * SIZE_PER_STEP);
}
