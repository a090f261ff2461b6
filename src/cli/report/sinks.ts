/** What is printed about each image, in one of three forms: text for people, JSON lines, or annotations for GitHub. */
import { relative, resolve } from 'node:path';
import { userFolder } from '../../environment/read-variables';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, LeftAlone } from '../images/run-jobs';
import type { Settings } from '../../settings/settings';
import type { ImageConsole } from './image-console';
import { failureJson, leftAloneJson, misnamedJson, resultJson, type Failure } from './json-lines';
import { printable } from '../terminal/printable';
import { failureLine, leftAloneLine, misnamedLine, resultLine, type ResultLine } from './result-line';

export const FORMATS = ['text', 'json', 'github'] as const;
export type Format = (typeof FORMATS)[number];

export interface Sink {
  result(job: Job, report: RememberedReport, ms: number): void;
  upToDate(job: Job, report: RememberedReport, ms: number): void;
  leftAlone(job: Job, image: LeftAlone): void;
  misnamed(shown: string, sentence: string): void;
  failed(shown: string, failure: Failure): void;
}

export interface SinkOptions {
  readonly format: Format;
  readonly settings: Settings;
  /** Whether only failures are printed. */
  readonly isQuiet?: boolean;
  /** Present for `check`: only images that could be smaller, or were made smaller, are worth a line. */
  readonly check?: { readonly isFixing: boolean };
}

export function openSink(console: ImageConsole, options: SinkOptions): Sink {
  const sink = sinkOf(console, options);
  if (!options.isQuiet) return sink;
  const silent = () => undefined;
  return {
    result: silent,
    upToDate: silent,
    leftAlone: silent,
    misnamed: silent,
    failed: (shown, failure) => sink.failed(shown, failure),
  };
}

function sinkOf(console: ImageConsole, options: SinkOptions): Sink {
  if (options.format === 'json') return jsonSink(console);
  return options.format === 'github' ? annotationSink(console, options) : textSink(console, options);
}

function textSink(console: ImageConsole, options: SinkOptions): Sink {
  return {
    result: (job, report, ms) => {
      if (!options.check || !report.skipReason) console.show(lineOf(job, report, ms, options));
    },
    upToDate: () => undefined,
    leftAlone: (job, image) =>
      console.show(leftAloneLine(job, image, options.settings.compression.policy.maxDimensionPx)),
    misnamed: (shown, sentence) => console.show(misnamedLine(shown, sentence)),
    failed: (shown, { output = shown, sentence }) => console.fault(failureLine(output, sentence)),
  };
}

/** Only findings and failures are annotations; the rest is text. */
function annotationSink(console: ImageConsole, options: SinkOptions): Sink {
  const title = options.check?.isFixing ? 'Image made smaller' : 'Image could be smaller';
  return {
    ...textSink(console, options),
    result: (job, report, ms) => {
      if (report.skipReason) return;
      const line = lineOf(job, report, ms, options);
      console.print(annotation('warning', job.input.path, title, line));
    },
    failed: (shown, { sentence }) => {
      const line = failureLine(shown, sentence);
      const path = resolve(userFolder, shown);
      console.print(annotation('error', path, 'Image cannot be checked', line));
    },
  };
}

function jsonSink(console: ImageConsole): Sink {
  return {
    result: (job, report, ms) => console.print(resultJson(job, report, ms)),
    upToDate: (job, report, ms) => console.print(resultJson(job, report, ms, { upToDate: true })),
    leftAlone: (job, image) => console.print(leftAloneJson(job, image)),
    misnamed: (shown, sentence) => console.print(misnamedJson(shown, sentence)),
    failed: (shown, failure) => console.print(failureJson(shown, failure)),
  };
}

function lineOf(job: Job, report: RememberedReport, ms: number, { settings, check }: SinkOptions) {
  const { keepMetadata } = settings.compression.policy;
  return resultLine(job, report, { ms, keepMetadata, isPossible: check?.isFixing === false });
}

/**
 * Returns a workflow command of GitHub Actions, an annotation that GitHub shows beside a file of a pull request: one line. Terminals and
 * other runners obey nothing in it: what they could obey is written out, also in the path, which
 * then names no file.
 * @param path absolute; the annotation has it relative to the top of the checkout
 */
function annotation(
  level: 'warning' | 'error',
  path: string,
  title: string,
  { name, brief }: ResultLine,
): string {
  const message = `${name}: ${brief.join(', ')}`;
  const file = relative(process.env['GITHUB_WORKSPACE'] ?? userFolder, path);
  return `::${level} file=${printable(escapedProperty(file))},title=${escapedProperty(title)}::${printable(escaped(message))}`;
}

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands: as its toolkit does it. */
function escaped(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
