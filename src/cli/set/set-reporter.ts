import type { OutputOptions } from '../options';
import type { SetDescription } from '../../compression/application/sets/make-set';
import type { Variant } from '../../compression/domain/sets/set-plan';
import { scoreText, shownSizeText } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Fault } from '../images/file-faults';
import { failureEntry } from '../report/entries';
import { Output, paint } from '../report/output';
import { printable, printableLines } from '../report/printable';
import { asSize } from '../report/totals';
import type { SetSettings } from './make-sets';
import { placeOf, type SetJob } from './set-job';

interface Task extends Pick<SetSettings, 'output'> {
  readonly total: number;
  readonly options: OutputOptions & { readonly html?: boolean };
}

export class SetReporter {
  readonly descriptions = new Map<string, SetDescription>();
  failures = 0;
  private files = 0;
  private known = 0;
  private bytes = 0;
  private readonly output: Output;

  constructor(private readonly task: Task) {
    const { total, options } = task;
    const { json, html, color } = options;
    this.output = new Output({ form: json ? 'json' : 'text', isQuiet: html, total, color });
  }

  done(job: SetJob, variant: Variant, report: RememberedReport): void {
    const { shown } = placeOf(job, variant, this.task);
    const { dimensions, compressedSize: bytes, quality } = report;
    const { format, density } = variant;
    this.files++;
    this.bytes += bytes;
    const ssim = scoreText(report.score);
    const seen = density > 1 ? ` at ${shownSizeText(density, dimensions.width)}` : '';
    const words = `${bytes} bytes, ${dimensions.width}x${dimensions.height}, score ${ssim}${seen}`;
    const result = { format, ...dimensions, bytes, quality, ssim: Number(ssim), density };
    this.output.write({ name: shown, words, json: { input: job.input.shown, output: shown, ...result } });
    this.moveBar();
  }

  upToDate(): void {
    this.known++;
    this.moveBar();
  }

  finished(job: SetJob, description: SetDescription): void {
    this.descriptions.set(job.key, description);
    const { shown: input } = job.input;
    for (const { width, density } of description.leftOut) {
      const words = `a width of ${width} px is left out: wider than the image or MAX_DIMENSION_PX, or another size of an animation.`;
      // The markup alone goes to standard output.
      if (this.task.options.html) process.stderr.write(`${printable(input)}: ${words}\n`);
      this.output.write({ name: input, words, json: { input, leftOut: { width, density } } });
    }
    for (const note of description.notes)
      this.output.write({ name: '', words: printable(note), json: { input, note } });
  }

  /** @param variant absent when the whole set failed */
  failed(job: SetJob, fault: Fault, variant?: Variant): void {
    this.refused(variant ? placeOf(job, variant, this.task).shown : job.input.shown, fault);
  }

  refused(shown: string, fault: Fault): void {
    this.failures++;
    this.output.write(failureEntry(shown, fault));
    this.moveBar();
  }

  stop(): void {
    this.output.stop();
  }

  summarise(): void {
    const { json, html } = this.task.options;
    if (json) return;
    if (html) {
      const markup = [...this.descriptions.values()].map((description) => description.markup);
      if (markup.length > 0) this.output.print(printableLines(markup.join('\n')));
      return;
    }
    const made = `${this.files} ${this.files === 1 ? 'file' : 'files'} made, ${asSize(this.bytes)}`;
    const known = this.known > 0 ? `; ${this.known} already up to date` : '';
    this.output.print(paint('bold', `${made}${known}.`, process.stdout, this.task.options));
  }

  private moveBar(): void {
    this.output.progress(this.files + this.known + this.failures, `, ${asSize(this.bytes)}`);
  }
}
