/** Counts what becomes of each image, prints its entry, and moves the bar, for `compress` and `check`. */
import type { ImageSettings } from '../options';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, JobOutcome } from '../images/run-jobs';
import type { Inputs } from '../images/inputs';
import { leftAloneEntry, misnamedEntry, resultEntry } from './entries';
import { Output, type ColourOption, type Entry, type ReportForm } from './output';
import { printableJson } from './printable';
import { asSize, Totals } from './totals';

interface Task extends ColourOption {
  readonly inputs: Inputs;
  readonly settings: ImageSettings;
  readonly form: ReportForm;
  readonly isQuiet?: boolean;
  readonly check?: { readonly isFixing: boolean };
  /** With it, results are written at the end, the largest saving first. */
  readonly site?: { describe(result: Result): Entry } | undefined;
}

export interface Result {
  readonly job: Job;
  readonly report: RememberedReport;
  readonly entry: Entry;
}

export class Reporter {
  readonly results: Result[] = [];
  readonly totals: Totals;
  readonly leftAloneCount = { 'would-be-scaled': 0, 'would-lose-data': 0, 'would-change-format': 0 };
  upToDateCount = 0;
  readonly output: Output;

  constructor(private readonly task: Task) {
    const { inputs, settings } = task;
    this.totals = new Totals(settings.knownFormats);
    this.output = new Output({ ...task, total: inputs.images.length + inputs.faults.length });
    for (const { shown, ...fault } of inputs.faults) this.output.fail(shown, fault);
    for (const { shown, sentence } of inputs.misnamed) this.output.write(misnamedEntry(shown, sentence));
  }

  /** Images that are done, failures apart. */
  get files(): number {
    const leftAlone = Object.values(this.leftAloneCount).reduce((sum, files) => sum + files);
    return this.totals.all.files + leftAlone + this.upToDateCount;
  }

  readonly record = (job: Job, outcome: JobOutcome) => {
    const { check, settings } = this.task;
    const { keepMetadata, maxDimensionPx } = settings.policy;
    if ('fault' in outcome) return this.output.fail(job.input.shown, outcome.fault);
    if ('leftAlone' in outcome) {
      const { leftAlone } = outcome;
      this.leftAloneCount[leftAlone.reason]++;
      this.output.write(leftAloneEntry(job, leftAlone, maxDimensionPx));
    } else {
      // A check reports an earlier result like a new one.
      const isUpToDate = outcome.isUpToDate && !check;
      if (isUpToDate) this.upToDateCount++;
      else this.totals.add(outcome.report);
      const options = { ms: outcome.ms, isUpToDate, keepMetadata, check };
      const entry = resultEntry(job, outcome.report, options);
      if (this.task.site) this.results.push({ job, report: outcome.report, entry });
      else this.output.write(entry);
    }
    const { saved, bytesSaved } = this.totals;
    const savedBytes = Math.max(0, check ? bytesSaved : saved);
    this.output.progress(this.files, `, ${asSize(savedBytes)} saved`);
  };

  stop() {
    this.results.sort((a, b) => b.report.bytesSaved - a.report.bytesSaved);
    for (const result of this.results) this.output.write(this.task.site?.describe(result) ?? result.entry);
    this.output.stop();
  }

  /** The last line of JSON. */
  printTotals() {
    const { files: images, totals, output, upToDateCount } = this;
    const { smaller, bytesSaved, all } = totals;
    const sums = { smaller, originalSize: all.before, bytesSaved, failed: output.failures };
    output.print(printableJson({ totals: { images, upToDate: upToDateCount || undefined, ...sums } }));
  }
}
