/**
 * Which chroma resolution to code: the one that reaches the target in fewer bytes. 4:2:0 is smaller at the same
 * quality, but saturated detail then needs a higher quality, or never reaches the target at all. Both are looked at
 * on the sample, where that is cheap.
 */
import type { QualityCurve, QualityRange } from './quality-curve';
import type { ChromaSubsampling } from '../pixels';

/** Full chroma reaches the target some steps earlier: where it is looked at first. */
const USUAL_LEAD = 3;
/** Logarithm of the ratio of sizes within which one look does not decide. */
const CLOSE = 0.03;

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
  const contender = async (mode: ChromaMode): Promise<Contender> =>
    predicted(mode, await mode.curve.find(allowed, range), range);
  let best = await contender(first);
  for (const mode of others) {
    const guess = Math.max(range.lowest, best.quality - USUAL_LEAD);
    await mode.curve.look(guess);
    const other = predicted(mode, mode.curve.meets(allowed, range), range);
    const isClose = Math.abs(Math.log(other.size / best.size)) < CLOSE || !best.passes;
    const seen = isClose ? await contender(mode) : other;
    if ((seen.passes && !best.passes) || (seen.passes === best.passes && seen.size < best.size)) best = seen;
  }
  return best.mode;
}

function predicted(mode: ChromaMode, met: number, { highest }: QualityRange): Contender {
  const quality = Math.min(highest, met);
  return { mode, quality, passes: met <= highest, size: mode.curve.sizeAt(quality) };
}
