import { useSignal } from '@preact/signals';
import { canShare, markSaved, nameOf, saveArchive, share } from '../../state/downloads';
import { doneJobs, type DoneJob } from '../../state/jobs';
import { Icon } from './icons';

interface DownloadLinkProps {
  readonly job: DoneJob;
  readonly isPrimary?: boolean;
  /** Whether it stands for the list, and needs no name of an image. */
  readonly isOnly?: boolean;
}

/** Saves a result. */
export function DownloadLink({ job, isPrimary = false, isOnly = false }: DownloadLinkProps) {
  return (
    <a
      class={isPrimary ? 'button primary' : 'button download'}
      href={job.result.url}
      download={nameOf(job)}
      onClick={() => markSaved(job)}
      aria-label={isOnly ? undefined : `Download ${job.file.name}`}
    >
      <Icon name="download" />
      <span class={isOnly ? undefined : 'wide'}>Download</span>
    </a>
  );
}

interface ShareButtonProps {
  readonly jobs: readonly DoneJob[];
  readonly isPrimary?: boolean;
  readonly isIcon?: boolean;
}

/** Hands results to other apps, such as the photo library of a phone; nothing where the system cannot. */
export function ShareButton({ jobs, isPrimary = false, isIcon = false }: ShareButtonProps) {
  if (!canShare(jobs)) return null;
  const label = jobs.length > 1 ? `Share all ${jobs.length}` : 'Share';
  const name = jobs.length > 1 || isPrimary ? label : `Share ${jobs.map(({ file }) => file.name).join()}`;
  return (
    <button
      class={[isPrimary && 'primary', isIcon && 'icon-only'].filter(Boolean).join(' ')}
      aria-label={name}
      onClick={() => void share(jobs)}
    >
      <Icon name="share" />
      {!isIcon && label}
    </button>
  );
}

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
