import type { WorstSpot } from '../difference/difference-map';

/** Says how much the place that changed most has changed. */
export function worstWords(worst: WorstSpot | undefined): string {
  if (!worst) return 'No pixel changed.';
  const mean = worst.mean < 1 ? 'less than 1' : String(Math.round(worst.mean));
  return `This is the most it changed: by ${mean} of 255 on average, by ${worst.most} at most.`;
}
