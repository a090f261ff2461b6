/** Counts what happens to each image, prints its entry, and moves the bar. */
import type { Settings } from '../../settings/settings';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, JobEvents, LeftAlone } from '../images/run-jobs';
import type { Inputs } from '../images/inputs';
import {
  failureEntry,
  leftAloneEntry,
  misnamedEntry,
  resultEntry,
  upToDateEntry,
  type Failure,
} from './entries';
import { Output, type ColourOption, type ReportForm } from './output';
import { asSize, Totals } from './totals';

interface Task extends ColourOption {
  readonly inputs: Inputs;
  readonly settings: Settings;
  readonly form: ReportForm;
  /** Whether only failures are printed. */
  readonly isQuiet?: boolean;
  /** Present for `check`: only images that could be smaller, or were made smaller, are worth a line. */
  readonly check?: { readonly isFixing: boolean };
}

export class Reporter implements JobEvents {
  readonly totals: Totals;
  readonly leftAloneCount = { 'would-be-scaled': 0, 'has-editor-layers': 0 };
  upToDateCount = 0;
  failures = 0;
  private readonly output: Output;

  /** Reports at once unusable inputs, and files that are named like images but are not. */
  constructor(private readonly task: Task) {
    const { inputs, settings } = task;
    this.totals = new Totals(settings.compression.resultFormats);
    this.output = new Output({ ...task, total: inputs.images.length + inputs.faults.length });
    for (const { shown, ...fault } of inputs.faults) this.refused(shown, fault);
    for (const { shown, sentence } of inputs.misnamed) this.output.write(misnamedEntry(shown, sentence));
  }

  /** Number of images that are done. */
  get files(): number {
    const leftAlone = this.leftAloneCount['would-be-scaled'] + this.leftAloneCount['has-editor-layers'];
    return this.totals.all.files + leftAlone + this.upToDateCount;
  }

  /** Colours of standard output. */
  get colours() {
    return this.output.colours;
  }

  done(job: Job, report: RememberedReport, ms: number): void {
    const { keepMetadata } = this.task.settings.compression.policy;
    this.totals.add(report);
    this.output.write(resultEntry(job, report, { ms, keepMetadata, check: this.task.check }));
    this.moveBar();
  }

  upToDate(job: Job, report: RememberedReport, ms: number): void {
    // A check reports an earlier result like a new one.
    if (this.task.check) return this.done(job, report, ms);
    this.upToDateCount++;
    this.output.write(upToDateEntry(job, report, ms));
    this.moveBar();
  }

  leftAlone(job: Job, image: LeftAlone): void {
    this.leftAloneCount[image.reason]++;
    this.output.write(leftAloneEntry(job, image, this.task.settings.compression.policy.maxDimensionPx));
    this.moveBar();
  }

  failed(job: Job, failure: Failure): void {
    this.refused(job.input.shown, failure);
  }

  stop(): void {
    this.output.stop();
  }

  private refused(shown: string, failure: Failure): void {
    this.failures++;
    this.output.write(failureEntry(shown, failure));
    this.moveBar();
  }

  private moveBar(): void {
    const { saved, bytesSaved } = this.totals;
    const savedBytes = Math.max(0, this.task.check ? bytesSaved : saved);
    this.output.progress(this.files + this.failures, `, ${asSize(savedBytes)} saved`);
  }
}
