/** Browser storage of this page. Without storage, everything works until the page is closed. */

export function readItem(store: Storage, item: string): string | undefined {
  try {
    return store.getItem(item) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeItem(store: Storage, item: string, value: string | undefined) {
  try {
    if (value === undefined) store.removeItem(item);
    else store.setItem(item, value);
  } catch {
    // Storage is disabled or full.
  }
}

export function readObject<T>(store: Storage, item: string): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(readItem(store, item) ?? 'null');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
