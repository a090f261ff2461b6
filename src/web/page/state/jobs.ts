/** The list of images, each with its state. */
import { computed, signal } from '@preact/signals';
import { emptyImage, imageTooLarge } from '../../../contract/upload-problems';
import {
  factsOfMediaType,
  formatBySignature,
  OTHER_SIGNATURE_BYTES,
  type FormatFacts,
} from '../../../contract/formats';
import { facts } from '../api/facts';
import type { MetadataKind } from '../api/metadata';
import { queryOf, type Options } from '../api/options';
import type { Report } from '../api/result';
import { troubleOf, UNREADABLE_FILE, wrongFormat, type Trouble } from '../words/trouble';
import { options } from './options';

export type JobState =
  | { readonly kind: 'waiting' }
  /** `share` of the file that has been sent, 0..1. */
  | { readonly kind: 'uploading'; readonly share: number }
  /** Since `at`, in milliseconds since the epoch. */
  | { readonly kind: 'compressing'; readonly at: number }
  /** Retries at `at`, in milliseconds since the epoch. */
  | { readonly kind: 'retrying'; readonly at: number; readonly trouble: Trouble }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly trouble: Trouble; readonly isFinal: boolean };

export interface JobResult {
  readonly report: Report;
  /** Metadata that it lacks. */
  readonly metadata: readonly MetadataKind[];
  readonly blob: Blob;
  readonly url: string;
  /** The options that it was made with. */
  readonly options: Options;
}

export interface Job {
  readonly id: number;
  readonly file: File;
  /** Object URL of the original. */
  readonly originalUrl: string;
  /** The browser's type; undefined if the file is not an image. */
  readonly format: FormatFacts | undefined;
  /** URL of the result of a sample, which uses up no trial image. */
  readonly sampleUrl?: string | undefined;
  /** The options that it is compressed with. */
  readonly options: Options;
  /** The options of the bar at that time; an image may have some of its own. */
  readonly chosen: Options;
  readonly state: JobState;
  /** The result that is shown. While another one is made, it stays. */
  readonly result?: JobResult;
  /** All results so far, by their queries: choosing one of them again costs nothing. */
  readonly made: ReadonlyMap<string, JobResult>;
}

/** An image with a result. */
export type DoneJob = Job & { readonly result: JobResult };

export const jobs = signal<readonly Job[]>([]);
export const doneJobs = computed(() => jobs.value.filter(isDone));

export function isDone(job: Job): job is DoneJob {
  return job.result !== undefined;
}

export function isActive({ state }: Job): boolean {
  return state.kind === 'uploading' || state.kind === 'compressing';
}

/** Whether the result uses up no trial image: a sample without options of its own. */
export function isFree({ sampleUrl, options: asked }: Pick<Job, 'sampleUrl' | 'options'>): boolean {
  return sampleUrl !== undefined && queryOf(asked) === '';
}

/** Whether the result with these options takes an image of the account, because it has to be made first. */
export function hasCost(job: Job, asked: Options): boolean {
  return !job.made.has(queryOf(asked)) && !isFree({ ...job, options: asked });
}

/** Whether the image has reached a final state. */
export function hasEnded({ state }: Job): boolean {
  return state.kind === 'done' || state.kind === 'failed';
}

/** Whether no acceptable quality fits into the requested bytes. */
export function isOverBudget({ state }: Job): boolean {
  return state.kind === 'failed' && state.trouble.code === 'budget_unreachable';
}

/** Whether the file can be compressed neither now nor later. */
export function isDeadEnd(job: Job): boolean {
  return job.state.kind === 'failed' && job.state.isFinal && !isOverBudget(job) && !isDone(job);
}

let lastId = 0;

/** Adds files. Refuses, with the service's own messages, files that the service would refuse, before they are sent. */
export async function addFiles(files: readonly File[], sampleUrl?: string): Promise<void> {
  const troubles = await Promise.all(files.map(refusalOf));
  const added = files.map((file, i): Job => {
    const trouble = troubles[i];
    return {
      id: ++lastId,
      file,
      originalUrl: URL.createObjectURL(file),
      format: factsOfMediaType(file.type),
      sampleUrl,
      options: options.peek(),
      chosen: options.peek(),
      state: trouble ? { kind: 'failed', trouble, isFinal: true } : { kind: 'waiting' },
      made: new Map(),
    };
  });
  jobs.value = [...jobs.value, ...added];
}

export function findJob(id: number): Job | undefined {
  return jobs.value.find((job) => job.id === id);
}

/** Does nothing if the image is no longer in the list. */
export function setState(id: number, state: JobState): void {
  change(id, { state });
}

/** Requests a result with other options: one that is there already is shown, another one has to be made. */
export function setOptions({ id, made }: Job, wanted: Options): void {
  const result = made.get(queryOf(wanted));
  const state: JobState = { kind: result ? 'done' : 'waiting' };
  change(id, { options: wanted, chosen: options.peek(), state, ...(result ? { result } : {}) });
}

/** Shows a new result in the place of the earlier one. */
export function setResult({ id, made }: Job, result: JobResult): void {
  const all = new Map(made).set(queryOf(result.options), result);
  change(id, { made: all, state: { kind: 'done' }, result });
}

function change(id: number, changed: Partial<Job>): void {
  jobs.value = jobs.value.map((job) => (job.id === id ? { ...job, ...changed } : job));
}

/** An image removed from the list, and its position. */
export interface TakenJob {
  readonly job: Job;
  readonly index: number;
}

/** Removes images from the list. Their object URLs stay valid until `release`. */
export function takeOff(ids: ReadonlySet<number>): TakenJob[] {
  const taken = jobs.value.flatMap((job, index) => (ids.has(job.id) ? [{ job, index }] : []));
  jobs.value = jobs.value.filter(({ id }) => !ids.has(id));
  return taken;
}

/** Restores images at their positions. Unfinished ones wait again. */
export function putBack(taken: readonly TakenJob[]): void {
  const list = [...jobs.value];
  for (const { job, index } of taken) {
    list.splice(index, 0, hasEnded(job) ? job : { ...job, state: { kind: 'waiting' } });
  }
  jobs.value = list;
}

/** Frees the browser's memory for images that will not come back. */
export function release(taken: readonly TakenJob[]): void {
  for (const { job } of taken) {
    URL.revokeObjectURL(job.originalUrl);
    for (const { url } of job.made.values()) URL.revokeObjectURL(url);
  }
}

async function refusalOf(file: File): Promise<Trouble | undefined> {
  if (file.size > facts.maxUploadBytes) return troubleOf(imageTooLarge(facts.maxUploadBytes, file.size));
  try {
    const head = new Uint8Array(await file.slice(0, OTHER_SIGNATURE_BYTES).arrayBuffer());
    if (head.length === 0) return troubleOf(emptyImage());
    return formatBySignature(head) ? undefined : wrongFormat(head, file.name);
  } catch {
    return UNREADABLE_FILE;
  }
}
