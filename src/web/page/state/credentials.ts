/** The key in use. Kept for this tab only, unless the person asks for more. */
import { signal } from '@preact/signals';

const ITEM = 'image-compression-key';

/** Undefined until there is one. */
export const apiKey = signal<string | undefined>(stored());

/** A key that has just been made and is shown this once. */
export const freshKey = signal<string | undefined>(undefined);

export function keepKey(key: string, isRemembered: boolean): void {
  write(sessionStorage, isRemembered ? undefined : key);
  write(localStorage, isRemembered ? key : undefined);
  apiKey.value = key;
}

export function forgetKey(): void {
  write(sessionStorage, undefined);
  write(localStorage, undefined);
  apiKey.value = undefined;
  freshKey.value = undefined;
}

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(ITEM) ?? localStorage.getItem(ITEM) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing still works until the page is closed. */
function write(store: Storage, key: string | undefined): void {
  try {
    if (key === undefined) store.removeItem(ITEM);
    else store.setItem(ITEM, key);
  } catch {
    // Storage is switched off or full.
  }
}
