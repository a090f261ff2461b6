import type { Trouble } from '../../words/trouble';

/** A problem in two parts: what it is, and what to do. */
export function TroubleText({ trouble: { title, text } }: { readonly trouble: Trouble }) {
  return (
    <>
      <strong>{title}.</strong> {text}
    </>
  );
}
