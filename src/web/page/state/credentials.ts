/** The key in use. It is kept for this tab only unless the visitor asks for more; a trial's key is never shown. */
import { computed, signal } from '@preact/signals';
import { facts } from '../api/facts';
import { readItem, readObject, writeItem } from './device';

const KEY_ITEM = 'image-compression-key';
const TRIAL_ITEM = 'image-compression-trial';

export interface Trial {
  readonly apiKey: string;
  readonly images: number;
  /** As far as this page knows; the service decides. */
  readonly imagesLeft: number;
}

export const apiKey = signal<string | undefined>(
  readItem(sessionStorage, KEY_ITEM) ?? readItem(localStorage, KEY_ITEM),
);
/** Whether the key outlives the tab. */
export const isKeyRemembered = signal(readItem(localStorage, KEY_ITEM) !== undefined);
export const trial = signal(readObject<Trial>(sessionStorage, TRIAL_ITEM) as Trial | undefined);
/** Any text where the service needs none. */
export const keyInUse = computed(
  () => apiKey.value ?? trial.value?.apiKey ?? (facts.needsKey ? undefined : 'none'),
);

export const hasTrials = facts.trialImages > 0;
/** Whether a visitor without a key can still begin a trial. */
export const isTrialOffered = computed(() => hasTrials && keyInUse.value === undefined);

export function keepKey(key: string | undefined, isRemembered: boolean) {
  writeItem(sessionStorage, KEY_ITEM, isRemembered ? undefined : key);
  writeItem(localStorage, KEY_ITEM, isRemembered ? key : undefined);
  isKeyRemembered.value = isRemembered;
  apiKey.value = key;
  if (key !== undefined) keepTrial(undefined);
}

export function keepTrial(kept: Trial | undefined) {
  writeItem(sessionStorage, TRIAL_ITEM, kept && JSON.stringify(kept));
  trial.value = kept;
}
