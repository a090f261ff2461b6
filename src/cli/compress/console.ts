/** Where the words go: results to standard output, everything else to standard error, a bar only on a terminal. */
import { MultiBar, Presets } from 'cli-progress';
import { asSize } from './report-lines';

export interface Console {
  /** One line about an image that is done. */
  result(line: string): void;
  fault(line: string): void;
  progress(savedBytes: number): void;
  stop(): void;
}

/** @param isJson results are for a program: they appear whatever the terminal shows besides */
export function openConsole(total: number, isJson: boolean): Console {
  const isWatched = process.stderr.isTTY && total > 1 && !(isJson && process.stdout.isTTY);
  return isWatched ? bar(total) : plain();
}

function plain(): Console {
  return {
    result: (line) => process.stdout.write(`${line}\n`),
    fault: (line) => process.stderr.write(`${line}\n`),
    progress: () => undefined,
    stop: () => undefined,
  };
}

/** With results on the same terminal the bar and the table say enough; in a file or a pipe they are wanted. */
function bar(total: number): Console {
  const bars = new MultiBar(
    {
      format: '{bar} {value} of {total}, {saved} saved, {eta_formatted} left',
      stream: process.stderr,
      // Ctrl-C is handled where the work is.
      gracefulExit: false,
      hideCursor: false,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  const single = bars.create(total, 0, { saved: asSize(0) });
  return {
    result: (line) => {
      if (!process.stdout.isTTY) process.stdout.write(`${line}\n`);
    },
    fault: (line) => bars.log(`${line}\n`),
    progress: (savedBytes) => single.increment({ saved: asSize(savedBytes) }),
    stop: () => bars.stop(),
  };
}
