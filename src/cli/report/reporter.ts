/** Counts what happens to each image, passes an entry on to a sink, and moves the bar. */
import type { Settings } from '../../settings/settings';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, JobEvents, LeftAlone } from '../images/run-jobs';
import type { Inputs } from '../images/inputs';
import type { ColourOption } from '../terminal/console';
import {
  failureEntry,
  leftAloneEntry,
  misnamedEntry,
  resultEntry,
  upToDateEntry,
  type Failure,
} from './entries';
import { ImageConsole } from './image-console';
import { openSink, type Format, type Sink } from './sinks';
import { Totals } from './totals';

interface Task {
  readonly jobs: readonly Job[];
  readonly inputs: Inputs;
  readonly settings: Settings;
  readonly format: Format;
  /** Whether only failures are printed. */
  readonly isQuiet?: boolean;
  /** Present for `check`: only images that could be smaller, or were made smaller, are worth a line. */
  readonly check?: { readonly isFixing: boolean };
  readonly colour: ColourOption;
}

export class Reporter implements JobEvents {
  readonly totals: Totals;
  readonly leftAloneCount = { 'would-be-scaled': 0, 'has-editor-layers': 0 };
  upToDateCount = 0;
  failures = 0;

  private constructor(
    private readonly task: Task,
    private readonly console: ImageConsole,
    private readonly sink: Sink,
  ) {
    this.totals = new Totals(task.settings.compression.resultFormats);
  }

  /** Reports at once unusable inputs, and files that are named like images but are not. */
  static async open(task: Task): Promise<Reporter> {
    const { jobs, inputs, colour, settings, format, isQuiet, check } = task;
    const total = jobs.length + (check ? 0 : inputs.faults.length);
    const lanes = Math.min(settings.compression.pool.workers, jobs.length);
    const isJson = format !== 'text';
    const console = await ImageConsole.open({ jobs, total, lanes, isJson, isQuiet, colour });
    const reporter = new Reporter(task, console, openSink(console, format, isQuiet));
    for (const { shown, ...fault } of inputs.faults) reporter.refused(shown, fault);
    for (const { shown, sentence } of inputs.misnamed) reporter.sink(misnamedEntry(shown, sentence));
    return reporter;
  }

  /** Number of images that are done. */
  get files(): number {
    const leftAlone = this.leftAloneCount['would-be-scaled'] + this.leftAloneCount['has-editor-layers'];
    return this.totals.all.files + leftAlone + this.upToDateCount;
  }

  /** Colours of standard output. */
  get colours() {
    return this.console.colours;
  }

  began(job: Job): void {
    this.console.began(job);
  }

  done(job: Job, report: RememberedReport, ms: number, wasCompressed = true): void {
    const { keepMetadata } = this.task.settings.compression.policy;
    this.totals.add(report);
    this.sink(resultEntry(job, report, { ms, keepMetadata }, this.task.check));
    this.ended(job, wasCompressed);
  }

  upToDate(job: Job, report: RememberedReport, ms: number): void {
    // A check reports an earlier result like a new one.
    if (this.task.check) return this.done(job, report, ms, false);
    this.upToDateCount++;
    this.sink(upToDateEntry(job, report, ms));
    this.ended(job, false);
  }

  leftAlone(job: Job, image: LeftAlone): void {
    this.leftAloneCount[image.reason]++;
    this.sink(leftAloneEntry(job, image, this.task.settings.compression.policy.maxDimensionPx));
    this.ended(job, false);
  }

  failed(job: Job, failure: Failure): void {
    this.refused(job.input.shown, failure);
    this.ended(job, false);
  }

  stop(): void {
    this.console.stop();
  }

  private refused(shown: string, failure: Failure): void {
    this.failures++;
    this.sink(failureEntry(shown, failure));
    this.moveBar();
  }

  private ended(job: Job, wasCompressed: boolean): void {
    this.console.ended(job, wasCompressed);
    this.moveBar();
  }

  private moveBar(): void {
    const { saved, bytesSaved } = this.totals;
    this.console.progress(this.files + this.failures, this.task.check ? bytesSaved : saved);
  }
}
