import { dirname, join } from 'node:path';
import { makeSet, planSetForImage } from '../../compression/application/sets/make-set';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { SetOptions, Variant } from '../../compression/domain/sets/set-plan';
import { computeDigest } from '../images/earlier-results';
import { describeFault, FileFault } from '../images/file-faults';
import type { Input } from '../images/inputs';
import { withinFolder } from '../images/within-folder';
import { isResultAt, writeResult } from '../images/run-jobs';
import { readWhole } from '../images/whole-file';
import { inLanes, type WorkerHandle } from '../images/workers';
import type { Descriptions } from './descriptions';
import type { SetReporter } from './set-reporter';

export interface SetJob {
  readonly input: Input;
  /** Below the output folder, without size and extension: `trips/lake`. */
  readonly key: string;
}

interface SetSettings extends WorkerHandle {
  readonly options: Omit<SetOptions, 'name'>;
  readonly output: { readonly path: string; readonly shown: string };
  readonly originals: ReadonlySet<string>;
  readonly known: Descriptions;
}

export function makeSets(jobs: readonly SetJob[], settings: SetSettings, reporter: SetReporter) {
  return inLanes(jobs, settings, (job, fail) =>
    makeOne(job, settings, reporter).catch((error: unknown) =>
      fail(error, (fault) => reporter.output.fail(job.input.shown, fault)),
    ),
  );
}

async function makeOne({ input, key }: SetJob, settings: SetSettings, reporter: SetReporter): Promise<void> {
  const { policy, resultFormats, signal, earlier, known, output, originals } = settings;
  const file = await withinFolder(input.root, input.path, readWhole);
  const options = { ...settings.options, name: key.slice(key.lastIndexOf('/') + 1) };
  const plan = await planSetForImage(file.bytes, options, policy, resultFormats);
  const place = ({ name }: Variant) => {
    const below = join(dirname(key), name);
    return { root: output.path, path: join(output.path, below), shown: join(output.shown, below) };
  };
  const replaced = plan.variants.map(place).find(({ path }) => originals.has(path));
  if (replaced) {
    const words = `It would overwrite the image ${replaced.shown}. Choose another folder with -o.`;
    throw new FileFault('is_input', words);
  }
  const digest = computeDigest(file.bytes);
  const compress = (one: CompressionPolicy) => settings.run(file.bytes, { policy: one });
  const make = async (variant: Variant) => {
    const results = earlier?.under(variant.policy);
    const result = results?.find(digest);
    if (result && (await isResultAt(place(variant), result.resultDigest))) {
      reporter.upToDate();
      return result.report;
    }
    const { bytes, report } = await compress(variant.policy);
    await writeResult(place(variant), bytes, file);
    await results?.add(digest, { resultDigest: computeDigest(bytes), report });
    reporter.done(input.shown, place(variant).shown, variant, report);
    return report;
  };
  const failed = (variant: Variant, error: unknown) => {
    const fault = describeFault(error);
    if (fault && !signal.aborted) reporter.output.fail(place(variant).shown, fault);
  };
  const description = await makeSet(plan, { make, compress, failed }, known.get(key));
  if (!signal.aborted) reporter.finished(key, input.shown, description);
}
