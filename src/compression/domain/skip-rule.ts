/** The skip rule: return the smallest result that meets the target, if it saves enough. */

interface HasBytes {
  readonly bytes: Uint8Array;
}

/** Returns whether the saving is at least this share of the original size. */
function isWorthwhile(originalSize: number, candidateSize: number, minSavingsRatio: number): boolean {
  return candidateSize < originalSize && candidateSize <= originalSize * (1 - minSavingsRatio);
}

/**
 * Returns the smallest of the candidates, which all meet the target; undefined if it saves too little, so that the original should
 * be returned. With `mustChange`, for an original with too many pixels, always returns the smallest.
 * @param originalSize bytes
 * @param rule `minSavingsRatio`: the smallest saving worth a rewrite, as a share of the original, 0..1
 * @example
 * const candidates = [{ bytes: new Uint8Array(990) }];
 * console.log(chooseSmallest(1000, candidates, { minSavingsRatio: 0.02, mustChange: false })); // undefined
 * console.log(chooseSmallest(1000, candidates, { minSavingsRatio: 0.01, mustChange: false })); // candidates[0]
 */
export function chooseSmallest<C extends HasBytes>(
  originalSize: number,
  candidates: readonly C[],
  rule: { readonly minSavingsRatio: number; readonly mustChange: boolean },
): C | undefined {
  const smallest = [...candidates].sort((a, b) => a.bytes.length - b.bytes.length).at(0);
  if (!smallest) return undefined;
  if (rule.mustChange) return smallest;
  return isWorthwhile(originalSize, smallest.bytes.length, rule.minSavingsRatio) ? smallest : undefined;
}
