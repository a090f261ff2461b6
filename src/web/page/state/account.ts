/** The account of the key in use. */
import { effect, signal } from '@preact/signals';
import { findAccount, type Account } from '../api/account';
import { apiKey, keepTrial, trial } from './credentials';
import { pause } from './pause';

export const account = signal<Account | undefined>(undefined);

/** Looks up the account when the key changes, so that an invalid key is reported before anything is sent. */
export function followAccount(): void {
  void forgetOldTrial();
  effect(() => {
    const key = apiKey.value;
    account.value = undefined;
    if (!key) return;
    void findAccount(key).then((response) => {
      if (apiKey.peek() !== key) return;
      if (response.kind === 'ok') account.value = response.value;
      else if ([401, 403].includes(response.trouble.status)) {
        pause.value = { kind: 'key-refused', trouble: response.trouble };
      }
    });
  });
}

/** Forgets a finished trial of an earlier visit; the next image opens another. */
async function forgetOldTrial(): Promise<void> {
  const kept = trial.peek();
  if (!kept) return;
  const response = await findAccount(kept.apiKey);
  const isOver = response.kind === 'refused' && response.trouble.status === 401;
  if (isOver && trial.peek()?.apiKey === kept.apiKey) keepTrial(undefined);
}

/** Delays between attempts, in milliseconds: a busy service may return a trial image after its response. */
const GIVE_BACK_MS = [300, 700, 1500];

/**
 * Returns the account once the number of images left in its trial is certain.
 * @param isPlaceDue whether an image may come back; if not, the first response is certain
 */
export async function findRest(key: string, isPlaceDue: boolean): ReturnType<typeof findAccount> {
  for (const waitMs of isPlaceDue ? GIVE_BACK_MS : []) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const response = await findAccount(key);
    if (response.kind === 'refused' || response.value.trial?.imagesLeft !== 0) return response;
  }
  return findAccount(key);
}
