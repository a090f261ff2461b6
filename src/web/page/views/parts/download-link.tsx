import { dragOut, markSaved, nameOf } from '../../state/downloads';
import type { DoneJob } from '../../state/jobs';
import { Icon } from './icons';

interface DownloadLinkProps {
  readonly job: DoneJob;
  readonly isPrimary?: boolean;
  /** Whether it stands for the list, and needs no name of an image. */
  readonly isOnly?: boolean;
}

/** Saves a result, by a click or by dragging it out of the window. */
export function DownloadLink({ job, isPrimary = false, isOnly = false }: DownloadLinkProps) {
  return (
    <a
      class={isPrimary ? 'button primary' : 'button download'}
      href={job.result.url}
      download={nameOf(job)}
      onClick={() => markSaved(job)}
      onDragStart={({ dataTransfer }) => dragOut(job, dataTransfer)}
      aria-label={isOnly ? undefined : `Download ${job.file.name}`}
    >
      <Icon name="download" />
      <span class={isOnly ? undefined : 'wide'}>Download</span>
    </a>
  );
}
