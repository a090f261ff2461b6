import { bytesText } from '../../../../contract/units';
import { canHaveFewerPixels, takeFewerPixels, takeLeastBytes } from '../../state/again';
import type { Job } from '../../state/jobs';

/** What can be done about a size that cannot be reached. */
export function BudgetWays({ job }: { readonly job: Job }) {
  const { file, state } = job;
  const least = state.kind === 'failed' ? state.trouble.leastBytes : undefined;
  return (
    <>
      {least !== undefined && (
        <button
          type="button"
          onClick={() => takeLeastBytes(job, least)}
          aria-label={`Use ${bytesText(least)} for ${file.name}`}
        >
          Use {bytesText(least)}
        </button>
      )}
      {canHaveFewerPixels(job) && (
        <button
          type="button"
          onClick={() => void takeFewerPixels(job)}
          aria-label={`Fewer pixels for ${file.name}`}
        >
          Fewer pixels
        </button>
      )}
    </>
  );
}
