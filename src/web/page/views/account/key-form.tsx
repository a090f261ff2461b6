import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useId } from 'preact/hooks';
import { jobs } from '../../state/jobs';
import type { Trouble } from '../../words/trouble';

interface KeyFormProps {
  readonly children: ComponentChildren;
  readonly action: string;
  /** Whether the key is kept on this device; stays as it is when people change between the forms. */
  readonly isRemembered: Signal<boolean>;
  /** Gives what went wrong, or nothing when it went well. */
  readonly onSend: (fields: FormData, isRemembered: boolean) => Promise<Trouble | undefined>;
}

/** What went wrong with the key, and that the list is kept if there is one. */
export function KeyTrouble({ trouble: { title, text } }: { readonly trouble: Trouble }) {
  return (
    <>
      <strong>{title}.</strong> {text} {jobs.value.length > 0 && 'Your list is kept.'}
    </>
  );
}

/** What signing up and pasting a key have in common: where the key is kept, one request, its refusal in words. */
export function KeyForm({ children, action, isRemembered, onSend }: KeyFormProps) {
  const isBusy = useSignal(false);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const id = useId();
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy.value) return;
    const fields = new FormData(event.currentTarget);
    isBusy.value = true;
    trouble.value = undefined;
    trouble.value = await onSend(fields, isRemembered.value);
    isBusy.value = false;
  };
  return (
    <form onSubmit={(event) => void submit(event)} aria-describedby={trouble.value ? id : undefined}>
      {children}
      <label class="check">
        <input
          type="checkbox"
          checked={isRemembered}
          onChange={(event) => (isRemembered.value = event.currentTarget.checked)}
        />
        Remember the key on this device
      </label>
      <button type="submit" class="primary" aria-disabled={isBusy.value}>
        {isBusy.value ? 'One moment …' : action}
      </button>
      <div role="alert">
        {trouble.value && (
          <p class="trouble" id={id}>
            <KeyTrouble trouble={trouble.value} />
          </p>
        )}
      </div>
    </form>
  );
}
