import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { nameParts } from '../../words/names';
import type { Trouble } from '../../words/trouble';

export function FileName({ name }: { readonly name: string }) {
  const [head, tail] = nameParts(name);
  return (
    <span class="file-name" aria-hidden="true">
      <span class="clipped">{head}</span>
      {tail && <span>{tail}</span>}
    </span>
  );
}

export function TroubleText({ trouble: { title, text } }: { readonly trouble: Trouble }) {
  return (
    <>
      <strong>{title}.</strong> {text}
    </>
  );
}

type SecondsProps = { readonly before?: string } & (
  { readonly until: number; readonly since?: never } | { readonly since: number; readonly until?: never }
);

/** Hidden from screen readers, which would read every second. */
export function Seconds({ until, since, before = '' }: SecondsProps) {
  const count = () =>
    until === undefined ? Math.floor((Date.now() - since) / 1000) : Math.ceil((until - Date.now()) / 1000);
  const shown = useSignal(count());
  useEffect(() => {
    shown.value = count();
    const timer = setInterval(() => (shown.value = count()), 250);
    return () => clearInterval(timer);
  }, [until, since, shown]);
  return (
    <span class="seconds numbers" aria-hidden="true">
      {before}
      {Math.max(0, shown.value)} s
    </span>
  );
}
