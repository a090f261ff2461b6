/** The list as a whole, what is about to join it, and the options that hold for it. */
import { RESULT_FORMATS, UPLOADS } from '../../../contract/formats';
import { bytesText } from '../../../contract/units';
import type { FormatChoice } from '../../page-facts';
import type { Options } from '../api/options';
import { countText, savingPercent } from './numbers';

export interface Summary {
  readonly total: number;
  /** With a result, files that came back unchanged included. */
  readonly done: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly isFinished: boolean;
  /** 0..1 of the work on the whole list. */
  readonly progress: number;
  /** Bytes of the images that are done. */
  readonly originalSize: number;
  readonly bytesSaved: number;
}

/** What became of the list so far: "12 of 30 done, 1 failed", at the end "29 done (2 unchanged), 1 failed". */
export function countWords({ total, done, unchanged, failed, isFinished }: Summary): string {
  if (isFinished && unchanged === 0 && failed === 0) return `${countText(done, 'image')} done`;
  const same = isFinished && unchanged > 0 ? ` (${unchanged} unchanged)` : '';
  const faults = failed > 0 ? `, ${failed} failed` : '';
  return `${isFinished ? done : `${done} of ${total}`} done${same}${faults}`;
}

/** The title of the tab, whose beginning is all that a row of tabs shows. */
export function titleWords(summary: Summary, name: string): string {
  const { total, done, failed, isFinished, originalSize, bytesSaved } = summary;
  if (total === 0) return name;
  if (!isFinished) return `${done + failed} of ${total} · ${name}`;
  const saved = bytesSaved > 0 ? [`${savingPercent(originalSize, bytesSaved)}% smaller`] : [];
  const faults = failed > 0 ? [`${failed} failed`] : [];
  return `${done > 0 ? '✓ ' : ''}${[...saved, ...faults, name].join(' · ')}`;
}

export interface DraggedFiles {
  /** 0 where the browser does not tell. */
  readonly count: number;
  /** Of them, files whose type is neither JPG nor PNG. */
  readonly others: number;
}

/** What dropping the files will do. */
export function dropWords({ count, others }: DraggedFiles): string {
  if (count > 0 && others === count) return `Only ${UPLOADS.and} images can be compressed`;
  if (count === 0) return 'Drop to compress';
  const rest = others > 0 ? `; ${others} ${others === 1 ? 'is' : 'are'} ${UPLOADS.neitherNor}` : '';
  return `Drop to compress ${countText(count - others, 'image')}${rest}`;
}

type Quality = NonNullable<Options['quality']>;
type Metadata = NonNullable<Options['metadata']>;

export const QUALITY_WORDS: Readonly<Record<Quality, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  'very-high': 'Very high',
};

/** What is kept. */
export const METADATA_WORDS: Readonly<Record<Metadata, string>> = {
  none: 'Nothing',
  copyright: 'Author and copyright',
  all: 'Everything',
};

const { jpeg, png, webp, avif } = RESULT_FORMATS;

export const FORMAT_WORDS: Readonly<Record<FormatChoice, string>> = {
  same: 'Same as the upload',
  auto: 'Smallest for browsers',
  webp: webp.label,
  avif: avif.label,
  jpeg: jpeg.label,
  png: png.label,
};

type PngMode = NonNullable<Options['pngMode']>;

export const PNG_MODE_WORDS: Readonly<Record<PngMode, string>> = {
  auto: 'What cannot be seen',
  palette: 'Only the number of colours',
  lossless: 'Nothing: pixels are data',
};

const METADATA_LINE: Readonly<Record<Metadata, string>> = {
  none: 'metadata removed',
  copyright: 'only author and copyright kept',
  all: 'metadata kept',
};

/** What holds for every image where nothing is chosen. */
export interface Defaults {
  /** Undefined where the operator has set a score that has no name. */
  readonly quality: Quality | undefined;
  readonly maxDimensionPx: number;
  readonly metadata: Metadata;
  /** Undefined where the operator has set what has no name. */
  readonly format: FormatChoice | undefined;
  readonly pngMode: PngMode;
}

/** What the next images are compressed with: "High quality · at most 3840 px · metadata removed". */
export function optionWords(chosen: Options, defaults: Defaults): string {
  const { maxBytes } = chosen;
  const quality = chosen.quality ?? defaults.quality;
  return [
    ...(maxBytes === undefined ? [] : [`At most ${bytesText(maxBytes)}`]),
    ...(quality === undefined ? [] : [`${QUALITY_WORDS[quality]} quality`]),
    `at most ${chosen.maxDimensionPx ?? defaults.maxDimensionPx} px`,
    ...formatLine(chosen.format ?? defaults.format),
    ...((chosen.pngMode ?? defaults.pngMode) === 'lossless' ? ['PNGs without loss'] : []),
    METADATA_LINE[chosen.metadata ?? defaults.metadata],
  ].join(' · ');
}

function formatLine(format: FormatChoice | undefined): string[] {
  if (format === undefined || format === 'same') return [];
  return [format === 'auto' ? 'smallest format for browsers' : `as ${FORMAT_WORDS[format]}`];
}
