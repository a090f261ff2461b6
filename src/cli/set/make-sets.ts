/** Makes the sets of a list of images, several at a time, and writes their files. */
import { dirname, join } from 'node:path';
import { Problem } from '../../contract/problem';
import type { ResultFormats } from '../../contract/result-formats';
import {
  SetInProgress,
  type SetDescription,
  type VariantOutcome,
} from '../../compression/application/sets/run-set';
import type { CompressionRunner } from '../../compression/application/running/compression-runner.port';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import { planSet, type SetOptions, type Variant } from '../../compression/domain/sets/set-plan';
import { readSource } from '../../compression/formats/image-header';
import { digestOf, type EarlierResults, type RememberedReport } from '../images/earlier-results';
import { faultOf, FileFault, type Fault } from '../images/file-faults';
import { inside } from '../images/inside';
import type { Input } from '../images/inputs';
import { isResultAt, writeResult } from '../images/run-jobs';
import { readWhole, type WholeFile } from '../images/whole-file';
import { inLanes, type Workshop } from '../images/workers';

/** An image whose set is to be made. */
export interface SetJob {
  readonly input: Input;
  /** Where its files belong below the output folder, without size and extension: `trips/lake`. */
  readonly key: string;
}

export interface SetSettings extends Workshop {
  readonly options: Omit<SetOptions, 'name'>;
  readonly policy: CompressionPolicy;
  readonly resultFormats: ResultFormats;
  readonly output: { readonly path: string; readonly shown: string };
  /** Paths of all images, which no file may replace. */
  readonly originals: ReadonlySet<string>;
  /** Results of earlier runs; absent if everything is to be compressed again. */
  readonly earlier?: EarlierResults | undefined;
  /** Descriptions of earlier runs, by key. */
  readonly known: Readonly<Record<string, SetDescription | undefined>>;
}

export interface SetEvents {
  /** A file has been written. */
  done(job: SetJob, variant: Variant, report: RememberedReport): void;
  /** An earlier run wrote the same file. */
  upToDate(job: SetJob, variant: Variant): void;
  finished(job: SetJob, description: SetDescription): void;
  /** @param variant absent when the whole set failed */
  failed(job: SetJob, fault: Fault, variant?: Variant): void;
}

/** Resolves when all sets are made or have failed, or the signal is aborted. */
export function makeSets(jobs: readonly SetJob[], settings: SetSettings, events: SetEvents): Promise<void> {
  return inLanes(jobs, settings, (job, fail) =>
    makeOne(job, settings, events).catch((error: unknown) =>
      fail(error, (fault) => events.failed(job, fault)),
    ),
  );
}

async function makeOne(job: SetJob, settings: SetSettings, events: SetEvents): Promise<void> {
  const { running, policy, resultFormats, signal, earlier } = settings;
  const file = await inside(job.input.root, job.input.path, readWhole);
  const name = job.key.slice(job.key.lastIndexOf('/') + 1);
  const plan = planSet(
    readSource(file.bytes, policy.maxPixels),
    { ...settings.options, name },
    policy,
    resultFormats,
  );
  refuseToReplace(job, plan.variants, settings);
  const set = new SetInProgress(plan);
  const digest = digestOf(file.bytes);
  for (const variant of plan.variants) {
    const result = earlier?.under(variant.policy).find(digest);
    if (!result || !(await isResultAt(placeOf(job, variant, settings), result.resultDigest))) continue;
    set.add(variant, result.report);
    events.upToDate(job, variant);
  }
  set.keepPlaceholder(settings.known[job.key]);
  const writes: Promise<void>[] = [];
  const runner: Pick<CompressionRunner, 'runSet'> = {
    runSet: async (...missing) => (await running()).runSet(...missing),
  };
  await set.run(runner, file.bytes, { signal, deadlineAt: Infinity, deadlineMs: Infinity }, (outcome) => {
    const write = writeOne({ job, file, digest }, outcome, settings, events);
    write.catch(() => undefined);
    writes.push(write);
  });
  await Promise.all(writes);
  if (!signal.aborted) events.finished(job, set.describe());
}

/** @throws FileFault if a file would replace an image that the user named */
function refuseToReplace(job: SetJob, variants: readonly Variant[], settings: SetSettings): void {
  for (const variant of variants) {
    const { path, shown } = placeOf(job, variant, settings);
    if (!settings.originals.has(path)) continue;
    throw new FileFault('is_input', `It would overwrite the image ${shown}. Choose another folder with -o.`);
  }
}

async function writeOne(
  { job, file, digest }: { readonly job: SetJob; readonly file: WholeFile; readonly digest: string },
  { variant, result }: VariantOutcome,
  settings: SetSettings,
  events: SetEvents,
): Promise<void> {
  if (result instanceof Problem) {
    const fault = faultOf(result);
    if (fault && !settings.signal.aborted) events.failed(job, fault, variant);
    return;
  }
  const { bytes, report } = result;
  await writeResult(placeOf(job, variant, settings), bytes, file);
  await settings.earlier?.under(variant.policy).add(digest, { resultDigest: digestOf(bytes), report });
  events.done(job, variant, report);
}

/** Returns where a file of a set belongs. */
export function placeOf(
  job: SetJob,
  { name }: Pick<Variant, 'name'>,
  { output }: Pick<SetSettings, 'output'>,
) {
  const below = join(dirname(job.key), name);
  return { root: output.path, path: join(output.path, below), shown: join(output.shown, below) };
}
