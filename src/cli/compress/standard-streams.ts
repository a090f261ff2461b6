/** `-`: an image from standard input, or to standard output. All messages then go to standard error. */
import { fstatSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { userFolder } from '../../environment/settings-slice';
import type { Settings } from '../../settings/settings';
import { CliFailure, UsageFault } from '../outcome';
import type { OutputOptions, SettingOptions } from '../options';
import { describeFault, failOutput } from '../images/file-faults';
import { writeWhole } from '../images/whole-file';
import type { WorkerHandle } from '../images/workers';
import { resultEntry } from '../report/entries';
import { asText, failureEntry } from '../report/output';
import { printable, printableJson } from '../report/printable';
import type { TargetOptions } from './plan';

export interface StreamOptions extends TargetOptions, SettingOptions, OutputOptions {
  readonly quiet?: boolean;
}

export function isStream(typed: readonly string[], { output }: TargetOptions): boolean {
  return typed.includes('-') || output === '-';
}

export function compressStream(typed: readonly string[], options: StreamOptions, settings: Settings) {
  const [input] = typed;
  const { output = '-', dryRun, json } = options;
  if (typed.length > 1) throw new UsageFault('- reads a single image. Leave out the other names.');
  if (options.inPlace || options.backup !== undefined || options.suffix !== undefined)
    throw new UsageFault(
      '- is standard input or output, which --in-place, --backup and --suffix cannot be used with. Leave them out.',
    );
  if (output === '-' && process.stdout.isTTY && !dryRun) {
    throw new UsageFault(
      'The image would be written to the terminal. Redirect it to a file or a pipe, or use -o FILE.',
    );
  }
  const shownInput = input === '-' ? 'standard input' : input;
  return async ({ run, signal }: WorkerHandle): Promise<void> => {
    try {
      const start = performance.now();
      const bytes =
        input === '-'
          ? await buffer(addAbortSignal(signal, process.stdin))
          : await readFile(resolve(userFolder, input));
      const { policy } = settings.compression;
      const result = await run(bytes, { policy });
      if (!dryRun) {
        if (output === '-') await writeToStandardOutput(result.bytes).catch(failOutput('standard output'));
        else await writeWhole(resolve(userFolder, output), result.bytes).catch(failOutput(output));
      }
      if (options.quiet) return;
      const job = {
        input: { path: input, shown: shownInput },
        output: dryRun ? undefined : { shown: output },
      };
      const ms = Math.round(performance.now() - start);
      const entry = resultEntry(job, result.report, { ms, keepMetadata: policy.keepMetadata });
      const text = json ? printableJson(entry.json) : asText(entry, process.stderr, options);
      process.stderr.write(`${text}\n`);
    } catch (error) {
      if (signal.aborted) return;
      const fault = describeFault(error);
      if (fault === undefined) throw error;
      if (!json) throw new CliFailure(`${printable(fault.output ?? shownInput)}: ${fault.sentence}`);
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
