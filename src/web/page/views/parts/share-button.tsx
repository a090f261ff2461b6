import { canShare, share } from '../../state/downloads';
import type { DoneJob } from '../../state/jobs';
import { Icon } from './icons';

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
