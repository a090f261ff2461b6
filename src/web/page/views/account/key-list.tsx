import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { issueKey, listKeys, revokeKey, type ListedKey } from '../../api/account';
import { apiKey, freshKey } from '../../state/credentials';
import { areKeysShown } from '../../state/panel';
import { dateText } from '../../words/numbers';
import type { Trouble } from '../../words/trouble';
import { focusFirst, KEYS_BUTTON } from '../parts/focus';
import { IconButton } from '../parts/icons';
import { TroubleText } from '../parts/text';

/** The active keys of the account. New keys are made here, and unused ones revoked. */
export function KeyList() {
  const inUse = apiKey.value;
  return areKeysShown.value && inUse !== undefined ? <Keys key={inUse} inUse={inUse} /> : null;
}

function Keys({ inUse }: { readonly inUse: string }) {
  const keys = useSignal<readonly ListedKey[]>([]);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const load = async () => {
    const response = await listKeys(inUse);
    if (response.kind === 'ok') keys.value = response.value;
    trouble.value = response.kind === 'ok' ? undefined : response.trouble;
  };
  const make = async () => {
    const response = await issueKey(inUse);
    if (response.kind === 'refused') return void (trouble.value = response.trouble);
    freshKey.value = response.value.apiKey;
    return load();
  };
  const revoke = async (keyId: string) => {
    const response = await revokeKey(inUse, keyId);
    if (response.kind === 'refused') return void (trouble.value = response.trouble);
    return load();
  };
  const close = () => {
    areKeysShown.value = false;
    focusFirst(KEYS_BUTTON);
  };
  useEffect(() => void load(), []);
  return (
    <section class="panel key-list card raised stack" aria-labelledby="key-list-title">
      <div class="panel-head row between">
        <h2 id="key-list-title">Your keys</h2>
        <IconButton icon="remove" label="Close" class="quiet" onClick={close} />
      </div>
      <ul class="ruled">
        {keys.value.map((key) => (
          <KeyRow
            key={key.keyId}
            listed={key}
            isInUse={inUse.startsWith(key.displayPrefix)}
            onRevoke={() => void revoke(key.keyId)}
          />
        ))}
      </ul>
      {trouble.value && (
        <p class="trouble" role="alert">
          <TroubleText trouble={trouble.value} />
        </p>
      )}
      <div class="actions">
        <button onClick={() => void make()}>Make a key</button>
        <p class="hint">A program that uses a revoked key is refused at once.</p>
      </div>
    </section>
  );
}

interface KeyRowProps {
  readonly listed: ListedKey;
  readonly isInUse: boolean;
  readonly onRevoke: () => void;
}

function KeyRow({ listed: { displayPrefix, createdAt }, isInUse, onRevoke }: KeyRowProps) {
  const isSure = useSignal(false);
  return (
    <li class="row">
      <code>{displayPrefix}…</code>
      <span class="hint">made {dateText(createdAt)}</span>
      {isInUse ? (
        <span class="hint">used by this page</span>
      ) : (
        <button
          onClick={() => (isSure.value ? onRevoke() : (isSure.value = true))}
          onBlur={() => (isSure.value = false)}
        >
          {isSure.value ? 'Revoke for good' : 'Revoke'}
          <span class="visually-hidden"> {displayPrefix}</span>
        </button>
      )}
    </li>
  );
}
