import { makeSet, planSetOf } from '../../compression/application/sets/make-set';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { SetOptions, Variant } from '../../compression/domain/sets/set-plan';
import type { ResultFormats } from '../../contract/result-formats';
import { digestOf, type EarlierResults } from '../images/earlier-results';
import { faultOf, FileFault } from '../images/file-faults';
import { withinFolder } from '../images/within-folder';
import { isResultAt, writeResult } from '../images/run-jobs';
import { readWhole } from '../images/whole-file';
import { inLanes, type WorkerHandle } from '../images/workers';
import type { Descriptions } from './descriptions';
import { placeOf, type SetJob } from './set-job';
import type { SetReporter } from './set-reporter';

export interface SetSettings extends WorkerHandle {
  readonly options: Omit<SetOptions, 'name'>;
  readonly policy: CompressionPolicy;
  readonly resultFormats: ResultFormats;
  readonly output: { readonly path: string; readonly shown: string };
  readonly originals: ReadonlySet<string>;
  /** Absent if everything is to be compressed again. */
  readonly earlier?: EarlierResults | undefined;
  readonly known: Descriptions;
}

export function makeSets(
  jobs: readonly SetJob[],
  settings: SetSettings,
  reporter: SetReporter,
): Promise<void> {
  return inLanes(jobs, settings, (job, fail) =>
    makeOne(job, settings, reporter).catch((error: unknown) =>
      fail(error, (fault) => reporter.failed(job, fault)),
    ),
  );
}

async function makeOne(job: SetJob, settings: SetSettings, reporter: SetReporter): Promise<void> {
  const { policy, resultFormats, signal, earlier, known } = settings;
  const file = await withinFolder(job.input.root, job.input.path, readWhole);
  const options = { ...settings.options, name: job.key.slice(job.key.lastIndexOf('/') + 1) };
  const plan = await planSetOf(file.bytes, options, policy, resultFormats);
  refuseToReplace(job, plan.variants, settings);
  const digest = digestOf(file.bytes);
  const compress = async (one: CompressionPolicy) =>
    (await settings.running()).run(file.bytes, { policy: one, signal, deadlineAt: Infinity });
  const make = async (variant: Variant) => {
    const place = placeOf(job, variant, settings);
    const results = earlier?.under(variant.policy);
    const result = results?.find(digest);
    if (result && (await isResultAt(place, result.resultDigest))) {
      reporter.upToDate();
      return result.report;
    }
    const { bytes, report } = await compress(variant.policy);
    await writeResult(place, bytes, file);
    await results?.add(digest, { resultDigest: digestOf(bytes), report });
    reporter.done(job, variant, report);
    return report;
  };
  const failed = (variant: Variant, error: unknown) => {
    const fault = faultOf(error);
    if (fault && !signal.aborted) reporter.failed(job, fault, variant);
  };
  const description = await makeSet(plan, { make, compress, failed }, known.get(job.key));
  if (!signal.aborted) reporter.finished(job, description);
}

function refuseToReplace(job: SetJob, variants: readonly Variant[], settings: SetSettings): void {
  for (const variant of variants) {
    const { path, shown } = placeOf(job, variant, settings);
    if (!settings.originals.has(path)) continue;
    throw new FileFault('is_input', `It would overwrite the image ${shown}. Choose another folder with -o.`);
  }
}
