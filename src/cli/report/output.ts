/**
 * What a command prints: results on standard output, failures and a progress bar on standard error. Names of
 * files come from strangers, so they are written out where a terminal or a runner could obey them.
 */
import { relative } from 'node:path';
import { styleText } from 'node:util';
import { Format, MultiBar, Presets, type SingleBar } from 'cli-progress';
import { userFolder, userPath } from '../../environment/settings-slice';
import type { Fault } from '../images/file-faults';
import { printable, printableJson } from './printable';

export const REPORTS = ['text', 'json', 'github', 'sarif'] as const;
export type ReportForm = (typeof REPORTS)[number];

/** What is printed about one file, in every form. */
export interface Entry {
  readonly name: string;
  /** Absent if it is not worth a line to people. */
  readonly words?: string | undefined;
  readonly tone?: 'smaller' | 'failed' | undefined;
  readonly json: object;
  readonly annotation?: Annotation | undefined;
}

/** What GitHub shows beside a file of a pull request. */
interface Annotation {
  readonly level: 'warning' | 'error';
  readonly path: string;
  readonly title: string;
}

/** --color or --no-color; absent if neither was given. */
export interface ColourOption {
  readonly color?: boolean | undefined;
}

interface OutputOptions extends ColourOption {
  readonly form: ReportForm;
  readonly total: number;
  readonly isQuiet?: boolean | undefined;
}

export class Output {
  failures = 0;
  /** SARIF is written when all are known. */
  readonly annotated: Entry[] = [];
  private readonly bars: MultiBar | undefined;
  private readonly bar: SingleBar | undefined;

  constructor(private readonly options: OutputOptions) {
    const { total, form, isQuiet } = options;
    // A bar between JSON lines on a terminal would only disturb.
    if (!process.stderr.isTTY || total < 2 || isQuiet || (form === 'json' && process.stdout.isTTY)) return;
    this.bars = new MultiBar(BAR, Presets.shades_classic);
    this.bar = this.bars.create(total, 0, { words: '' });
  }

  write(entry: Entry) {
    const { form, isQuiet } = this.options;
    const isFault = entry.tone === 'failed';
    if (isQuiet && !isFault) return;
    if (form === 'json') this.print(printableJson(entry.json));
    else if (form === 'sarif') this.annotated.push(entry);
    else if (form === 'github' && entry.annotation) this.print(annotationText(entry, entry.annotation));
    else if (entry.words === undefined) return;
    else if (isFault) this.printOn(process.stderr, asText(entry, process.stderr, this.options));
    else this.print(asText(entry, process.stdout, this.options));
  }

  fail(input: string, fault: Fault) {
    this.failures++;
    this.write(failureEntry(input, fault));
    this.bar?.increment();
  }

  print(line: string) {
    this.printOn(process.stdout, line);
  }

  progress(done: number, words: string) {
    this.bar?.update(done + this.failures, { words });
  }

  /** Removes the bar. Printing goes on without it. */
  stop() {
    // Lines are held until the bar is drawn again.
    this.bars?.update();
    this.bars?.stop();
  }

  private printOn(stream: NodeJS.WriteStream, line: string) {
    if (this.bars && stream.isTTY) this.bars.log(`${line}\n`);
    else stream.write(`${line}\n`);
  }
}

export function failureEntry(input: string, { code, sentence, output }: Fault): Entry {
  return {
    name: output ?? input,
    // A sentence may name a file beside the image.
    words: printable(sentence),
    tone: 'failed',
    json: { input, output, error: code, message: sentence },
    annotation: { level: 'error', path: userPath(input), title: 'Image cannot be checked' },
  };
}

const BAR: ConstructorParameters<typeof MultiBar>[0] = {
  format: '{bar} {value} of {total}{words}{eta_formatted}',
  barsize: 20,
  formatTime: (seconds: unknown, options, step) =>
    typeof seconds === 'number' ? `, ${Format.TimeFormat(seconds, options, step)} left` : '',
  stream: process.stderr,
  // The command stops cleanly itself.
  gracefulExit: false,
  linewrap: true,
  forceRedraw: true,
  clearOnComplete: true,
};

export function asText({ name, words = '', tone }: Entry, stream: NodeJS.WriteStream, option: ColourOption) {
  const painted = tone ? paint(tone === 'smaller' ? 'green' : 'red', words, stream, option) : words;
  return name === '' ? painted : `${printable(name)}: ${painted}`;
}

/** A workflow command of GitHub Actions in one line; what a terminal or runner could obey is written out, also in the path. */
function annotationText({ name, words = '' }: Entry, { level, path, title }: Annotation) {
  const message = escaped(`${printable(name)}: ${words}`);
  return `::${level} file=${printable(escapedProperty(checkoutPath(path)))},title=${escapedProperty(title)}::${printable(message)}`;
}

/** Returns the path below the top of a runner's checkout, or else below the user's folder. */
export const checkoutPath = (path: string) => relative(process.env['GITHUB_WORKSPACE'] ?? userFolder, path);

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands: as its toolkit does it. */
function escaped(text: string) {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapedProperty(text: string) {
  return escaped(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** The option decides, then NO_COLOR and FORCE_COLOR, then the terminal. */
export function paint(
  style: 'bold' | 'green' | 'red',
  text: string,
  stream: NodeJS.WriteStream,
  { color }: ColourOption,
): string {
  return color === false ? text : styleText(style, text, { stream, validateStream: color === undefined });
}
