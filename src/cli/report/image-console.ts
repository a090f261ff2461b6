/** The console of a command about images: a line for each, and a bar that shows how long the rest will take. */
import stringWidth from 'string-width';
import { glanceAt } from '../images/glance';
import type { Job } from '../images/run-jobs';
import {
  type ColourOption,
  type Colours,
  coloursFor,
  type Console,
  type ConsoleOptions,
  isWatched,
  openConsole,
} from '../terminal/console';
import { TimeLeft, type Work } from '../terminal/time-left';
import { asPlainLine, asTerminalLines, RESULT_WIDTH } from './line-layout';
import type { ResultLine } from './result-line';
import { printable } from '../terminal/printable';
import { asSize } from './totals';

export interface ImageConsoleOptions extends Omit<ConsoleOptions, 'timeLeft'> {
  readonly jobs: readonly Job[];
  /** Images at a time. */
  readonly lanes: number;
  readonly colour: ColourOption;
}

export class ImageConsole {
  /** Colours of standard output. */
  readonly colours: Colours;
  private readonly faultColours: Colours;
  private readonly nameWidths: readonly number[];
  /** By the width of the terminal, which may change. */
  private readonly nameColumns = new Map<number, number>();

  private constructor(
    private readonly console: Console,
    private readonly timeLeft: TimeLeft<Job>,
    options: ImageConsoleOptions,
  ) {
    this.nameWidths = options.jobs.map(({ input }) => stringWidth(printable(input.shown)));
    this.colours = coloursFor(process.stdout, options.colour);
    this.faultColours = coloursFor(process.stderr, options.colour);
  }

  static async open(options: ImageConsoleOptions): Promise<ImageConsole> {
    const works = isWatched(options) ? await worksOf(options.jobs) : [];
    const timeLeft = new TimeLeft(works, Math.max(1, options.lanes));
    const now = () => timeLeft.milliseconds(performance.now());
    return new ImageConsole(openConsole({ ...options, timeLeft: now }), timeLeft, options);
  }

  began(job: Job): void {
    this.timeLeft.began(job, performance.now());
  }

  /** @param wasCompressed false for an image that no worker compressed */
  ended(job: Job, wasCompressed: boolean): void {
    this.timeLeft.ended(job, performance.now(), wasCompressed);
  }

  show(line: ResultLine): void {
    const { colours } = this;
    this.console.result(asPlainLine(line, colours), this.brief(line, colours));
  }

  fault(line: ResultLine): void {
    const colours = this.faultColours;
    this.console.fault(asPlainLine(line, colours), this.brief(line, colours));
  }

  private brief(line: ResultLine, colours: Colours) {
    return (columns: number) =>
      asTerminalLines(line, { columns, nameColumn: this.nameColumn(columns) }, colours);
  }

  /** The widest of the names that leave room for a result beside them. */
  private nameColumn(columns: number): number {
    const known = this.nameColumns.get(columns);
    if (known !== undefined) return known;
    const fitting = this.nameWidths.filter((width) => width <= columns - RESULT_WIDTH);
    const widest = fitting.reduce((a, b) => Math.max(a, b), 0);
    this.nameColumns.set(columns, widest);
    return widest;
  }

  /** Prints a line for a program, as it is. */
  print(line: string): void {
    this.console.result(line);
  }

  /** Moves the bar on. */
  progress(done: number, savedBytes: number): void {
    this.console.progress(done, `, ${asSize(Math.max(0, savedBytes))} saved`);
  }

  stop(): void {
    this.console.stop();
  }
}

async function worksOf(jobs: readonly Job[]): Promise<[Job, Work][]> {
  const works: [Job, Work][] = [];
  for (const job of jobs) {
    const glance = await glanceAt(job.input.path);
    if (glance && glance !== 'unreadable') works.push([job, glance]);
  }
  return works;
}
