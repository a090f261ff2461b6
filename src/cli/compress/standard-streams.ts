/** `-`: an image from standard input, or to standard output. All messages then go to standard error. */
import { fstatSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { CliFailure, UsageFault } from '../outcome';
import { settingsWith, type OutputOptions, type SettingOptions } from '../options';
import { faultOf, ofOutput } from '../images/file-faults';
import type { Job } from '../images/run-jobs';
import { writeWhole } from '../images/whole-file';
import type { Workshop } from '../images/workers';
import { coloursFor } from '../terminal/console';
import { printable, printableJson } from '../terminal/printable';
import { failureEntry, resultEntry } from '../report/entries';
import type { CompressOptions } from './plan';
import { asPlainLine } from '../report/line-layout';

export interface StreamOptions extends CompressOptions, SettingOptions, OutputOptions {
  readonly quiet?: boolean;
}

export function isStream(typed: readonly string[], { output }: CompressOptions): boolean {
  return typed.includes('-') || output === '-';
}

/** Checks the arguments, and returns the work for the workers. */
export function compressStream(typed: readonly string[], options: StreamOptions, from: string) {
  const [input] = typed;
  const output = options.output ?? '-';
  if (typed.length > 1) throw new UsageFault('- reads a single image. Leave out the other names.');
  if (options.inPlace || options.backup !== undefined || options.suffix !== undefined)
    throw new UsageFault(
      '- is standard input or output, which --in-place, --backup and --suffix cannot be used with. Leave them out.',
    );
  if (output === '-' && process.stdout.isTTY && !options.dryRun) {
    throw new UsageFault(
      'The image would be written to the terminal. Redirect it to a file or a pipe, or use -o FILE.',
    );
  }
  const shownInput = input === '-' ? 'standard input' : input;
  return async ({ running, signal }: Workshop): Promise<void> => {
    try {
      const start = performance.now();
      const bytes =
        input === '-'
          ? await buffer(addAbortSignal(signal, process.stdin))
          : await readFile(resolve(from, input));
      const { policy } = settingsWith(options).compression;
      const runner = await running();
      const result = await runner.run(bytes, { policy, signal, deadlineAt: Infinity });
      if (!options.dryRun) {
        if (output === '-') await writeToStandardOutput(result.bytes).catch(ofOutput('standard output'));
        else await writeWhole(resolve(from, output), result.bytes).catch(ofOutput(output));
      }
      if (options.quiet) return;
      const job: Job = {
        input: { path: input, root: from, shown: shownInput, below: basename(input) },
        output: options.dryRun ? undefined : { path: output, root: from, shown: output },
      };
      const { keepMetadata } = policy;
      const ms = Math.round(performance.now() - start);
      const { line, json } = resultEntry(job, result.report, { ms, keepMetadata });
      const text =
        options.json || !line ? printableJson(json) : asPlainLine(line, coloursFor(process.stderr, options));
      process.stderr.write(`${text}\n`);
    } catch (error) {
      if (signal.aborted) return;
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      if (!options.json) throw new CliFailure(`${printable(fault.output ?? shownInput)}: ${fault.sentence}`);
      throw new CliFailure(printableJson(failureEntry(shownInput, fault).json));
    }
  };
}

async function writeToStandardOutput(bytes: Uint8Array): Promise<void> {
  const { fd } = process.stdout;
  // On a full disk, the stream would drop the end of the file without an error: it does not repeat a short write.
  if (fstatSync(fd).isFile()) writeFileSync(fd, bytes);
  else await pipeline(Readable.from([bytes]), process.stdout, { end: false });
}
