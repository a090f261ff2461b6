/** What is said of one image: in full where it is kept in a file or a pipe, briefly on a terminal. */
import stringWidth from 'string-width';
import type { KeptMetadata } from '../../compression/domain/compression-policy';
import { sameSize, type Dimensions } from '../../compression/domain/dimensions';
import type { RememberedReport } from '../images/earlier-results';
import type { Job, LargeImage } from '../images/run-jobs';
import type { Colours } from '../terminal/colours';
import { printable } from '../terminal/printable';
import { asChange, asSize } from './totals';

export interface ResultLine {
  readonly name: string;
  readonly tone: 'smaller' | 'unchanged' | 'failed';
  /** For a file or a pipe: everything, in one line however long. */
  readonly full: string;
  /** For a terminal: parts that are kept together. */
  readonly brief: readonly string[];
}

export function resultLine(
  { source }: Job,
  report: RememberedReport,
  ms: number,
  keptMetadata: KeptMetadata,
): ResultLine {
  const { originalSize, compressedSize, skipReason, quality, score } = report;
  const name = printable(source.shown);
  if (skipReason) {
    const full = [`kept as it is (${skipReason})`, `${originalSize} bytes`, ...extras(report), `${ms} ms`];
    const brief = ['kept as it is', skipReason, ...extras(report)];
    return { name, tone: 'unchanged', full: full.join(', '), brief };
  }
  const change = asChange(originalSize, compressedSize);
  const facts = factsOf(report);
  return {
    name,
    tone: 'smaller',
    full: [
      // An image that had to be scaled down may have gained bytes.
      `${originalSize} -> ${compressedSize} bytes (${change})`,
      ...(quality !== undefined ? [`quality ${quality}`] : []),
      `score ${score.toFixed(4)}`,
      ...facts,
      ...(isScaled(report) ? [] : [asText(report.dimensions)]),
      ...METADATA_WORDS[keptMetadata],
      ...extras(report),
      `${ms} ms`,
    ].join(', '),
    brief: [
      `${asSize(originalSize)} → ${asSize(compressedSize)}`,
      change,
      ...(quality !== undefined ? [`quality ${quality}`] : []),
      ...facts,
      ...extras(report),
    ],
  };
}

const METADATA_WORDS: Readonly<Record<KeptMetadata, readonly string[]>> = {
  none: ['no metadata kept'],
  copyright: ['only copyright metadata kept'],
  all: [],
};

/** What is worth a word whether the file was rewritten or not. */
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

/** About a file that --in-place does not scale down. */
export function leftAloneLine(
  { source }: Job,
  { dimensions }: LargeImage,
  maxDimensionPx: number,
): ResultLine {
  const full =
    `left alone, because ${asText(dimensions)} would be scaled down to ` +
    `${maxDimensionPx} px; use --max-dimension ${maxDimensionPx} to do so`;
  return { name: printable(source.shown), tone: 'unchanged', full, brief: [full] };
}

/** About a file in a folder that is named like an image and is none. */
export function misnamedLine(shown: string, sentence: string): ResultLine {
  const full = `skipped. ${sentence}`;
  return { name: printable(shown), tone: 'unchanged', full, brief: [full] };
}

export function failureLine(shown: string, sentence: string): ResultLine {
  return { name: printable(shown), tone: 'failed', full: sentence, brief: [sentence] };
}

export function asPlainLine({ name, tone, full }: ResultLine, { green, red }: Colours): string {
  return `${name}: ${tone === 'smaller' ? green(full) : tone === 'failed' ? red(full) : full}`;
}

/**
 * On one line if that fits, else the name and below it, indented, the rest. A long name is wrapped by the terminal, so
 * that it can still be copied.
 */
export function asTerminalLines(
  { name, tone, brief }: ResultLine,
  columns: number,
  colours: Colours,
): string {
  const painted = (part: string, i: number) => paint(tone, part, i, colours);
  if (stringWidth([name, ...brief].join(SPACE)) <= columns) {
    return [name, ...brief.map(painted)].join(SPACE);
  }
  const lines: string[] = [];
  let width = Infinity;
  brief.forEach((part, i) => {
    const added = SPACE.length + stringWidth(part);
    const isNew = width + added > columns;
    if (isNew) lines.push('');
    lines[lines.length - 1] += SPACE + painted(part, i);
    width = (isNew ? 0 : width) + added;
  });
  return [name, ...lines].join('\n');
}

const SPACE = '  ';
/** Place of the saving in `brief`. */
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
