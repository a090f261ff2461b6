/**
 * Prints results to standard output and everything else to standard error. On a terminal each image gets a short line
 * when it is done, above a bar with the time that is left.
 */
import type { WriteStream } from 'node:tty';
import { MultiBar, Presets } from 'cli-progress';
import { createColors } from 'picocolors';

export interface Console {
  /** Prints a line about an image. @param brief returns the line for a terminal with that many columns */
  result(full: string, brief?: Brief): void;
  fault(full: string, brief?: Brief): void;
  /** Moves the bar on. */
  progress(done: number, words: string): void;
  stop(): void;
}

type Brief = (columns: number) => string;

export interface ConsoleOptions {
  /** Number of images, unusable inputs included. */
  readonly total: number;
  /** Whether the results are for a program. They are printed even if a bar cannot be shown then. */
  readonly isJson: boolean;
  /** Whether only failures are printed. */
  readonly isQuiet?: boolean | undefined;
  /** Returns the time that is left, in milliseconds; undefined while it is not known. */
  readonly timeLeft: () => number | undefined;
}

/** For terminals that do not report their width. */
const USUAL_COLUMNS = 80;
const WIDEST_BAR = 40;
const NARROWEST_BAR = 5;

/** Returns whether a bar is shown: not in a file or a pipe, and not for one image. */
export function isWatched({ total, isJson, isQuiet }: Omit<ConsoleOptions, 'timeLeft'>): boolean {
  return process.stderr.isTTY && total > 1 && !isQuiet && !(isJson && process.stdout.isTTY);
}

export function openConsole(options: ConsoleOptions): Console {
  return isWatched(options) ? watched(options) : plain();
}

function plain(): Console {
  return {
    result: (full) => process.stdout.write(`${full}\n`),
    fault: (full) => process.stderr.write(`${full}\n`),
    progress: () => undefined,
    stop: () => undefined,
  };
}

function watched({ total, timeLeft }: ConsoleOptions): Console {
  const bars = new MultiBar(
    {
      format: (_options, { progress, value }, { words }: { words: string }) =>
        barLine(progress, `${value} of ${total}${words}${asTimeLeft(timeLeft())}`),
      stream: process.stderr,
      // runJobs handles Ctrl-C.
      gracefulExit: false,
      hideCursor: false,
      // The terminal wraps long lines instead of cutting them.
      linewrap: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  const bar = bars.create(total, 0, { words: '' });
  let isTimed = false;
  const show = (full: string, brief: Brief = () => full) => bars.log(`${brief(width())}\n`);
  return {
    result: (full, brief) => {
      if (process.stdout.isTTY) show(full, brief);
      else process.stdout.write(`${full}\n`);
    },
    fault: show,
    progress: (done, words) => {
      bar.update(done, { words });
      // The bar is drawn ten times a second. The rest may be done sooner, so the first time is shown at once.
      if (isTimed || timeLeft() === undefined) return;
      isTimed = true;
      bars.update();
    },
    stop: () => {
      // Prints the last lines, which are held until the bar is drawn again.
      bars.update();
      bars.stop();
    },
  };
}

/** Returns one line, however narrow the terminal: the bar gets the rest of the width. */
function barLine(progress: number, words: string): string {
  const room = Math.min(WIDEST_BAR, width() - words.length - 2);
  if (room < NARROWEST_BAR) return words;
  const done = Math.round(Math.min(1, progress) * room);
  return `${'█'.repeat(done)}${'░'.repeat(room - done)} ${words}`;
}

function width(): number {
  return process.stderr.columns || USUAL_COLUMNS;
}

/** Rounded up: better too long than too short. */
function asTimeLeft(ms: number | undefined): string {
  if (ms === undefined) return '';
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `, ${seconds} s left`;
  if (seconds < 3600) return `, ${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
  return `, ${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min left`;
}

export type Colours = ReturnType<typeof createColors>;

export interface ColourOption {
  /** --color or --no-color; absent if neither was given. */
  readonly color?: boolean;
}

/** The options decide, then NO_COLOR and FORCE_COLOR, then the terminal. */
export function coloursFor(stream: Partial<WriteStream>, { color }: ColourOption): Colours {
  return createColors(color ?? isWanted(stream, process.env));
}

function isWanted(stream: Partial<WriteStream>, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  // https://no-color.org: any value but the empty one.
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}
