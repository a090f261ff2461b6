import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { addFiles, jobs } from '../state/jobs';

const FILE_INPUT = 'choose-images';

export function focusFileInput(): void {
  document.getElementById(FILE_INPUT)?.focus();
}

/** Choose, drop anywhere on the page, or paste. */
export function DropZone() {
  const isOver = useSignal(false);
  useEffect(() => takeFilesFromEverywhere((over) => (isOver.value = over)), [isOver]);
  const choose = (input: HTMLInputElement) => {
    void addFiles([...(input.files ?? [])]);
    // So that choosing the same file again is a change again.
    input.value = '';
  };
  return (
    <label
      class={['drop-zone', isOver.value && 'over', jobs.value.length > 0 && 'compact']
        .filter(Boolean)
        .join(' ')}
    >
      <input
        id={FILE_INPUT}
        class="visually-hidden"
        type="file"
        multiple
        accept="image/jpeg,image/png"
        onChange={(event) => choose(event.currentTarget)}
      />
      <svg viewBox="0 0 24 24" width="32" height="32" aria-hidden="true">
        <path d="M12 16V4m0 0L7 9m5-5 5 5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3" />
      </svg>
      <span class="drop-title">Choose JPG or PNG images</span>
      <span class="hint">or drop them anywhere on this page, or paste one</span>
    </label>
  );
}

/** Gives the function that stops it. */
function takeFilesFromEverywhere(onOver: (isOver: boolean) => void): () => void {
  const ended = new AbortController();
  const options = { signal: ended.signal };
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener(
    'dragover',
    (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      onOver(true);
    },
    options,
  );
  addEventListener('dragleave', (event) => event.relatedTarget === null && onOver(false), options);
  addEventListener(
    'drop',
    (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      onOver(false);
      void addFiles([...(event.dataTransfer?.files ?? [])]);
    },
    options,
  );
  addEventListener('paste', (event) => void addFiles([...(event.clipboardData?.files ?? [])]), options);
  return () => ended.abort();
}
