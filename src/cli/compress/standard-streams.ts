/** `-`: an image from standard input, or to standard output. Whatever is said goes to standard error then. */
import { basename, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { addAbortSignal, Readable } from 'node:stream';
import type { CompressionRunner } from '../../compression/application/compression-runner.port';
import { CliFailure, UsageFault } from '../exit';
import { settingsWith, type SettingOptions } from '../cli-settings';
import { sentenceFor } from './file-faults';
import type { CompressOptions, Job } from './plan';
import { asJson, asWords } from './report-lines';
import { readWhole, writeWhole } from './whole-file';

type StreamOptions = CompressOptions & SettingOptions & { readonly json?: boolean };

export function isStream(typed: readonly string[], { output }: CompressOptions): boolean {
  return typed.includes('-') || output === '-';
}

/** Checks what was typed, and gives the work to do with a runner. */
export function compressStream(typed: readonly string[], options: StreamOptions, from: string) {
  const [input] = typed;
  const output = options.output ?? '-';
  if (typed.length > 1) throw new UsageFault('With - there is one image: name no other.');
  if (options.inPlace) throw new UsageFault('A stream has no place: leave --in-place away.');
  if (output === '-' && process.stdout.isTTY && !options.dryRun) {
    throw new UsageFault('The image would go to the terminal: send it to a file or a pipe, or use -o FILE.');
  }
  const shownInput = input === '-' ? 'standard input' : input;
  return async (runner: CompressionRunner, _lanes: number, signal: AbortSignal): Promise<void> => {
    try {
      const start = performance.now();
      const { bytes, stats } =
        input === '-'
          ? { bytes: await buffer(addAbortSignal(signal, process.stdin)), stats: undefined }
          : await readWhole(resolve(from, input));
      const { policy } = settingsWith(options);
      const result = await runner.run(bytes, { policy, signal, deadlineAt: Infinity });
      if (!options.dryRun) {
        if (output === '-') await pipeline(Readable.from([result.bytes]), process.stdout, { end: false });
        else await writeWhole(resolve(from, output), result.bytes, stats);
      }
      const job: Job = {
        source: { path: input, shown: shownInput, below: basename(input) },
        ...(options.dryRun ? {} : { output: { path: output, shown: output } }),
      };
      const ms = Math.round(performance.now() - start);
      process.stderr.write(`${(options.json ? asJson : asWords)(job, result.report, ms)}\n`);
    } catch (error) {
      if (signal.aborted) return;
      const sentence = sentenceFor(error);
      if (sentence === undefined) throw error;
      throw new CliFailure(`${shownInput}: ${sentence}`);
    }
  };
}
