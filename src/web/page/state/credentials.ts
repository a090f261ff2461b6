/** The key in use. Kept for this tab only, unless the person asks for more; that of a trial is never shown. */
import { computed, signal } from '@preact/signals';
import { facts } from '../api/facts';

const KEY_ITEM = 'image-compression-key';
const TRIAL_ITEM = 'image-compression-trial';

/** An account that the page opened by itself. */
export interface Trial {
  readonly apiKey: string;
  readonly images: number;
  /** As far as this page knows; the service counts. */
  readonly imagesLeft: number;
}

/** The key of an account; undefined until there is one. */
export const apiKey = signal<string | undefined>(
  read(sessionStorage, KEY_ITEM) ?? read(localStorage, KEY_ITEM),
);
/** Whether the key outlives the tab. */
export const isKeyRemembered = signal(read(localStorage, KEY_ITEM) !== undefined);
export const trial = signal<Trial | undefined>(storedTrial());
/** What images are sent with. */
export const keyInUse = computed(() => apiKey.value ?? trial.value?.apiKey);

/** Whether visitors get a trial here. */
export const hasTrials = facts.trialImages > 0;

/** A key that has just been made and is shown this once. */
export const freshKey = signal<string | undefined>(undefined);

export function keepKey(key: string, isRemembered: boolean): void {
  write(sessionStorage, KEY_ITEM, isRemembered ? undefined : key);
  write(localStorage, KEY_ITEM, isRemembered ? key : undefined);
  isKeyRemembered.value = isRemembered;
  apiKey.value = key;
  keepTrial(undefined);
}

export function keepTrial(kept: Trial | undefined): void {
  write(sessionStorage, TRIAL_ITEM, kept && JSON.stringify(kept));
  trial.value = kept;
}

export function forgetKey(): void {
  write(sessionStorage, KEY_ITEM, undefined);
  write(localStorage, KEY_ITEM, undefined);
  isKeyRemembered.value = false;
  apiKey.value = undefined;
  freshKey.value = undefined;
}

function storedTrial(): Trial | undefined {
  try {
    return (JSON.parse(read(sessionStorage, TRIAL_ITEM) ?? 'null') as Trial | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function read(store: Storage, item: string): string | undefined {
  try {
    return store.getItem(item) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing still works until the page is closed. */
function write(store: Storage, item: string, value: string | undefined): void {
  try {
    if (value === undefined) store.removeItem(item);
    else store.setItem(item, value);
  } catch {
    // Storage is switched off or full.
  }
}
