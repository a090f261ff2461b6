import { useSignal } from '@preact/signals';
import { markSaved, saveArchive } from '../state/downloads';
import { doneJobs } from '../state/jobs';
import { downloadName } from '../words/file-names';
import { Icon } from './icons';

/** Saves every result: several in an archive, a single one as it is. */
export function DownloadResults({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  const isPacking = useSignal(false);
  const done = doneJobs.value;
  const first = done.at(0);
  if (!first) return null;
  if (done.length === 1) {
    const { id, file, state } = first;
    return (
      <a
        class={isPrimary ? 'button primary' : 'button'}
        href={state.url}
        download={downloadName(file.name, state.report.format)}
        onClick={() => markSaved(id)}
      >
        <Icon name="download" />
        Download
      </a>
    );
  }
  const pack = async () => {
    if (isPacking.value) return;
    isPacking.value = true;
    await saveArchive(done);
    isPacking.value = false;
  };
  return (
    <button
      type="button"
      class={isPrimary ? 'primary' : ''}
      aria-disabled={isPacking.value}
      onClick={() => void pack()}
    >
      <Icon name="download" />
      Download all {done.length}
    </button>
  );
}
