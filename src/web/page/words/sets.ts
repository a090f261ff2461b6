/** The sizes of a set, and the sentences about them. */
import { RESULT_FORMATS, type BuiltInFormat } from '../../../contract/formats';
import type { SetDescription, SetFile } from '../api/make-set';
import { countText } from './numbers';

/** The choices for a set. */
export interface SetWish {
  /** Widths of the files, or one width in the page for several displays. */
  readonly kind: 'widths' | 'densities';
  /** In pixels, separated by commas, as typed. */
  readonly widths: string;
  /** In CSS pixels, as typed. */
  readonly width: string;
  readonly densities: readonly number[];
  readonly formats: readonly (BuiltInFormat | 'same')[];
  readonly placeholder: 'none' | 'colour' | 'blur';
}

export const USUAL_WISH: SetWish = {
  kind: 'widths',
  widths: '480, 960, 1440',
  width: '480',
  densities: [1, 2, 3],
  formats: ['avif', 'same'],
  placeholder: 'none',
};

/** Widths for the usual places of images in a page. */
export const WIDTH_PRESETS = {
  Thumbnail: '160, 320, 480',
  Column: '480, 960, 1440',
  'Full width': '640, 1280, 1920, 2560',
} as const;

export const DENSITIES = [1, 1.5, 2, 3];

/** A size of files. */
export interface WishedSize {
  /** In pixels. */
  readonly width: number;
  /** For displays of this density; absent for widths. */
  readonly density?: number;
}

/** The sizes that a set will have, and those that it cannot have. */
export interface SetSizes {
  readonly made: readonly WishedSize[];
  /** Wider than the image. */
  readonly leftOut: readonly WishedSize[];
}

/**
 * Returns the sizes in ascending order; undefined if a number is missing or invalid.
 * @param largest width of the image, in pixels
 * @param least smallest width that may be asked for
 */
export function sizesOf(wish: SetWish, largest: number, least: number): SetSizes | undefined {
  const numbers = (text: string) =>
    text
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(Number);
  const all =
    wish.kind === 'widths'
      ? [...new Set(numbers(wish.widths))].map((width): WishedSize => ({ width }))
      : numbers(wish.width)
          .slice(0, 1)
          .flatMap((width) => wish.densities.map((density) => ({ width: width * density, density })));
  if (all.length === 0) return undefined;
  if (!all.every(({ width }) => Number.isFinite(width) && width >= least)) return undefined;
  if (wish.kind === 'widths' && !all.every(({ width }) => Number.isInteger(width))) return undefined;
  const sorted = all.sort((a, b) => a.width - b.width);
  return {
    made: sorted.filter(({ width }) => Math.round(width) <= largest),
    leftOut: sorted.filter(({ width }) => Math.round(width) > largest),
  };
}

/** Returns the parameters of a request. */
export function setParameters(wish: SetWish, { made }: SetSizes): Record<string, string> {
  const sizes =
    wish.kind === 'widths'
      ? { widths: made.map(({ width }) => width).join() }
      : { width: wish.width.trim(), densities: made.map(({ density }) => density).join() };
  const { placeholder } = wish;
  return { ...sizes, format: wish.formats.join(), ...(placeholder === 'none' ? {} : { placeholder }) };
}

/** Returns the start of the names of files, made of the name of the image. */
export function setName(fileName: string): string {
  const stem = fileName.replace(/\.[^.]+$/, '');
  const plain = stem.replace(/[^\p{L}\p{N} ._-]/gu, '-').replace(/^[^\p{L}\p{N}]+/u, '');
  return Array.from(plain).slice(0, 60).join('').trim() || 'image';
}

/** "480 px", "480 px · 2×". */
export function sizeWords({ width, density }: WishedSize): string {
  return density === undefined ? `${width} px` : `${Math.round(width)} px · ${density}×`;
}

/** Says which sizes a set cannot have; undefined if it has them all. */
export function leftOutWords({ leftOut }: SetSizes, largest: number): string | undefined {
  if (leftOut.length === 0) return undefined;
  const sizes = leftOut.map(sizeWords).join(', ');
  return `The largest width is ${largest} px. Left out: ${sizes}.`;
}

/**
 * Says how many images a set takes.
 * @param trialLeft images left in the trial; undefined for an account
 */
export function setCostWords(count: number, trialLeft: number | undefined): string {
  const rest = trialLeft === undefined ? ' of your account' : `; your trial has ${trialLeft} left`;
  return `Takes ${countText(count, 'image')}${rest}.`;
}

/** The sizes in a table: a row for each width, a column for each format. */
export interface SetTable {
  readonly formats: readonly string[];
  readonly rows: readonly { readonly size: WishedSize; readonly cells: readonly (SetFile | undefined)[] }[];
}

/** @param kind whether rows are named by their density too */
export function setTable({ files, failed }: SetDescription, kind: SetWish['kind']): SetTable {
  const all = [...files, ...failed];
  const formats = [...new Set(all.map(({ format }) => format))];
  const widths = [...new Set(all.map(({ width }) => width))].sort((a, b) => a - b);
  return {
    formats,
    rows: widths.map((width) => {
      const density = all.find((file) => file.width === width)?.density;
      return {
        size: { width, ...(kind === 'densities' && density !== undefined ? { density } : {}) },
        cells: formats.map((format) => files.find((file) => file.width === width && file.format === format)),
      };
    }),
  };
}

export function formatLabel(format: string): string {
  return Object.hasOwn(RESULT_FORMATS, format) ? RESULT_FORMATS[format as BuiltInFormat].label : format;
}

/** "AVIF larger than JPG here"; undefined if it is smaller than what more browsers show. */
export function largerWords({ format, largerThan }: SetFile, files: readonly SetFile[]): string | undefined {
  const other = files.find(({ name }) => name === largerThan);
  return other && `${formatLabel(format)} larger than ${formatLabel(other.format)} here`;
}
