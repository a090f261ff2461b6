/** Responsive sets of images of the list. */
import { computed, effect, signal } from '@preact/signals';
import { downloadZip } from 'client-zip';
import { facts } from '../api/facts';
import { makeSet, type SetOutcome } from '../api/make-set';
import { queryOf } from '../api/options';
import { setName, setParameters, sizesOf, USUAL_WISH, type SetSizes, type SetWish } from '../words/sets';
import type { Trouble } from '../words/trouble';
import { keepTrial, keyInUse, trial } from './credentials';
import { save } from './downloads';
import { doneJobs, jobs, type DoneJob } from './jobs';
import { pause } from './pause';
import { beginTrial } from './queue';

export type MadeSet = Extract<SetOutcome, { kind: 'done' }> & { readonly wish: SetWish };

export type SetState =
  | { readonly kind: 'making'; readonly made: number; readonly count: number; readonly stop: () => void }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly trouble: Trouble }
  | MadeSet;

/** The id of the image whose set is shown; undefined while the dialog is closed. */
export const setId = signal<number | undefined>(undefined);
export const imageOfSet = computed((): DoneJob | undefined =>
  doneJobs.value.find(({ id }) => id === setId.value),
);
/** The latest choice; the next image begins with it. */
export const wish = signal<SetWish>(USUAL_WISH);

const states = signal<ReadonlyMap<number, SetState>>(new Map());

export function setStateOf({ id }: DoneJob): SetState | undefined {
  return states.value.get(id);
}

export function chooseSet(changed: Partial<SetWish>): void {
  wish.value = { ...wish.value, ...changed };
}

/** Returns the width of the largest file that the image allows, in pixels. */
export function largestWidthOf({ result }: DoneJob): number {
  const { width, height } = result.report.originalDimensions;
  return Math.floor(width * Math.min(1, facts.maxDimensionPx / Math.max(width, height)));
}

export function sizesFor(job: DoneJob): SetSizes | undefined {
  return sizesOf(wish.value, largestWidthOf(job), facts.minDimensionPx);
}

/** Makes the set of an image with the quality and metadata of its result. */
export async function startSet(job: DoneJob, sizes: SetSizes, alt: string): Promise<void> {
  const chosen = wish.peek();
  const count = sizes.made.length * chosen.formats.length;
  const controller = new AbortController();
  const isStopped = () => controller.signal.aborted;
  let used = 0;
  const making = (made: number) => {
    used = made;
    put(job.id, { kind: 'making', made, count, stop: () => controller.abort() });
  };
  making(0);
  if (keyInUse.peek() === undefined) await beginTrial();
  const key = keyInUse.peek();
  if (isStopped()) return put(job.id, { kind: 'stopped' });
  if (key === undefined) {
    const trouble = pause.peek()?.trouble;
    return trouble ? put(job.id, { kind: 'failed', trouble }) : forget(job.id);
  }
  const { quality, metadata, pngMode, density } = job.result.options;
  const query = queryOf({
    ...{ quality, metadata, pngMode },
    ...(chosen.kind === 'widths' ? { density } : {}),
    ...setParameters(chosen, sizes),
    ...{ name: setName(job.file.name), ...(alt ? { alt } : {}) },
  });
  const { signal } = controller;
  const outcome = await makeSet(job.file, query, { apiKey: key, onFile: making, signal });
  if (trial.value?.apiKey === key)
    keepTrial({ ...trial.value, imagesLeft: Math.max(0, trial.value.imagesLeft - used) });
  if (isStopped()) put(job.id, { kind: 'stopped' });
  else if (outcome.kind === 'refused') put(job.id, { kind: 'failed', trouble: outcome.trouble });
  else put(job.id, { ...outcome, wish: chosen });
}

/** Saves all files of a set in one archive. */
export async function saveSet({ file }: DoneJob, { files }: MadeSet): Promise<void> {
  save(await downloadZip(files).blob(), `${setName(file.name)}-set.zip`);
}

/** Stops and forgets the sets of images that have left the list. */
export function followSets(): void {
  effect(() => {
    const ids = new Set(jobs.value.map(({ id }) => id));
    for (const [id, state] of states.peek()) {
      if (ids.has(id)) continue;
      if (state.kind === 'making') state.stop();
      forget(id);
    }
  });
}

/** Does nothing if the image has left the list. */
function put(id: number, state: SetState): void {
  if (jobs.peek().some((job) => job.id === id)) states.value = new Map(states.peek()).set(id, state);
}

function forget(id: number): void {
  states.value = new Map([...states.peek()].filter(([other]) => other !== id));
}
