/** What is said about one image: in full for a file or a pipe, in few words for a terminal. */
import type { KeptMetadataName } from '../../compression/domain/compression-policy';
import { sameSize, type Dimensions } from '../../compression/domain/dimensions';
import { scoreText, type SkipReason } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, LeftAlone } from '../images/run-jobs';
import { printable } from '../terminal/printable';
import { asChange, asSize } from './totals';

export interface ResultLine {
  readonly name: string;
  readonly tone: 'smaller' | 'unchanged' | 'failed';
  /** For a file or a pipe: everything on one line, however long. */
  readonly full: string;
  /** The same in few words, part by part. */
  readonly brief: readonly string[];
  /** `brief` for a terminal, padded so that the parts of several lines form columns. */
  readonly aligned?: readonly string[];
}

export interface ResultOptions {
  readonly ms: number;
  readonly keepMetadata: KeptMetadataName;
  /** Whether the result was only measured, not written. */
  readonly isPossible?: boolean;
}

/** Width of sizes such as `999.9 kB`, and of changes such as `-100.0%`. */
const SIZE_WIDTH = 8;
const CHANGE_WIDTH = 7;

export function resultLine({ input }: Job, report: RememberedReport, options: ResultOptions): ResultLine {
  const { originalSize, compressedSize, skipReason, quality, score, density } = report;
  const name = printable(input.shown);
  if (skipReason) {
    const reason = KEPT_WORDS[skipReason];
    const full = `unchanged (${reason})`;
    return {
      name,
      tone: 'unchanged',
      full: [full, `${originalSize} bytes`, ...extras(report), `${options.ms} ms`].join(', '),
      brief: [full, ...extras(report)],
    };
  }
  // An image that had to be scaled down may have gained bytes.
  const change = asChange(originalSize, compressedSize);
  const changed = options.isPossible ? possibleWords : doneWords;
  const facts = [...(quality !== undefined ? [`quality ${quality}`] : []), ...factsOf(report)];
  const rest = [...facts, ...extras(report)];
  return {
    name,
    tone: 'smaller',
    full: [
      `${changed(report, String).replace(' →', ' ->')} bytes (${change})`,
      ...(quality !== undefined ? [`quality ${quality}`] : []),
      `score ${scoreText(score)}${density ? ` at density ${density}` : ''}`,
      ...factsOf(report),
      ...(isScaled(report) ? [] : [asText(report.dimensions)]),
      ...METADATA_WORDS[options.keepMetadata],
      ...extras(report),
      `${options.ms} ms`,
    ].join(', '),
    brief: [changed(report, asSize), change, ...rest],
    aligned: [
      changed(report, (bytes) => asSize(bytes).padStart(SIZE_WIDTH)),
      change.padStart(CHANGE_WIDTH),
      ...rest,
    ],
  };
}

type SizeText = (bytes: number) => string;

function doneWords({ originalSize, compressedSize }: RememberedReport, size: SizeText): string {
  return `${size(originalSize)} → ${size(compressedSize)}`;
}

function possibleWords({ originalSize, bytesSaved }: RememberedReport, size: SizeText): string {
  return `could save ${size(bytesSaved)} of ${size(originalSize)}`;
}

const KEPT_WORDS: Readonly<Record<SkipReason, string>> = {
  'already-optimised': 'already optimised',
  animated: 'animated',
  'motion-photo': 'it contains a video',
  'multi-picture': 'it contains further images',
};

const METADATA_WORDS: Readonly<Record<KeptMetadataName, readonly string[]>> = {
  none: ['no metadata kept'],
  copyright: ['only copyright metadata kept'],
  all: [],
};

/** What is said whether or not the file was rewritten. */
function extras({ budget, jpegEstimate }: RememberedReport): string[] {
  return [
    ...(budget === 'missed' ? ['larger than --max-bytes'] : []),
    ...(jpegEstimate === undefined ? [] : [`as a JPG this would be about ${asSize(jpegEstimate)}`]),
  ];
}

/** What an image has lost besides bytes. */
function factsOf(report: RememberedReport): string[] {
  const { maxError, dimensions, originalDimensions, removed } = report;
  return [
    ...(maxError ? [`no channel changed by more than ${maxError} of 255`] : []),
    ...(isScaled(report) ? [`scaled from ${asText(originalDimensions)} to ${asText(dimensions)}`] : []),
    ...(removed?.length ? [`removed: ${removed.join(', ')}`] : []),
  ];
}

/** Why --in-place leaves a file alone, and what changes that. */
export function leftAloneWords({ dimensions, reason }: LeftAlone, maxDimensionPx: number): string {
  return reason === 'has-editor-layers'
    ? 'left alone, because it would lose the layers or the drawing that an editor stored in it; use --drop-layers to compress it'
    : `left alone, because ${asText(dimensions)} would be scaled down to ` +
        `${maxDimensionPx} px; use --max-dimension ${maxDimensionPx} to scale it, ` +
        `or ${Math.max(dimensions.width, dimensions.height)} to keep its dimensions`;
}

function isScaled({ dimensions, originalDimensions }: RememberedReport): boolean {
  return !sameSize(dimensions, originalDimensions);
}

function asText({ width, height }: Dimensions): string {
  return `${width}x${height}`;
}
