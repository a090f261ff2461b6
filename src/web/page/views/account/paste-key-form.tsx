import { signal } from '@preact/signals';
import { findAccount } from '../../api/account';
import { keepKey } from '../../state/credentials';
import { panel } from '../../state/panel';
import { resume } from '../../state/pause';
import type { Trouble } from '../../words/trouble';
import { KeyForm } from './key-form';
import { focusFileInput } from '../parts/focus';

const isRemembered = signal(false);

export function PasteKeyForm() {
  return (
    <KeyForm action="Use this key" isRemembered={isRemembered} onSend={checkKey}>
      <label class="field">
        API key
        <input type="text" name="key" autocomplete="off" autocapitalize="off" spellcheck={false} required />
      </label>
      <p class="hint">Lost your key? Ask the operator of this service for a new one.</p>
    </KeyForm>
  );
}

/** Asked before it is kept: a typing error is told here, not at the first image. */
async function checkKey(fields: FormData, isKept: boolean): Promise<Trouble | undefined> {
  const value = fields.get('key');
  const key = typeof value === 'string' ? value.trim() : '';
  // Anything else cannot travel in a header, and is no key either.
  const response = await findAccount(/^[\x21-\x7e]+$/.test(key) ? key : 'malformed');
  if (response.kind === 'refused') return response.trouble;
  keepKey(key, isKept);
  panel.value = undefined;
  resume();
  // The form that had the focus goes away.
  focusFileInput();
  return undefined;
}
