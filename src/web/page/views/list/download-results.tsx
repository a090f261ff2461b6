import { useSignal } from '@preact/signals';
import { canShare, saveArchive } from '../../state/downloads';
import { doneJobs } from '../../state/jobs';
import { DownloadLink } from '../parts/download-link';
import { Icon } from '../parts/icons';
import { ShareButton } from '../parts/share-button';

/** Saves every result: several in an archive, a single one as it is. */
export function DownloadResults({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  const isPacking = useSignal(false);
  const done = doneJobs.value;
  const first = done.at(0);
  if (!first) return null;
  const isShared = canShare(done);
  const pack = async () => {
    if (isPacking.value) return;
    isPacking.value = true;
    await saveArchive(done);
    isPacking.value = false;
  };
  const isMain = isPrimary && !isShared;
  return (
    <>
      {isShared && <ShareButton jobs={done} isPrimary={isPrimary} />}
      {done.length === 1 ? (
        <DownloadLink job={first} isPrimary={isMain} isOnly />
      ) : (
        <button class={isMain ? 'primary' : ''} aria-disabled={isPacking.value} onClick={() => void pack()}>
          <Icon name="download" />
          Download all {done.length}
        </button>
      )}
    </>
  );
}
