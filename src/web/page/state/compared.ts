import { computed, signal } from '@preact/signals';
import { doneJobs } from './jobs';

export type CompareMode = 'split' | 'result' | 'difference';

export const comparedId = signal<number | undefined>(undefined);
export const compared = computed(() => doneJobs.value.find(({ id }) => id === comparedId.value));
export const mode = signal<CompareMode>('split');
/** Position of the divider, in percent of the width. */
export const divider = signal(50);

/** 1 = one pixel of the image on one of the screen. */
export const scale = signal(1);
export const isMovable = signal(false);
export const isHeld = signal(false);

/** The end of the divider that has its handle: away from the worst spot, so that it does not cover it. */
export const handleSide = signal<'top' | 'bottom'>('bottom');

export const comparedNumber = computed(
  () => doneJobs.value.findIndex(({ id }) => id === comparedId.value) + 1,
);

export function closeComparison() {
  comparedId.value = undefined;
}

export function compareOther(step: 1 | -1) {
  const all = doneJobs.value;
  const index = (comparedNumber.value - 1 + step + all.length) % all.length;
  comparedId.value = all[index]?.id;
}
