/** The line about one image: in full for a file or a pipe, in few words for a terminal. */
import stringWidth from 'string-width';
import type { KeptMetadataName } from '../../compression/domain/compression-policy';
import { sameSize, type Dimensions } from '../../compression/domain/dimensions';
import { scoreText } from '../../contract/report-words';
import type { SkipReason } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, LeftAlone } from '../images/run-jobs';
import type { Colours } from '../terminal/colours';
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
/** Room that sizes, change and quality need beside a name. */
export const RESULT_WIDTH = 40;

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

/** For a file that --in-place leaves alone. */
export function leftAloneLine(
  { input }: Job,
  { dimensions, reason }: LeftAlone,
  maxDimensionPx: number,
): ResultLine {
  const full =
    reason === 'has-editor-layers'
      ? 'left alone, because it would lose the layers or the drawing that an editor stored in it; use --drop-layers to compress it'
      : `left alone, because ${asText(dimensions)} would be scaled down to ` +
        `${maxDimensionPx} px; use --max-dimension ${maxDimensionPx} to scale it, ` +
        `or ${Math.max(dimensions.width, dimensions.height)} to keep its dimensions`;
  return { name: printable(input.shown), tone: 'unchanged', full, brief: [full] };
}

/** For a file in a folder that is named like an image but is not one. */
export function misnamedLine(shown: string, sentence: string): ResultLine {
  const full = `skipped. ${sentence}`;
  return { name: printable(shown), tone: 'unchanged', full, brief: [full] };
}

export function failureLine(shown: string, sentence: string): ResultLine {
  // A sentence may name a file beside the image.
  const full = printable(sentence);
  return { name: printable(shown), tone: 'failed', full, brief: [full] };
}

export function asPlainLine({ name, tone, full }: ResultLine, { green, red }: Colours): string {
  return `${name}: ${tone === 'smaller' ? green(full) : tone === 'failed' ? red(full) : full}`;
}

/**
 * Returns the line for a terminal; names and parts form columns. A name that is wider than its column stands alone, so
 * that it can be copied, with its parts below. So do parts that do not fit beside it.
 */
export function asTerminalLines(
  { name, tone, brief, aligned = brief }: ResultLine,
  { columns, nameColumn }: TerminalShape,
  colours: Colours,
): string {
  const lines = [name.padEnd(name.length + nameColumn - stringWidth(name))];
  let width = stringWidth(lines[0]);
  aligned.forEach((part, i) => {
    for (const piece of wrapped(part, columns - nameColumn - SPACE.length)) {
      const added = SPACE.length + stringWidth(piece);
      const isBelowName = i === 0 && nameColumn > 0 && width > nameColumn;
      if (isBelowName || width + added > columns) {
        lines.push(' '.repeat(nameColumn));
        width = nameColumn;
      }
      lines[lines.length - 1] += SPACE + paint(tone, piece, i, colours);
      width += added;
    }
  });
  return lines.join('\n');
}

/** Splits a sentence between its words into lines of at most `room` columns. */
function wrapped(text: string, room: number): string[] {
  if (stringWidth(text) <= room) return [text];
  const [first, ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines[lines.length - 1]} ${word}`;
    if (stringWidth(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

export interface TerminalShape {
  readonly columns: number;
  /** Width of the column of names; 0 if no name leaves room for its result. */
  readonly nameColumn: number;
}

const SPACE = '  ';
/** Index of the change in `brief`. */
const SAVING = 1;

function paint(
  tone: ResultLine['tone'],
  part: string,
  i: number,
  { bold, dim, green, red }: Colours,
): string {
  if (tone === 'failed') return red(part);
  if (tone === 'unchanged') return dim(part);
  if (i === SAVING) return bold(green(part));
  return i > SAVING ? dim(part) : part;
}

function isScaled({ dimensions, originalDimensions }: RememberedReport): boolean {
  return !sameSize(dimensions, originalDimensions);
}

function asText({ width, height }: Dimensions): string {
  return `${width}x${height}`;
}
