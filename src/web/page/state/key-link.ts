/**
 * A link that signs the page in: http://localhost:3000/#key=ics_… Browsers send no fragment to a server. The page removes it from
 * the address and from the history before it does anything else.
 */
import { signal } from '@preact/signals';
import { findAccount } from '../api/account';
import type { Trouble } from '../words/trouble';
import { apiKey } from './credentials';
import { takeKey } from './entry';

/** A key that waits for an answer, because it would replace another one. */
export const linkedKey = signal<string | undefined>(undefined);
/** Why the key of a link is of no use. */
export const linkTrouble = signal<Trouble | undefined>(undefined);

export function followKeyLinks(): void {
  takeFragment();
  // A link to the page that is already open.
  addEventListener('hashchange', takeFragment);
}

function takeFragment(): void {
  const [, key] = /^#key=([\x21-\x7e]+)$/.exec(location.hash) ?? [];
  if (!key) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (apiKey.peek() === undefined) void acceptLink(key);
  else if (apiKey.peek() !== key) linkedKey.value = key;
}

/** Uses the key if it is valid. The device remembers it: the link may be gone when the tab is closed. */
export async function acceptLink(key: string): Promise<void> {
  linkedKey.value = undefined;
  const response = await findAccount(key);
  if (response.kind === 'ok') takeKey(key, true);
  else linkTrouble.value = response.trouble;
}
