import type { WorstSpot } from '../difference/difference-map';

/** Says how much the place that changed most has changed. */
export function worstWords(worst: WorstSpot | undefined): string {
  if (!worst) return 'No pixel changed.';
  const mean = worst.mean < 1 ? 'less than 1' : String(Math.round(worst.mean));
  return `Strongest change: ${mean} of 255 on average, ${worst.most} at most.`;
}
