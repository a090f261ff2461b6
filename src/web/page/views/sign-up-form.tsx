import { signUp } from '../api/account';
import { facts } from '../api/facts';
import { freshKey, keepKey } from '../state/credentials';
import { resume } from '../state/queue';
import type { Trouble } from '../words/trouble';
import { KeyForm } from './key-form';

export function SignUpForm() {
  return (
    <KeyForm action="Sign up" onSend={openAccount}>
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

async function openAccount(fields: FormData, isRemembered: boolean): Promise<Trouble | undefined> {
  const answer = await signUp(text(fields, 'email'), text(fields, 'code'));
  if (answer.kind === 'refused') return answer.trouble;
  freshKey.value = answer.value;
  keepKey(answer.value, isRemembered);
  resume();
  return undefined;
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
