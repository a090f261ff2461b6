/** Reports what happens to each image, and the totals: in words or in JSON. */
import { UPLOADS } from '../../contract/formats';
import type { Settings } from '../../settings/settings';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, JobEvents, LeftAlone } from '../images/run-jobs';
import type { Sources } from '../images/sources';
import { ImageConsole } from '../report/image-console';
import { failureJson, leftAloneJson, misnamedJson, resultJson, type Failure } from '../report/json-lines';
import { failureLine, leftAloneLine, misnamedLine, resultLine } from '../report/result-line';
import { asSize, Totals } from '../report/totals';
import type { ColourOption } from '../terminal/colours';

interface Task {
  readonly jobs: readonly Job[];
  readonly sources: Sources;
  readonly settings: Settings;
  readonly options: ColourOption & { readonly json?: boolean; readonly dryRun?: boolean };
}

export class Reporter implements JobEvents {
  private readonly totals = new Totals();
  private readonly leftAloneCount = { 'would-be-scaled': 0, 'has-editor-layers': 0 };
  private upToDateCount = 0;
  failures = 0;

  private constructor(
    private readonly task: Task,
    private readonly console: ImageConsole,
  ) {}

  /** Reports at once what was typed but cannot be used, and which files are named like images but are not. */
  static async open(task: Task): Promise<Reporter> {
    const { jobs, sources, settings, options } = task;
    const total = jobs.length + sources.faults.length;
    const lanes = Math.min(settings.compression.pool.workers, jobs.length);
    const isJson = options.json === true;
    const console = await ImageConsole.open({ jobs, total, lanes, isJson, colour: options });
    const reporter = new Reporter(task, console);
    for (const { shown, ...fault } of sources.faults) reporter.refused(shown, fault);
    for (const { shown, sentence } of sources.misnamed) reporter.skipped(shown, sentence);
    return reporter;
  }

  /** Number of images typed or found. */
  get total(): number {
    return this.task.jobs.length + this.task.sources.faults.length;
  }

  /** Number of images that are done. */
  get files(): number {
    const leftAlone = this.leftAloneCount['would-be-scaled'] + this.leftAloneCount['has-editor-layers'];
    return this.totals.all.files + leftAlone + this.upToDateCount;
  }

  began(job: Job): void {
    this.console.began(job);
  }

  done(job: Job, report: RememberedReport, ms: number): void {
    this.totals.add(report);
    const { keepMetadata } = this.task.settings.compression.policy;
    if (this.task.options.json) this.console.print(resultJson(job, report, ms));
    else this.console.show(resultLine(job, report, { ms, keepMetadata }));
    this.ended(job, true);
  }

  upToDate(job: Job, report: RememberedReport, ms: number): void {
    this.upToDateCount++;
    if (this.task.options.json) this.console.print(resultJson(job, report, ms, { upToDate: true }));
    this.ended(job, false);
  }

  leftAlone(job: Job, image: LeftAlone): void {
    this.leftAloneCount[image.reason]++;
    const { maxDimensionPx } = this.task.settings.compression.policy;
    if (this.task.options.json) this.console.print(leftAloneJson(job, image));
    else this.console.show(leftAloneLine(job, image, maxDimensionPx));
    this.ended(job, false);
  }

  failed(job: Job, failure: Failure): void {
    this.refused(job.source.shown, failure);
    this.ended(job, false);
  }

  stop(): void {
    this.console.stop();
  }

  /** Prints the table at the end; nothing for one image, or in JSON. */
  summarise(): void {
    const { json, dryRun } = this.task.options;
    const { passedOver, backups } = this.task.sources;
    if (json || this.total <= 1 || this.files === 0) return;
    const saved = asSize(Math.max(0, this.totals.saved));
    const { bold } = this.console.colours;
    const isWorkDone = this.totals.all.files > 0;
    const lines = [
      ...(isWorkDone ? ['', this.totals.table()] : []),
      ...(this.upToDateCount > 0 ? [`Already up to date: ${this.upToDateCount}.`] : []),
      ...(passedOver > 0 ? [`Skipped, ${UPLOADS.neitherNor}: ${passedOver}.`] : []),
      ...(backups > 0 ? [`Skipped, backups of originals: ${backups}.`] : []),
      ...leftAloneLines(this.leftAloneCount),
      ...(isWorkDone ? [bold(`${saved} ${dryRun ? 'would be saved; nothing was written' : 'saved'}.`)] : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  private skipped(shown: string, sentence: string): void {
    if (this.task.options.json) this.console.print(misnamedJson(shown, sentence));
    else this.console.show(misnamedLine(shown, sentence));
  }

  private refused(shown: string, failure: Failure): void {
    this.failures++;
    if (this.task.options.json) this.console.print(failureJson(shown, failure));
    else this.console.fault(failureLine(failure.output ?? shown, failure.sentence));
    this.moveBar();
  }

  private ended(job: Job, wasCompressed: boolean): void {
    this.console.ended(job, wasCompressed);
    this.moveBar();
  }

  private moveBar(): void {
    this.console.progress(this.files + this.failures, this.totals.saved);
  }
}

function leftAloneLines(count: Readonly<Record<LeftAlone['reason'], number>>): string[] {
  return [
    ['--max-dimension', count['would-be-scaled']] as const,
    ['--drop-layers', count['has-editor-layers']] as const,
  ].flatMap(([option, files]) =>
    files > 0 ? [`Left alone, because ${option} was not given: ${files}.`] : [],
  );
}
