/** Counts the files of the sets, passes an entry for each on to a sink, and moves the bar. */
import type { OutputOptions } from '../options';
import type { SetDescription } from '../../compression/application/sets/make-set';
import type { Variant } from '../../compression/domain/sets/set-plan';
import { scoreText } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Fault } from '../images/file-faults';
import { failureEntry, sentenceLine } from '../report/entries';
import { asPlainLine } from '../report/line-layout';
import type { ResultLine } from '../report/result-line';
import { openSink, type Sink } from '../report/sinks';
import { asSize } from '../report/totals';
import { type Colours, coloursFor, type Console, openConsole } from '../terminal/console';
import { printable, printableLines } from '../terminal/printable';
import { placeOf, type SetEvents, type SetJob, type SetSettings } from './make-sets';

interface Task extends Pick<SetSettings, 'output'> {
  /** Number of files at most. */
  readonly total: number;
  readonly options: OutputOptions & { readonly html?: boolean };
}

export class SetReporter implements SetEvents {
  readonly descriptions = new Map<string, SetDescription>();
  failures = 0;
  private files = 0;
  private known = 0;
  private bytes = 0;
  private readonly markup: string[] = [];
  private readonly console: Console;
  private readonly sink: Sink;

  constructor(private readonly task: Task) {
    const { json = false, html = false } = task.options;
    const console = openConsole({ total: task.total, isJson: json || html, timeLeft: () => undefined });
    const plain = (line: ResultLine) => asPlainLine(line, coloursFor(process.stdout, { color: false }));
    const screen = {
      show: (line: ResultLine) => console.result(plain(line)),
      fault: (line: ResultLine) => console.fault(plain(line)),
      print: (text: string) => console.result(text),
    };
    this.console = console;
    this.sink = openSink(screen, json ? 'json' : 'text', html);
  }

  done(job: SetJob, variant: Variant, report: RememberedReport): void {
    const { shown } = placeOf(job, variant, this.task);
    const { dimensions, compressedSize: bytes, quality, score } = report;
    const { format, density } = variant;
    this.files++;
    this.bytes += bytes;
    const ssim = scoreText(score);
    const sides = `${dimensions.width}x${dimensions.height}`;
    const words = `${bytes} bytes, ${sides}, score ${ssim}${density > 1 ? ` at density ${density}` : ''}`;
    const result = { bytes, quality, ssim: Number(ssim), density };
    const json = { input: job.input.shown, output: shown, format, ...dimensions, ...result };
    this.sink({ line: sentenceLine(shown, words), json });
    this.moveBar();
  }

  upToDate(): void {
    this.known++;
    this.moveBar();
  }

  finished(job: SetJob, description: SetDescription): void {
    this.descriptions.set(job.key, description);
    this.markup.push(description.markup);
    const { shown: input } = job.input;
    for (const { width, density } of description.leftOut) {
      const words = 'left out: wider than the image or MAX_DIMENSION_PX, or another size of an animation';
      const line = sentenceLine(input, `a width of ${width} px is ${words}.`);
      this.sink({ line, json: { input, leftOut: { width, density } } });
    }
    for (const note of description.notes)
      this.sink({ line: sentenceLine('', printable(note)), json: { input, note } });
  }

  failed({ input, key }: SetJob, fault: Fault, variant?: Variant): void {
    this.refused(variant ? placeOf({ input, key }, variant, this.task).shown : input.shown, fault);
  }

  refused(shown: string, fault: Fault): void {
    this.failures++;
    this.sink(failureEntry(shown, fault));
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

  private moveBar(): void {
    this.console.progress(this.files + this.known + this.failures, `, ${asSize(this.bytes)}`);
  }
}
