import { bytesText } from '../../../../contract/units';
import { canHaveFewerPixels, makeOther, takeFewerPixels, takeLeastBytes } from '../../state/again';
import type { Job } from '../../state/jobs';

/** What can be done about a size that cannot be reached. */
export function BudgetWays({ job }: { readonly job: Job }) {
  const { file, state } = job;
  const least = state.kind === 'failed' ? state.trouble.leastBytes : undefined;
  return (
    <>
      {job.options.format !== 'auto' && (
        <button
          onClick={() => makeOther(job, { ...job.options, format: 'auto' })}
          aria-label={`Another format for ${file.name}`}
        >
          Another format
        </button>
      )}
      {least !== undefined && (
        <button
          onClick={() => takeLeastBytes(job, least)}
          aria-label={`Use ${bytesText(least)} for ${file.name}`}
        >
          Use {bytesText(least)}
        </button>
      )}
      {canHaveFewerPixels(job) && (
        <button onClick={() => void takeFewerPixels(job)} aria-label={`Fewer pixels for ${file.name}`}>
          Fewer pixels
        </button>
      )}
    </>
  );
}
