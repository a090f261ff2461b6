/** The console of a command about images: lines about each, and a bar that knows how long the rest will take. */
import { glanceAt } from '../images/glance';
import type { Job } from '../images/run-jobs';
import { coloursFor, type Colours, type ColourOption } from '../terminal/colours';
import { isWatched, openConsole, type Console } from '../terminal/console';
import { TimeLeft, type Work } from '../terminal/time-left';
import { asPlainLine, asTerminalLines, type ResultLine } from './result-line';
import { asSize } from './totals';

export interface ImageConsoleOptions extends ColourOption {
  readonly jobs: readonly Job[];
  /** Images altogether, with those that turned out to be none. */
  readonly total: number;
  /** Images at a time. */
  readonly lanes: number;
  /** Results are for a program. */
  readonly isJson: boolean;
}

export class ImageConsole {
  /** Colours of standard output. */
  readonly colours: Colours;
  private readonly faultColours: Colours;

  private constructor(
    private readonly console: Console,
    private readonly timeLeft: TimeLeft<Job>,
    options: ColourOption,
  ) {
    this.colours = coloursFor(process.stdout, options);
    this.faultColours = coloursFor(process.stderr, options);
  }

  static async open(options: ImageConsoleOptions): Promise<ImageConsole> {
    const works = isWatched(options) ? await worksOf(options.jobs) : [];
    const timeLeft = new TimeLeft(works, Math.max(1, options.lanes));
    const { total, isJson } = options;
    const now = () => timeLeft.milliseconds(performance.now());
    return new ImageConsole(openConsole({ total, isJson, timeLeft: now }), timeLeft, options);
  }

  began(job: Job): void {
    this.timeLeft.began(job, performance.now());
  }

  /** @param wasCompressed false for an image that took no work */
  ended(job: Job, wasCompressed: boolean): void {
    this.timeLeft.ended(job, performance.now(), wasCompressed);
  }

  show(line: ResultLine): void {
    const { colours } = this;
    this.console.result(asPlainLine(line, colours), (columns) => asTerminalLines(line, columns, colours));
  }

  fault(line: ResultLine): void {
    const colours = this.faultColours;
    this.console.fault(asPlainLine(line, colours), (columns) => asTerminalLines(line, columns, colours));
  }

  /** A line for a program, as it is. */
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
    const glance = await glanceAt(job.source.path);
    if (glance && glance !== 'unreadable') works.push([job, glance]);
  }
  return works;
}
