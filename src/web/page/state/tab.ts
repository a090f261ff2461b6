/** The tab's title, and its warning before leaving, while there are images. */
import { computed, effect } from '@preact/signals';
import { titleWords } from '../words/list';
import { savedUrls } from './downloads';
import { doneJobs } from './jobs';
import { summary } from './summary';

/** Whether leaving would lose something: work in progress, or unsaved results. */
export const hasUnsavedResults = computed(
  () =>
    doneJobs.value.some(
      ({ result: { report, url } }) => report.skipReason === undefined && !savedUrls.value.has(url),
    ) || !summary.value.isFinished,
);

export function followTab(): void {
  const name = document.title;
  effect(() => void (document.title = titleWords(summary.value, name)));
  // Only while needed: the browser's back button does not keep pages with this listener.
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
