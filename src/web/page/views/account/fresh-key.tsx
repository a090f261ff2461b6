import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { freshKey, isKeyRemembered, keyInUse } from '../../state/credentials';
import { focusFileInput } from '../parts/focus';

/** A new key, shown only once. */
export function FreshKey({ apiKey }: { readonly apiKey: string }) {
  const field = useRef<HTMLInputElement>(null);
  const note = useSignal('');
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(apiKey);
      note.value = 'Copied.';
    } catch {
      // Browsers only let pages write there over HTTPS or on this machine.
      field.current?.select();
      note.value = 'The key is selected: copy it with Ctrl+C or Cmd+C.';
    }
  };
  const close = () => {
    freshKey.value = undefined;
    focusFileInput();
  };
  return (
    <section class="notice fresh-key" aria-labelledby="fresh-key-title">
      <div id="fresh-key-note" class="less">
        <h2 id="fresh-key-title">Your API key</h2> is shown only once.{' '}
        {apiKey !== keyInUse.value
          ? 'This page goes on with the one that it has.'
          : isKeyRemembered.value
            ? 'This device remembers it until you sign out.'
            : 'This page forgets it when the tab is closed.'}
      </div>
      <input ref={field} readOnly value={apiKey} aria-label="API key" aria-describedby="fresh-key-note" />
      <button class="primary" onClick={() => void copy()}>
        Copy
      </button>
      <button onClick={close}>Done</button>
      <span role="status" class="hint">
        {note}
      </span>
    </section>
  );
}
