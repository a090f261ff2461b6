/** The entry of one image: a line for people, the documented JSON for programs, and perhaps an annotation of its file. */
import { resolve } from 'node:path';
import { userFolder } from '../../environment/settings-slice';
import type { Dimensions } from '../../compression/domain/dimensions';
import { scoreText } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Fault } from '../images/file-faults';
import type { Job, KnownImage, LeftAlone } from '../images/run-jobs';
import { printable } from '../terminal/printable';
import { leftAloneWords, resultLine, type ResultLine, type ResultOptions } from './result-line';

export interface Entry {
  /** Absent if it is not worth a line to people. */
  readonly line?: ResultLine | undefined;
  /** Members that do not apply are undefined, so the JSON does not have them. */
  readonly json: object;
  readonly annotation?: Annotation | undefined;
  readonly isFault?: boolean;
}

/** What GitHub shows beside a file of a pull request. */
export interface Annotation {
  readonly level: 'warning' | 'error';
  /** Absolute. */
  readonly path: string;
  readonly title: string;
  readonly line: ResultLine;
}

export type Failure = Fault & Partial<KnownImage>;

/** @param check present for a check: an image that stays as it is, is not worth a line */
export function resultEntry(
  job: Job,
  report: RememberedReport,
  options: ResultOptions,
  check?: { readonly isFixing: boolean },
): Entry {
  const line = resultLine(job, report, { ...options, isPossible: check?.isFixing === false });
  const json = resultJson(job, report, options.ms);
  if (!check) return { line, json };
  if (report.skipReason) return { json };
  const title = check.isFixing ? 'Image made smaller' : 'Image could be smaller';
  return { line, json, annotation: { level: 'warning', path: job.input.path, title, line } };
}

/** For an image whose result an earlier run has written. */
export function upToDateEntry(job: Job, report: RememberedReport, ms: number): Entry {
  return { json: resultJson(job, report, ms, true) };
}

function resultJson({ input, output }: Job, report: RememberedReport, ms: number, upToDate?: true) {
  const { originalSize, compressedSize, bytesSaved, skipReason, removed } = report;
  const { quality, score, density, maxError, budget, jpegEstimate, originalDimensions, dimensions } = report;
  return {
    input: input.shown,
    output: output?.shown,
    originalSize,
    compressedSize,
    bytesSaved,
    skipped: skipReason !== undefined,
    skipReason,
    removed: removed?.length ? removed : undefined,
    quality,
    ssim: Number(scoreText(score)),
    maxError,
    budget,
    density,
    jpegEstimate,
    ...originalSides(originalDimensions),
    width: dimensions.width,
    height: dimensions.height,
    upToDate,
    ms,
  };
}

/** For a file that --in-place leaves alone. */
export function leftAloneEntry({ input }: Job, image: LeftAlone, maxDimensionPx: number): Entry {
  const { bytes, dimensions, reason } = image;
  const sizes = { originalSize: bytes, compressedSize: bytes, bytesSaved: 0 };
  const sides = { ...originalSides(dimensions), ...dimensions };
  return {
    line: sentenceLine(input.shown, leftAloneWords(image, maxDimensionPx)),
    json: { input: input.shown, ...sizes, skipped: true, skipReason: reason, ...sides },
  };
}

/** For a file in a folder that is named like an image but is not one. */
export function misnamedEntry(input: string, sentence: string): Entry {
  return {
    line: sentenceLine(input, `skipped. ${sentence}`),
    json: { input, skipped: true, skipReason: 'not-an-image', message: sentence },
  };
}

/** `error` distinguishes a failure from a result; size and dimensions are there if they could be read. */
export function failureEntry(input: string, failure: Failure): Entry {
  const { code, sentence, output, bytes, dimensions } = failure;
  const sides = dimensions && originalSides(dimensions);
  // A sentence may name a file beside the image.
  const lineOf = (name: string) => sentenceLine(name, printable(sentence), 'failed');
  const [path, title] = [resolve(userFolder, input), 'Image cannot be checked'];
  return {
    line: lineOf(output ?? input),
    json: { input, output, error: code, message: sentence, originalSize: bytes, ...sides },
    annotation: { level: 'error', path, title, line: lineOf(input) },
    isFault: true,
  };
}

export function sentenceLine(
  shown: string,
  full: string,
  tone: ResultLine['tone'] = 'unchanged',
): ResultLine {
  return { name: printable(shown), tone, full, brief: [full] };
}

function originalSides({ width, height }: Dimensions): object {
  return { originalWidth: width, originalHeight: height };
}
