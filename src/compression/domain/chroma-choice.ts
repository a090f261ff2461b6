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
  if (modes.length === 1) return modes[0];
  let best: { mode: ChromaSubsampling; passes: boolean; size: number } | undefined;
  for (const mode of modes) {
    const quality = await lowestPassingSample(range, async (q) =>
      relativeLoss((await sample(mode, q)).score, targetScore),
    );
    const { score, size } = await sample(mode, quality);
    const passes = score >= targetScore;
    const isBetter = !best || (passes && !best.passes) || (passes === best.passes && size < best.size);
    if (isBetter) best = { mode, passes, size };
  }
  return best?.mode ?? modes[0];
}
