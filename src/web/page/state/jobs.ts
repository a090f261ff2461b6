import { computed, signal } from '@preact/signals';
import { emptyImage, imageTooLarge } from '../../../contract/upload-problems';
import { OTHER_SIGNATURE_BYTES, type FormatFacts } from '../../../contract/formats';
import { facts, formats } from '../api/facts';
import type { MetadataKind } from '../api/metadata';
import { toQuery, type Options } from '../api/options';
import type { Report } from '../api/result';
import { toTrouble, UNREADABLE_FILE, wrongFormat, type Trouble } from '../words/trouble';
import { options } from './options';

export type JobState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'uploading'; readonly share: number }
  | { readonly kind: 'compressing'; readonly at: number }
  | { readonly kind: 'retrying'; readonly at: number; readonly trouble: Trouble }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly trouble: Trouble; readonly isFinal: boolean };

export interface JobResult {
  readonly report: Report;
  readonly metadata: readonly MetadataKind[];
  readonly blob: Blob;
  readonly url: string;
  readonly options: Options;
}

export interface Job {
  readonly id: number;
  readonly file: File;
  readonly originalUrl: string;
  /** As the browser names it; undefined if the file is not an image. */
  readonly format: FormatFacts | undefined;
  readonly sampleUrl?: string | undefined;
  readonly options: Options;
  /** The options of the bar at that time. */
  readonly chosen: Options;
  readonly state: JobState;
  /** The result that is shown. While another one is made, it stays. */
  readonly result?: JobResult;
  /** All results so far, by their queries: choosing one of them again costs nothing. */
  readonly made: ReadonlyMap<string, JobResult>;
  /** It keeps its place, so that it can be put back. */
  readonly isRemoved?: boolean;
}

export type DoneJob = Job & { readonly result: JobResult };

/** An image and its result, to be seen side by side. */
export interface Comparable {
  readonly originalUrl: string;
  readonly result: Pick<JobResult, 'report' | 'url'>;
}

const allJobs = signal<readonly Job[]>([]);
export const jobs = computed(() => allJobs.value.filter(({ isRemoved }) => !isRemoved));
export const removedJobs = computed(() => allJobs.value.filter(({ isRemoved }) => isRemoved));
export const doneJobs = computed(() => jobs.value.filter(isDone));

export function isDone(job: Job): job is DoneJob {
  return job.result !== undefined;
}

export function isActive({ state }: Job): boolean {
  return state.kind === 'uploading' || state.kind === 'compressing';
}

export function isFree({ sampleUrl, options: asked }: Pick<Job, 'sampleUrl' | 'options'>): boolean {
  return sampleUrl !== undefined && toQuery(asked) === '';
}

/** Whether the account pays for the result, because it has to be made first. */
export function hasCost(job: Job, asked: Options): boolean {
  return !job.made.has(toQuery(asked)) && !isFree({ ...job, options: asked });
}

export function hasEnded({ state }: Job): boolean {
  return state.kind === 'done' || state.kind === 'failed';
}

/** No acceptable quality fits into the requested bytes. */
export function isOverBudget({ state }: Job): boolean {
  return state.kind === 'failed' && state.trouble.code === 'budget_unreachable';
}

export function isDeadEnd(job: Job): boolean {
  return job.state.kind === 'failed' && job.state.isFinal && !isOverBudget(job) && !isDone(job);
}

/** Whether the same request may have another outcome. */
export function canRetry({ state, result }: Job): boolean {
  if (state.kind === 'failed') return !state.isFinal;
  return state.kind === 'done' && result?.report.partial !== undefined;
}

let lastId = 0;

/** Refuses files, with the service's own messages, before they are sent. */
export async function addFiles(files: readonly File[], sampleUrl?: string): Promise<void> {
  const inspected = await Promise.all(files.map(inspect));
  const added = files.map((file, i): Job => {
    const { trouble, format } = inspected[i];
    return {
      id: ++lastId,
      file,
      originalUrl: URL.createObjectURL(file),
      format,
      sampleUrl,
      options: options.peek(),
      chosen: options.peek(),
      state: trouble ? { kind: 'failed', trouble, isFinal: true } : { kind: 'waiting' },
      made: new Map(),
    };
  });
  allJobs.value = [...allJobs.value, ...added];
}

export function findJob(id: number): Job | undefined {
  return jobs.value.find((job) => job.id === id);
}

export function setState(id: number, state: JobState) {
  change(id, { state });
}

/** A result that is there already is shown; another one has to be made. */
export function setOptions({ id, made }: Job, wanted: Options) {
  const result = made.get(toQuery(wanted));
  const state: JobState = { kind: result ? 'done' : 'waiting' };
  change(id, { options: wanted, chosen: options.peek(), state, ...(result && { result }) });
}

export function setResult({ id, made }: Job, result: JobResult) {
  const all = new Map(made).set(toQuery(result.options), result);
  change(id, { made: all, state: { kind: 'done' }, result });
}

/** A removed image stays as it is. */
function change(id: number, changed: Partial<Job>) {
  allJobs.value = allJobs.value.map((job) =>
    job.id === id && !job.isRemoved ? { ...job, ...changed } : job,
  );
}

/** Object URLs stay valid until `release`. */
export function takeOff(ids: readonly number[]) {
  allJobs.value = allJobs.value.map((job) => (ids.includes(job.id) ? { ...job, isRemoved: true } : job));
}

/** Unfinished images wait again. */
export function putBack() {
  allJobs.value = allJobs.value.map((job) => {
    if (!job.isRemoved) return job;
    return { ...job, isRemoved: false, state: hasEnded(job) ? job.state : { kind: 'waiting' } };
  });
}

/** Removed images cannot be put back any more. */
export function release() {
  for (const { originalUrl, made } of removedJobs.value) {
    URL.revokeObjectURL(originalUrl);
    for (const { url } of made.values()) URL.revokeObjectURL(url);
  }
  allJobs.value = jobs.value;
}

async function inspect(file: File): Promise<{ readonly trouble?: Trouble; readonly format?: FormatFacts }> {
  if (file.size > facts.maxUploadBytes)
    return { trouble: toTrouble(imageTooLarge(facts.maxUploadBytes, file.size)) };
  try {
    const head = new Uint8Array(
      await file.slice(0, Math.max(OTHER_SIGNATURE_BYTES, formats.uploadSignatureBytes)).arrayBuffer(),
    );
    if (head.length === 0) return { trouble: toTrouble(emptyImage()) };
    const name = formats.ofUpload(head);
    return name === undefined
      ? { trouble: wrongFormat(head, file.name, formats) }
      : { format: formats.of(name) };
  } catch {
    return { trouble: UNREADABLE_FILE };
  }
}
