/** The entry of one image: words for people, documented JSON for programs, and perhaps an annotation of its file. */
import { sameSize } from '../../compression/domain/dimensions';
import type { KeptMetadataName } from '../../compression/domain/compression-policy';
import { withArticle } from '../../contract/formats';
import { REPORT } from '../../contract/report';
import { scoreText, shownSizeText } from '../../contract/report-words';
import { describeReport } from '../../library/report';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, LeftAlone } from '../images/run-jobs';
import type { Entry } from './output';
import { printable } from './printable';
import { changeText } from '../../contract/units';
import { asSize } from './totals';

export interface ResultOptions {
  readonly ms: number;
  readonly isUpToDate?: boolean;
  readonly keepMetadata: KeptMetadataName;
  readonly check?: { readonly isFixing: boolean } | undefined;
}

interface ReportedJob {
  readonly input: Pick<Job['input'], 'path' | 'shown'>;
  readonly output?: Pick<NonNullable<Job['output']>, 'shown' | 'isNow'> | undefined;
}

export function resultEntry(
  { input, output }: ReportedJob,
  report: RememberedReport,
  options: ResultOptions,
): Entry {
  const { ms, check, isUpToDate } = options;
  // Members that are undefined are not in the JSON.
  const ofOneRun = { timings: undefined, encodes: undefined, upToDate: isUpToDate || undefined, ms };
  const json = { input: input.shown, output: output?.shown, ...describeReport(report), ...ofOneRun };
  const entry = { name: input.shown, json };
  if (check ? report.bytesSaved === 0 : isUpToDate) return entry;
  const isNow = output?.isNow && `now ${withArticle(output.isNow)}: ${printable(output.shown)}`;
  const words = resultWords(report, options, isNow);
  if (!check) return { ...entry, words, tone: report.skipReason ? undefined : 'smaller' };
  const title = check.isFixing ? 'Image made smaller' : 'Image could be smaller';
  return { ...entry, words, tone: 'smaller', annotation: { level: 'warning', path: input.path, title } };
}

function resultWords(
  report: RememberedReport,
  { ms, keepMetadata, check }: ResultOptions,
  isNow: string | undefined,
) {
  const { originalSize, compressedSize, bytesSaved, skipReason, quality, score, density } = report;
  const { budget, jpegEstimate, maxError, dimensions, originalDimensions, removed } = report;
  const isScaled = !sameSize(dimensions, originalDimensions);
  const change =
    check?.isFixing === false
      ? `could save ${bytesSaved} of ${originalSize} bytes`
      : `${originalSize} -> ${compressedSize} bytes`;
  const said = skipReason
    ? [`unchanged (${skipReason.replaceAll('-', ' ')})`, `${originalSize} bytes`]
    : [
        `${change} (${changeText(originalSize, compressedSize)})`,
        quality !== undefined && `quality ${quality}`,
        `score ${scoreText(score)}${density ? ` at ${shownSizeText(density, dimensions.width)}` : ''}`,
        maxError && `no channel changed by more than ${maxError} of 255`,
        isScaled ? `scaled from ${asText(originalDimensions)} to ${asText(dimensions)}` : asText(dimensions),
        removed?.length && `removed: ${removed.join(', ')}`,
        METADATA_WORDS[keepMetadata],
      ];
  return [
    ...said,
    isNow,
    budget === 'missed' && 'larger than --max-bytes',
    jpegEstimate !== undefined && `as a JPG this would be about ${asSize(jpegEstimate)}`,
    `${ms} ms`,
  ]
    .filter(Boolean)
    .join(', ');
}

const METADATA_WORDS: Readonly<Record<KeptMetadataName, string>> = {
  none: 'no metadata kept',
  copyright: 'only copyright metadata kept',
  all: '',
};

/** Says why a file was left alone, and which option changes that. */
export function leftAloneEntry({ input }: Job, image: LeftAlone, maxDimensionPx: number): Entry {
  const { bytes, dimensions, reason, becomes = '', removed } = image;
  const { width, height } = dimensions;
  const words = {
    'would-lose-data': `it would lose data that programs read (${(removed ?? []).join(', ')}); use --drop-layers to compress it`,
    'would-be-scaled':
      `${asText(dimensions)} would be scaled down to ${maxDimensionPx} px; ` +
      `use --max-dimension ${maxDimensionPx} to scale it, or ${Math.max(width, height)} to keep its dimensions`,
    'would-change-format': `it would become ${withArticle(becomes)}; use ics compress -o to write that elsewhere`,
  }[reason];
  const sizes = { originalSize: bytes, compressedSize: bytes, bytesSaved: 0 };
  const sides = { originalWidth: width, originalHeight: height, width, height };
  const json = { input: input.shown, ...sizes, skipped: true, skipReason: reason, ...sides, removed };
  return { name: input.shown, words: `left alone, because ${words}`, json };
}

/** For a file in a folder that is named like an image but is none. */
export function misnamedEntry(input: string, message: string): Entry {
  const json = { input, skipped: true, skipReason: 'not-an-image', message };
  return { name: input, words: `skipped. ${message}`, json };
}

export const { asText } = REPORT.dimensions;
