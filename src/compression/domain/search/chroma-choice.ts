/**
 * Which chroma resolution to code: the one that reaches the target in fewer bytes. 4:2:0 is smaller at the same
 * quality, but saturated detail then needs a higher quality, or never reaches the target at all. Both are looked at
 * on the sample, where that is cheap.
 */
import type { QualityCurve, QualityRange } from './quality-curve';
import type { ChromaSubsampling } from '../pixels';

/** Full chroma reaches the target some steps earlier: where it is looked at first. */
const USUAL_LEAD = 3;
/** Logarithm of the ratio of sizes within which one draft of the other mode does not decide, and drafts not at all. */
const ROUGHLY_EQUAL = 0.1;
const CLOSE = 0.05;

/** A chroma resolution and the curve of the sample coded with it. */
export interface ChromaMode {
  readonly chroma: ChromaSubsampling;
  readonly curve: QualityCurve;
}

interface Contender {
  readonly mode: ChromaMode;
  readonly quality: number;
  readonly passes: boolean;
  readonly size: number;
}

/** @param modes what may be chosen, at least one; with one there is nothing to look at. */
export async function chooseChroma(
  modes: readonly [ChromaMode, ...ChromaMode[]],
  range: QualityRange,
  targetScore: number,
): Promise<ChromaMode> {
  const [first, ...others] = modes;
  if (others.length === 0) return first;
  const allowed = 1 - targetScore;
  const foreseen = async (mode: ChromaMode) =>
    predicted(mode, await mode.curve.foresee(allowed, range), range);
  const seen = async ({ mode, quality }: Contender) => {
    await mode.curve.look(quality);
    return predicted(mode, mode.curve.meets(allowed, range), range);
  };
  let best = await foreseen(first);
  for (const mode of others) {
    await mode.curve.draft(Math.max(range.lowest, best.quality - USUAL_LEAD));
    let other = predicted(mode, mode.curve.meets(allowed, range), range);
    const isWithin = (margin: number) => Math.abs(Math.log(other.size / best.size)) < margin || !best.passes;
    if (isWithin(ROUGHLY_EQUAL)) other = await foreseen(mode);
    if (isWithin(CLOSE)) [best, other] = [await seen(best), await seen(other)];
    if ((other.passes && !best.passes) || (other.passes === best.passes && other.size < best.size))
      best = other;
  }
  return best.mode;
}

function predicted(mode: ChromaMode, met: number, { highest }: QualityRange): Contender {
  const quality = Math.min(highest, met);
  return { mode, quality, passes: met <= highest, size: mode.curve.sizeAt(quality) };
}
