import { nameParts } from '../../words/names';

/** A name on one line, shortened in the middle where it does not fit. Label it with the whole name. */
export function FileName({ name }: { readonly name: string }) {
  const [head, tail] = nameParts(name);
  return (
    <span class="file-name" aria-hidden="true">
      <span class="file-name-head">{head}</span>
      {tail && <span>{tail}</span>}
    </span>
  );
}
