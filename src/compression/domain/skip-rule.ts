/**
 * The skip rule: of the candidates that meet the promise, the smallest; and it has to be worth it.
 */

export interface Candidate {
  readonly bytes: Uint8Array;
}

/** Whether replacing the original gains at least the least saving worth a rewrite. */
export function isWorthwhile(originalSize: number, candidateSize: number, minSavingsRatio: number): boolean {
  return candidateSize < originalSize && candidateSize <= originalSize * (1 - minSavingsRatio);
}

/**
 * Picks what to deliver from candidates that all meet the quality promise: the smallest one that is a
 * worthwhile gain over the original, or undefined when the original should be returned untouched.
 * With `mustChange` (the original is too large in pixels to be returned) the smallest one wins in any case.
 */
export function chooseSmallest<C extends Candidate>(
  originalSize: number,
  candidates: readonly C[],
  rule: { readonly minSavingsRatio: number; readonly mustChange: boolean },
): C | undefined {
  const smallest = [...candidates].sort((a, b) => a.bytes.length - b.bytes.length).at(0);
  if (!smallest) return undefined;
  if (rule.mustChange) return smallest;
  return isWorthwhile(originalSize, smallest.bytes.length, rule.minSavingsRatio) ? smallest : undefined;
}
