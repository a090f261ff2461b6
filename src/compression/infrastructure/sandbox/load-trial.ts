/**
 * Loads what a worker loads. Prints a line of JSON for each package that it loads, then one for the outcome.
 * Run as: node load-trial.js ENGINE [MODULE...]
 * It shows which shared libraries a worker needs, and whether a sandbox lets them load.
 */
import { writeSync } from 'node:fs';
import { messageOf } from '../../../contract/problem';
import { loadingFault } from '../../packages/codec-package';
import { loadCodecs } from '../codecs/engines';

export type LoadOutcome = { readonly libraries: readonly string[] } | { readonly fault: string };
/** A line of the output. Packages may print other lines. */
export type TrialLine = LoadOutcome | { readonly loading: string };

async function load(engine: string, modules: readonly string[]): Promise<LoadOutcome> {
  try {
    await loadCodecs(engine, modules, (path) => {
      loading = path;
      print({ loading });
    });
    const { sharedObjects } = process.report.getReport() as { readonly sharedObjects: readonly string[] };
    return { libraries: sharedObjects };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

function print(line: TrialLine): void {
  writeSync(1, `\n${JSON.stringify(line)}\n`);
}

const [, , engine, ...modules] = process.argv;
let loading: string | undefined;
// Nothing is left to wait for, but a package has not finished.
process.on('beforeExit', () => {
  if (loading !== undefined) print({ fault: loadingFault(loading) });
});
void load(engine, modules).then((outcome) => {
  print(outcome);
  // A package may have left a timer.
  process.exit();
});
