/** The image that is open in the comparison, and how it is shown. */
import { computed, signal } from '@preact/signals';
import { doneJobs, type DoneJob } from './jobs';

/** `split`: both, with a divider; `result`: the result alone; `difference`: what changed, amplified. */
export type CompareMode = 'split' | 'result' | 'difference';

export const compared = signal<DoneJob | undefined>(undefined);
export const mode = signal<CompareMode>('split');
/** Where the divider stands, in percent of the width. */
export const divider = signal(50);

/** The end of the divider that its handle is at: the one away from the worst spot, so that it covers nothing of it. */
export const handleSide = signal<'top' | 'bottom'>('bottom');

/** Which of the images with a result is open, from 1 on. */
export const comparedNumber = computed(
  () => doneJobs.value.findIndex(({ id }) => id === compared.value?.id) + 1,
);

/** Opens the next image, or with -1 the one before; after the last comes the first. */
export function compareOther(step: 1 | -1): void {
  const all = doneJobs.value;
  const index = (comparedNumber.value - 1 + step + all.length) % all.length;
  compared.value = all[index] ?? compared.value;
}
