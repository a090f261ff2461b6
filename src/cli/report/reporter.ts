/** Counts what happens to each image, passes it on to a sink, and moves the bar. */
import type { RememberedReport } from '../images/earlier-results';
import type { Job, JobEvents, LeftAlone } from '../images/run-jobs';
import type { Inputs } from '../images/inputs';
import type { ColourOption } from '../terminal/colours';
import { ImageConsole } from './image-console';
import type { Failure } from './json-lines';
import { openSink, type Sink, type SinkOptions } from './sinks';
import { Totals } from './totals';

interface Task extends SinkOptions {
  readonly jobs: readonly Job[];
  readonly inputs: Inputs;
  readonly colour: ColourOption;
}

export class Reporter implements JobEvents {
  readonly totals = new Totals();
  readonly leftAloneCount = { 'would-be-scaled': 0, 'has-editor-layers': 0 };
  upToDateCount = 0;
  failures = 0;

  private constructor(
    private readonly isCheck: boolean,
    private readonly console: ImageConsole,
    private readonly sink: Sink,
  ) {}

  /** Reports at once unusable inputs, and files that are named like images but are not. */
  static async open({ jobs, inputs, colour, ...options }: Task): Promise<Reporter> {
    const isCheck = options.check !== undefined;
    const total = jobs.length + (isCheck ? 0 : inputs.faults.length);
    const lanes = Math.min(options.settings.compression.pool.workers, jobs.length);
    const { isQuiet } = options;
    const isJson = options.format !== 'text';
    const console = await ImageConsole.open({ jobs, total, lanes, isJson, isQuiet, colour });
    const reporter = new Reporter(isCheck, console, openSink(console, options));
    for (const { shown, ...fault } of inputs.faults) reporter.refused(shown, fault);
    for (const { shown, sentence } of inputs.misnamed) reporter.sink.misnamed(shown, sentence);
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
    this.totals.add(report);
    this.sink.result(job, report, ms);
    this.ended(job, wasCompressed);
  }

  upToDate(job: Job, report: RememberedReport, ms: number): void {
    // A check reports an earlier result like a new one.
    if (this.isCheck) return this.done(job, report, ms, false);
    this.upToDateCount++;
    this.sink.upToDate(job, report, ms);
    this.ended(job, false);
  }

  leftAlone(job: Job, image: LeftAlone): void {
    this.leftAloneCount[image.reason]++;
    this.sink.leftAlone(job, image);
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
    this.sink.failed(shown, failure);
    this.moveBar();
  }

  private ended(job: Job, wasCompressed: boolean): void {
    this.console.ended(job, wasCompressed);
    this.moveBar();
  }

  private moveBar(): void {
    const { saved, bytesSaved } = this.totals;
    this.console.progress(this.files + this.failures, this.isCheck ? bytesSaved : saved);
  }
}
