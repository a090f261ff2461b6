/** The image in the comparison view, and its display. */
import { computed, signal } from '@preact/signals';
import { doneJobs, type DoneJob } from './jobs';

/** `split`: both, with a divider; `result`: the result alone; `difference`: the changes, amplified. */
export type CompareMode = 'split' | 'result' | 'difference';

/** The id of the image; undefined while the view is closed. */
export const comparedId = signal<number | undefined>(undefined);
export const compared = computed((): DoneJob | undefined =>
  doneJobs.value.find(({ id }) => id === comparedId.value),
);
export const mode = signal<CompareMode>('split');
/** Position of the divider, in percent of the width. */
export const divider = signal(50);

/** 1 = one pixel of the image on one of the screen. */
export const scale = signal(1);
/** Whether arrow keys move the image, which is then larger than the view. */
export const isMovable = signal(false);
/** Whether the original is shown alone for now. */
export const isHeld = signal(false);

/** The end of the divider that has its handle: away from the worst spot, so that it does not cover it. */
export const handleSide = signal<'top' | 'bottom'>('bottom');

/** Number of the open image among those with a result, from 1. */
export const comparedNumber = computed(
  () => doneJobs.value.findIndex(({ id }) => id === comparedId.value) + 1,
);

/** Opens the next image, or with -1 the previous one; the first follows the last. */
export function compareOther(step: 1 | -1): void {
  const all = doneJobs.value;
  const index = (comparedNumber.value - 1 + step + all.length) % all.length;
  comparedId.value = all[index]?.id;
}
