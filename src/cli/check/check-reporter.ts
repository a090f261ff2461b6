/** Reports which images could be smaller, or were made smaller: in words, in JSON, or as annotations for GitHub. */
import { resolve } from 'node:path';
import type { Settings } from '../../settings/settings';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, JobEvents, LeftAlone } from '../images/run-jobs';
import type { Sources } from '../images/sources';
import { ImageConsole } from '../report/image-console';
import { failureJson, leftAloneJson, resultJson, type Failure } from '../report/json-lines';
import { failureLine, leftAloneLine, resultLine, type ResultLine } from '../report/result-line';
import { asChange, asSize } from '../report/totals';
import type { ColourOption } from '../terminal/colours';
import { userFolder } from '../cli-settings';
import { annotation, type Level } from './annotations';

export const FORMATS = ['text', 'json', 'github'] as const;
export type Format = (typeof FORMATS)[number];

interface Task {
  readonly jobs: readonly Job[];
  readonly sources: Sources;
  readonly settings: Settings;
  readonly format: Format;
  readonly isFixing: boolean;
  readonly colour: ColourOption;
}

export class CheckReporter implements JobEvents {
  /** Number of images checked. */
  checked = 0;
  failures = 0;
  /** Number of images that could be smaller, or were made smaller. */
  findings = 0;
  /** Bytes that could be saved, or were saved. */
  savings = 0;
  private bytes = 0;

  private constructor(
    private readonly task: Task,
    private readonly console: ImageConsole,
  ) {}

  /** Reports at once what was typed but cannot be used. */
  static async open(task: Task): Promise<CheckReporter> {
    const { jobs, sources, settings, format, colour } = task;
    const lanes = Math.min(settings.compression.pool.workers, jobs.length);
    const isJson = format !== 'text';
    const console = await ImageConsole.open({ jobs, total: jobs.length, lanes, isJson, colour });
    const reporter = new CheckReporter(task, console);
    for (const { shown, ...fault } of sources.faults) reporter.refused(shown, fault);
    return reporter;
  }

  began(job: Job): void {
    this.console.began(job);
  }

  done(job: Job, report: RememberedReport, ms: number): void {
    this.looked(job, report, ms, true);
  }

  upToDate(job: Job, report: RememberedReport, ms: number): void {
    this.looked(job, report, ms, false);
  }

  leftAlone(job: Job, image: LeftAlone): void {
    this.checked++;
    const { maxDimensionPx } = this.task.settings.compression.policy;
    if (this.task.format === 'json') this.console.print(leftAloneJson(job, image));
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

  /** Prints the totals at the end; nothing in JSON. */
  summarise(): void {
    const { checked, findings, savings, bytes } = this;
    const { format, isFixing } = this.task;
    if (format === 'json') return;
    const total = `${checked} ${checked === 1 ? 'image' : 'images'} checked`;
    const change = `by ${asSize(savings)} in total (${asChange(bytes, bytes - savings)})`;
    const verdict = isFixing ? 'made smaller' : 'could be smaller';
    process.stdout.write(
      `${total}: ${findings > 0 ? `${findings} ${verdict}, ${change}` : `none ${verdict}`}.\n`,
    );
  }

  private looked(job: Job, report: RememberedReport, ms: number, wasCompressed: boolean): void {
    const { settings, format, isFixing } = this.task;
    this.checked++;
    this.bytes += report.originalSize;
    const isFinding = report.skipReason === undefined;
    if (isFinding) {
      this.findings++;
      this.savings += report.bytesSaved;
    }
    if (format === 'json') this.console.print(resultJson(job, report, ms));
    else if (isFinding) {
      const { keepMetadata } = settings.compression.policy;
      const line = resultLine(job, report, { ms, keepMetadata, isPossible: !isFixing });
      const title = isFixing ? 'Image made smaller' : 'Image could be smaller';
      this.tell('warning', job.source.path, title, line);
    }
    this.ended(job, wasCompressed);
  }

  private refused(shown: string, failure: Failure): void {
    this.failures++;
    if (this.task.format === 'json') return this.console.print(failureJson(shown, failure));
    const line = failureLine(shown, failure.sentence);
    this.tell('error', resolve(userFolder, shown), 'Image cannot be checked', line);
  }

  private tell(level: Level, path: string, title: string, line: ResultLine): void {
    if (this.task.format === 'github') {
      this.console.print(
        annotation(level, path, title, `${line.name}: ${line.brief.join(', ')}`, userFolder),
      );
    } else if (level === 'error') this.console.fault(line);
    else this.console.show(line);
  }

  private ended(job: Job, wasCompressed: boolean): void {
    this.console.ended(job, wasCompressed);
    this.console.progress(this.checked + this.failures, this.savings);
  }
}
