import { useSignal } from '@preact/signals';
import { canShare, markSaved, nameResult, saveArchive, share } from '../../state/downloads';
import { doneJobs, type DoneJob } from '../../state/jobs';
import { Icon } from './icons';

interface DownloadLinkProps {
  readonly job: DoneJob;
  readonly isPrimary?: boolean;
  readonly isOnly?: boolean;
}

export function DownloadLink({ job, isPrimary = false, isOnly = false }: DownloadLinkProps) {
  return (
    <a
      class={isPrimary ? 'button primary' : 'button download'}
      href={job.result.url}
      download={nameResult(job)}
      onClick={() => markSaved(job)}
      aria-label={isOnly ? undefined : `Download ${job.file.name}`}
    >
      <Icon name="download" />
      <span class={isOnly ? undefined : 'wide'}>Download</span>
    </a>
  );
}

export function DownloadResults() {
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
  return (
    <>
      {isShared && (
        <button class="primary" onClick={() => void share(done)}>
          <Icon name="share" />
          {done.length > 1 ? `Share all ${done.length}` : 'Share'}
        </button>
      )}
      {done.length === 1 ? (
        <DownloadLink job={first} isPrimary={!isShared} isOnly />
      ) : (
        <button class={isShared ? '' : 'primary'} aria-disabled={isPacking.value} onClick={() => void pack()}>
          <Icon name="download" />
          Download all {done.length}
        </button>
      )}
    </>
  );
}
