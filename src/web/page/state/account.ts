/** Whose key is in use. */
import { effect, signal } from '@preact/signals';
import { findAccount, type Account } from '../api/account';
import { apiKey } from './credentials';
import { pause } from './queue';

export const account = signal<Account | undefined>(undefined);

/** Looks the account up when the key changes; a key that is no longer good is told before anything is sent. */
export function followAccount(): void {
  effect(() => {
    const key = apiKey.value;
    account.value = undefined;
    if (!key) return;
    void findAccount(key).then((answer) => {
      if (apiKey.peek() !== key) return;
      if (answer.kind === 'ok') account.value = answer.value;
      else if ([401, 403].includes(answer.trouble.status)) {
        pause.value = { kind: 'key-refused', trouble: answer.trouble };
      }
    });
  });
}
