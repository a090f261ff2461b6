import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { facts } from '../../api/facts';
import { hasTrials, keyInUse, trial } from '../../state/credentials';
import type { DoneJob } from '../../state/jobs';
import { imageOfSet, largestWidthOf, setId, setStateOf, sizesFor, startSet, wish } from '../../state/sets';
import { leftOutWords, setCostWords, type SetSizes } from '../../words/sets';
import { countText } from '../../words/numbers';
import { Dialog } from '../parts/dialog';
import { IconButton } from '../parts/icons';
import { SetFields } from './set-fields';
import { SetResult } from './set-result';

const close = () => (setId.value = undefined);

/** The files of a `srcset`, on top of everything. */
export function SetDialog() {
  const job = imageOfSet.value;
  return (
    job && (
      <Dialog class="question card set" titleId="set-title" onClose={close}>
        <SetPanel key={job.id} job={job} />
      </Dialog>
    )
  );
}

function SetPanel({ job }: { readonly job: DoneJob }) {
  const alt = useSignal('');
  const state = setStateOf(job);
  return (
    <>
      <header class="set-head row between">
        <h2 id="set-title">Responsive set of {job.file.name}</h2>
        <IconButton icon="remove" label="Close" class="quiet" onClick={close} />
      </header>
      <fieldset class="set-form stack" disabled={state?.kind === 'making'}>
        <legend class="visually-hidden">Files of the set</legend>
        <SetFields alt={alt} />
      </fieldset>
      <SetStart job={job} alt={alt.value} />
      {state?.kind === 'done' && <SetResult job={job} set={state} />}
    </>
  );
}

/** The cost of the set, and the button that makes it. */
function SetStart({ job, alt }: { readonly job: DoneJob; readonly alt: string }) {
  const sizes = sizesFor(job);
  const largest = largestWidthOf(job);
  const { count, trouble } = checked(sizes, largest);
  const trialLeft = keyInUse.value || !hasTrials ? trial.value?.imagesLeft : facts.trialImages;
  const isTooMuch = trialLeft !== undefined && count > trialLeft;
  const leftOut = sizes && leftOutWords(sizes, largest);
  const state = setStateOf(job);
  const isMaking = state?.kind === 'making';
  const isMade = state?.kind === 'done' && state.wish === wish.value;
  const canStart = trouble === undefined && !isTooMuch && !isMaking;
  const start = () => {
    if (sizes && canStart) void startSet(job, sizes, alt);
  };
  return (
    <div class="set-start">
      <div>
        {leftOut && <p class="hint">{leftOut}</p>}
        <p id="set-cost" class={trouble || (isTooMuch && !isMade) ? 'hint wrong' : 'hint'}>
          {trouble ?? setCostWords(count, trialLeft)}
        </p>
        <p class="hint">Quality and metadata are those of the result in the list.</p>
      </div>
      <div class="actions">
        {isMaking && <button onClick={state.stop}>Stop</button>}
        <button
          class={state?.kind === 'done' ? undefined : 'primary'}
          aria-disabled={!canStart}
          aria-describedby="set-cost"
          onClick={start}
        >
          Make the set
        </button>
      </div>
      <SetProgress job={job} />
    </div>
  );
}

function SetProgress({ job }: { readonly job: DoneJob }) {
  const state = setStateOf(job);
  const end = useRef<HTMLDivElement>(null);
  // Below the button that was pressed, it may be out of sight.
  useEffect(() => {
    if (state && state.kind !== 'done') end.current?.scrollIntoView({ block: 'nearest' });
  }, [state?.kind]);
  return (
    <div ref={end} class="set-progress" hidden={!state}>
      {state?.kind === 'making' && (
        <progress max={state.count} value={state.made || undefined} aria-label="Progress of the set" />
      )}
      <p class="set-status" role="status">
        {state?.kind === 'making' && `${state.made} of ${countText(state.count, 'file')} done`}
        {state?.kind === 'done' && `${countText(state.description.files.length, 'file')} done`}
        {state?.kind === 'stopped' && 'Stopped. Files that were finished count.'}
      </p>
      <p class="trouble" role="alert" hidden={state?.kind !== 'failed'}>
        {state?.kind === 'failed' && `${state.trouble.title}. ${state.trouble.text}`}
      </p>
    </div>
  );
}

/** Returns the number of files, or the reason why there is none. */
function checked(
  sizes: SetSizes | undefined,
  largest: number,
): { readonly count: number; readonly trouble?: string } {
  const { kind, formats, densities } = wish.value;
  const numbers = `integers from ${facts.minDimensionPx}`;
  if (kind === 'densities' && densities.length === 0) return { count: 0, trouble: 'Choose a display.' };
  if (!sizes) return { count: 0, trouble: `Enter widths in pixels: ${numbers}.` };
  if (formats.length === 0) return { count: 0, trouble: 'Choose a format.' };
  if (sizes.made.length === 0) return { count: 0, trouble: `Choose widths of at most ${largest} px.` };
  const count = sizes.made.length * formats.length;
  if (count <= facts.setVariants) return { count };
  return { count, trouble: `${count} files are too many: at most ${facts.setVariants}.` };
}
