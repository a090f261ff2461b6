/** What the tab shows and asks while there are images in it. */
import { computed, effect } from '@preact/signals';
import { titleWords } from '../words/list';
import { savedIds } from './downloads';
import { doneJobs } from './jobs';
import { summary } from './summary';

/** Whether leaving loses something: work that goes on, or results that were not saved. */
export const hasUnsavedResults = computed(
  () =>
    doneJobs.value.some(
      ({ id, state }) => state.report.skipReason === undefined && !savedIds.value.has(id),
    ) || !summary.value.isFinished,
);

export function followTab(): void {
  const name = document.title;
  effect(() => void (document.title = titleWords(summary.value, name)));
  // Only while it is needed: pages that listen are not kept by the browser's back button.
  effect(() => {
    if (!hasUnsavedResults.value) return;
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  });
}

/** The browser asks in its own words. */
function askFirst(event: Event): void {
  event.preventDefault();
}
