import { bytesText } from '../../../../contract/units';
import { canHaveFewerPixels, makeOther, takeFewerPixels, takeLeastBytes } from '../../state/again';
import type { Job } from '../../state/jobs';

/** What can be done about a size that cannot be reached. */
export function BudgetWays({ job }: { readonly job: Job }) {
  const { options, state } = job;
  const least = state.kind === 'failed' ? state.trouble.leastBytes : undefined;
  const ways: readonly (false | readonly [text: string, go: () => unknown])[] = [
    options.format !== 'auto' && ['Another format', () => makeOther(job, { ...options, format: 'auto' })],
    least !== undefined && [`Use ${bytesText(least)}`, () => takeLeastBytes(job, least)],
    canHaveFewerPixels(job) && ['Fewer pixels', () => takeFewerPixels(job)],
  ];
  return ways
    .filter((way) => way !== false)
    .map(([text, go]) => (
      <button key={text} onClick={() => void go()} aria-label={`${text} for ${job.file.name}`}>
        {text}
      </button>
    ));
}
