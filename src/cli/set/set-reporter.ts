/** Prints what happens to each file of the sets, and moves the bar. */
import type { SetDescription } from '../../compression/application/sets/run-set';
import type { Variant } from '../../compression/domain/sets/set-plan';
import { scoreText } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Fault } from '../images/file-faults';
import { asSize } from '../report/totals';
import type { Colours } from '../terminal/colours';
import { openConsole, type Console } from '../terminal/console';
import { printable, printableJson, printableLines } from '../terminal/printable';
import { placeOf, type SetEvents, type SetJob, type SetSettings } from './make-sets';

interface Task extends Pick<SetSettings, 'output'> {
  /** Number of files at most. */
  readonly total: number;
  readonly options: { readonly json?: boolean; readonly html?: boolean };
}

export class SetReporter implements SetEvents {
  sets = 0;
  failures = 0;
  private files = 0;
  private known = 0;
  private bytes = 0;
  private readonly markup: string[] = [];
  private readonly console: Console;

  /** @param descriptions receives each finished set */
  constructor(
    private readonly task: Task,
    private readonly descriptions: Record<string, SetDescription | undefined>,
  ) {
    const isJson = task.options.json === true || task.options.html === true;
    this.console = openConsole({ total: task.total, isJson, timeLeft: () => undefined });
  }

  done(job: SetJob, variant: Variant, report: RememberedReport): void {
    const { shown } = placeOf(job, variant, this.task);
    const { dimensions, compressedSize, quality, score } = report;
    const { format, density } = variant;
    this.files++;
    this.bytes += compressedSize;
    const ssim = scoreText(score);
    const more = { ...(quality === undefined ? {} : { quality }), ssim: Number(ssim), density };
    this.print(
      `${printable(shown)}: ${compressedSize} bytes, ${dimensions.width}x${dimensions.height}, score ${ssim}${density > 1 ? ` at density ${density}` : ''}`,
      { input: job.input.shown, output: shown, format, ...dimensions, bytes: compressedSize, ...more },
    );
    this.moveBar();
  }

  upToDate(): void {
    this.known++;
    this.moveBar();
  }

  finished(job: SetJob, description: SetDescription): void {
    this.sets++;
    this.descriptions[job.key] = description;
    this.markup.push(description.markup);
    const { shown } = job.input;
    for (const { width, density } of description.leftOut) {
      const words = 'left out: wider than the image or MAX_DIMENSION_PX, or another size of an animation';
      this.print(`${printable(shown)}: a width of ${width} px is ${words}.`, {
        input: shown,
        leftOut: { width, density },
      });
    }
    for (const note of description.notes) this.print(printable(note), { input: shown, note });
  }

  failed({ input, key }: SetJob, fault: Fault, variant?: Variant): void {
    this.refused(variant ? placeOf({ input, key }, variant, this.task).shown : input.shown, fault);
  }

  refused(shown: string, { code, sentence, output = shown }: Fault): void {
    this.failures++;
    const line = this.task.options.json
      ? printableJson({ input: shown, error: code, message: sentence })
      : `${printable(output)}: ${printable(sentence)}`;
    if (this.task.options.json) this.console.result(line);
    else this.console.fault(line);
    this.moveBar();
  }

  stop(): void {
    this.console.stop();
  }

  summarise(colours: Colours): void {
    const { json, html } = this.task.options;
    if (json) return;
    if (html) {
      if (this.markup.length > 0) process.stdout.write(`${printableLines(this.markup.join('\n'))}\n`);
      return;
    }
    const parts = [
      `${this.files} ${this.files === 1 ? 'file' : 'files'} made, ${asSize(this.bytes)}`,
      ...(this.known > 0 ? [`${this.known} already up to date`] : []),
    ];
    process.stdout.write(`${colours.bold(`${parts.join('; ')}.`)}\n`);
  }

  /** Prints a line for people, or an object for programs. */
  private print(line: string, facts: object): void {
    const { json, html } = this.task.options;
    if (json) this.console.result(printableJson(facts));
    else if (!html) this.console.result(line);
  }

  private moveBar(): void {
    this.console.progress(this.files + this.known + this.failures, `, ${asSize(this.bytes)}`);
  }
}
