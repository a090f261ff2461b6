import { findAccount } from '../api/account';
import { keepKey } from '../state/credentials';
import { resume } from '../state/queue';
import type { Trouble } from '../words/trouble';
import { KeyForm } from './key-form';
import { focusFileInput } from './drop-zone';

export function PasteKeyForm() {
  return (
    <KeyForm action="Use this key" onSend={checkKey}>
      <label class="field">
        API key
        <input type="text" name="key" autocomplete="off" autocapitalize="off" spellcheck={false} required />
      </label>
    </KeyForm>
  );
}

/** Asked before it is kept: a typing error is told here, not at the first image. */
async function checkKey(fields: FormData, isRemembered: boolean): Promise<Trouble | undefined> {
  const value = fields.get('key');
  const key = typeof value === 'string' ? value.trim() : '';
  // Anything else cannot travel in a header, and is no key either.
  const answer = await findAccount(/^[\x21-\x7e]+$/.test(key) ? key : 'malformed');
  if (answer.kind === 'refused') return answer.trouble;
  keepKey(key, isRemembered);
  resume();
  // The form that had the focus goes away.
  focusFileInput();
  return undefined;
}
