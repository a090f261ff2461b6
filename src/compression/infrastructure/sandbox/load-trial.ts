/**
 * Loads what a worker loads, and prints its outcome as JSON. Run as: node load-trial.js ENGINE [MODULE...]
 * It shows which shared libraries a worker needs, and whether a sandbox lets them load.
 */
import { writeSync } from 'node:fs';
import { messageOf } from '../../../contract/problem';
import { loadCodecs } from '../codecs/engines';

export type LoadOutcome = { readonly libraries: readonly string[] } | { readonly fault: string };

async function load(engine: string, modules: readonly string[]): Promise<LoadOutcome> {
  try {
    await loadCodecs(engine, modules);
    const { sharedObjects } = process.report.getReport() as { readonly sharedObjects: readonly string[] };
    return { libraries: sharedObjects };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

const [, , engine, ...modules] = process.argv;
void load(engine, modules).then((outcome) => writeSync(1, JSON.stringify(outcome)));
