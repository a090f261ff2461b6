/**
 * Counts the files of sets, prints an entry for each, and moves the bar. With --html the markup alone goes to
 * standard output.
 */
import type { SetDescription } from '../../sets/make-set';
import type { Variant } from '../../sets/set-plan';
import { scoreText, shownSizeText } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { OutputOptions } from '../options';
import { asText } from '../report/entries';
import { Output, paint } from '../report/output';
import { printable, printableLines } from '../report/printable';
import { asSize } from '../report/totals';

export class SetReporter {
  readonly descriptions = new Map<string, SetDescription>();
  readonly output: Output;
  private files = 0;
  private known = 0;
  private bytes = 0;

  constructor(
    total: number,
    private readonly options: OutputOptions & { readonly html?: boolean },
  ) {
    const { json, html, color } = options;
    this.output = new Output({ form: json ? 'json' : 'text', isQuiet: html, total, color });
  }

  done(input: string, output: string, { format, density }: Variant, report: RememberedReport) {
    const { dimensions, compressedSize: bytes, quality } = report;
    this.files++;
    this.bytes += bytes;
    const ssim = scoreText(report.score);
    const seen = density > 1 ? ` at ${shownSizeText(density, dimensions.width)}` : '';
    const words = `${bytes} bytes, ${asText(dimensions)}, score ${ssim}${seen}`;
    const result = { format, ...dimensions, bytes, quality, ssim: Number(ssim), density };
    this.output.write({ name: output, words, json: { input, output, ...result } });
    this.moveBar();
  }

  upToDate() {
    this.known++;
    this.moveBar();
  }

  finished(key: string, input: string, description: SetDescription) {
    this.descriptions.set(key, description);
    for (const { width, density } of description.leftOut) {
      const words = `a width of ${width} px is left out: wider than the image or MAX_DIMENSION_PX, or another size of an animation.`;
      // The markup alone goes to standard output.
      if (this.options.html) process.stderr.write(`${printable(input)}: ${words}\n`);
      this.output.write({ name: input, words, json: { input, leftOut: { width, density } } });
    }
    for (const note of description.notes)
      this.output.write({ name: '', words: printable(note), json: { input, note } });
  }

  /** Prints the markup, or how many files were made. */
  summarise() {
    const { json, html } = this.options;
    if (json) {
      const totals = {
        files: this.files,
        upToDate: this.known,
        bytes: this.bytes,
        failed: this.output.failures,
      };
      return this.output.print(JSON.stringify({ totals }));
    }
    if (html) {
      const markup = [...this.descriptions.values()].map((description) => description.markup);
      if (markup.length > 0) this.output.print(printableLines(markup.join('\n')));
      return;
    }
    const made = `${this.files} ${this.files === 1 ? 'file' : 'files'} made, ${asSize(this.bytes)}`;
    const known = this.known > 0 ? `; ${this.known} already up to date` : '';
    this.output.print(paint('bold', `${made}${known}.`, process.stdout, this.options));
  }

  private moveBar() {
    this.output.progress(this.files + this.known, `, ${asSize(this.bytes)}`);
  }
}
