import { signal } from '@preact/signals';
import { signUp } from '../api/account';
import { facts } from '../api/facts';
import { freshKey, keepKey } from '../state/credentials';
import { panel } from '../state/panel';
import { resume } from '../state/queue';
import type { Trouble } from '../words/trouble';
import { KeyForm } from './key-form';

/** The key of a new account is nowhere else: by default this device keeps it. */
const isRemembered = signal(true);

export function SignUpForm() {
  return (
    <KeyForm action="Sign up" isRemembered={isRemembered} onSend={openAccount}>
      <label class="field">
        E-mail address
        <input type="email" name="email" autocomplete="email" required />
      </label>
      {facts.signup === 'invite' && (
        <label class="field">
          Invitation code
          <input type="text" name="code" autocomplete="off" required />
        </label>
      )}
    </KeyForm>
  );
}

async function openAccount(fields: FormData, isKept: boolean): Promise<Trouble | undefined> {
  const response = await signUp(text(fields, 'email'), text(fields, 'code'));
  if (response.kind === 'refused') return response.trouble;
  freshKey.value = response.value;
  keepKey(response.value, isKept);
  panel.value = undefined;
  resume();
  return undefined;
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
