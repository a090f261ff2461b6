/** Whether the banner for signing up or pasting a key is shown, and the list of keys. */
import { computed, signal } from '@preact/signals';
import { facts } from '../api/facts';
import { hasTrials, keyInUse } from './credentials';
import { pause } from './pause';

export type Panel = 'sign-up' | 'paste';

/** The banner that the visitor asked for. */
export const panel = signal<Panel | undefined>(undefined);

/** Whether the keys of the account are shown. */
export const areKeysShown = signal(false);

/** Number of times the visitor asked for it; the form takes the focus each time. */
export const timesAsked = signal(0);

export function openPanel(wanted: Panel): void {
  panel.value = wanted;
  timesAsked.value++;
}

/** Undefined if nothing has to be entered. */
export const shownPanel = computed((): Panel | undefined => {
  if (panel.value) return panel.value;
  const refusal = pause.value?.kind === 'key-refused' ? pause.value.trouble : undefined;
  if (refusal) return facts.signup === 'closed' || !isOfTrial(refusal.code) ? 'paste' : 'sign-up';
  if (keyInUse.value || hasTrials) return undefined;
  return facts.signup === 'closed' ? 'paste' : 'sign-up';
});

/** Whether a refusal calls for signing up. */
export function isOfTrial(code: string | undefined): boolean {
  return code === 'trial_used_up' || code === 'trial_expired';
}
