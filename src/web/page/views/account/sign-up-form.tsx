import { signal, useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { signUp } from '../../api/account';
import { facts } from '../../api/facts';
import { freshKey, keepKey } from '../../state/credentials';
import { panel } from '../../state/panel';
import { resume } from '../../state/pause';
import type { Trouble } from '../../words/trouble';
import { KeyForm } from './key-form';

/** The key of a new account is nowhere else: by default this device keeps it. */
const isRemembered = signal(true);

export function SignUpForm() {
  return (
    <KeyForm action="Sign up" isRemembered={isRemembered} onSend={openAccount}>
      <EmailField />
      {facts.signup === 'invite' && (
        <label class="field">
          Invitation code
          <input type="text" name="code" autocomplete="off" required />
        </label>
      )}
    </KeyForm>
  );
}

/** Says below the field what is missing; the browser's own bubble goes away too soon. */
function EmailField() {
  const isWrong = useSignal(false);
  const refuse = (event: TargetedEvent<HTMLInputElement>) => {
    event.preventDefault();
    isWrong.value = true;
    event.currentTarget.focus();
  };
  return (
    <div class="field">
      <label for="email">E-mail address</label>
      <input
        id="email"
        type="email"
        name="email"
        autocomplete="email"
        required
        aria-invalid={isWrong.value}
        aria-describedby={isWrong.value ? 'email-fault' : undefined}
        onInvalid={refuse}
        onInput={() => (isWrong.value = false)}
      />
      {isWrong.value && (
        <span id="email-fault" class="hint wrong" role="alert">
          Enter a complete e-mail address, such as you@example.com.
        </span>
      )}
    </div>
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
