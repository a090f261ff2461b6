/**
 * Every option that the page offers, in the order of its panel. The fields, the summary and the device's memory read this
 * table.
 */
import { RESULT_FORMATS } from '../../../contract/formats';
import { bytesText } from '../../../contract/units';
import type { PageFacts } from '../../page-facts';
import type { Options } from '../api/options';

interface Row<Value> {
  readonly label: string;
  readonly hint: string;
  /** The default value; undefined if it has no name. */
  readonly usual: Value | undefined;
  /** Its part of the summary; undefined for a value that need not be mentioned. */
  readonly line: (value: Value) => string | undefined;
}

export interface NumberRow extends Row<number> {
  readonly unit: string;
  /** The value of one unit. */
  readonly unitValue: number;
  /** Range of the field, in units. */
  readonly least: number;
  readonly most: number;
}

export interface ChoiceRow<Value extends string | number> extends Row<Value> {
  readonly words: Readonly<Partial<Record<Value, string>>>;
}

/** The row of an option, by the type of its value. */
type RowOf<Value> = [Value] extends [string]
  ? ChoiceRow<Value>
  : number extends Value
    ? NumberRow
    : ChoiceRow<Value & number>;

export type OptionTable = { readonly [Name in keyof Options]-?: RowOf<NonNullable<Options[Name]>> };

const { jpeg, png, webp, avif } = RESULT_FORMATS;

const METADATA_WORDS: Readonly<Record<PageFacts['keptMetadata'], string>> = {
  none: 'Nothing',
  copyright: 'Author and copyright',
  all: 'Everything',
};

export function optionTable(facts: PageFacts): OptionTable {
  const scores = Object.entries(facts.qualities);
  const usualQuality = scores.find(([, score]) => score === facts.targetScore)?.[0];
  return {
    maxBytes: {
      label: 'File size, at most',
      hint: 'Lowers quality first, then size in pixels.',
      unit: 'kB',
      unitValue: 1000,
      least: 1,
      // No upload is larger.
      most: Math.floor(facts.maxUploadBytes / 1000),
      usual: undefined,
      line: (value) => `At most ${bytesText(value)}`,
    },
    quality: {
      label: 'Quality',
      hint: 'Lower quality makes smaller files.',
      words: QUALITY_WORDS,
      usual: usualQuality as keyof PageFacts['qualities'] | undefined,
      line: (value) => `${QUALITY_WORDS[value]} quality`,
    },
    maxDimension: {
      label: 'Longer side, at most',
      hint: 'Larger images are scaled down.',
      unit: 'px',
      unitValue: 1,
      least: facts.minDimensionPx,
      most: facts.maxDimensionPx,
      usual: facts.maxDimensionPx,
      line: (value) => `at most ${value} px`,
    },
    pngMode: {
      label: 'What a PNG may lose',
      hint: 'Masks, maps of heights and the like need every pixel.',
      words: {
        auto: 'What cannot be seen',
        palette: 'Only the number of colours',
        lossless: 'Nothing: pixels are data',
      },
      usual: facts.pngMode,
      line: (value) => (value === 'lossless' ? 'PNGs without loss' : undefined),
    },
    metadata: {
      label: 'Metadata to keep',
      hint: 'For example, where a photo was taken.',
      words: Object.fromEntries(facts.metadataChoices.map((name) => [name, METADATA_WORDS[name]])),
      usual: facts.keptMetadata,
      line: (value) => METADATA_LINES[value],
    },
    ...formatRows(facts),
  };
}

/** The rows that the bar of the list offers. */
function formatRows(facts: PageFacts): Pick<OptionTable, 'format' | 'density'> {
  return {
    format: {
      label: 'Format',
      hint: 'At the same quality, AVIF and WebP are often smaller.',
      words: {
        same: 'As uploaded',
        auto: `Smallest (${avif.label}/${webp.label})`,
        jpeg: jpeg.label,
        webp: webp.label,
        avif: avif.label,
        png: png.label,
      },
      usual: facts.format,
      line: () => undefined,
    },
    density: {
      label: 'Shown on',
      hint: 'Displays with small pixels hide more.',
      words: facts.density === undefined ? {} : { 1: 'Any screen', 2: '2× screens' },
      usual: facts.density,
      line: () => undefined,
    },
  };
}

const QUALITY_WORDS: Readonly<Record<keyof PageFacts['qualities'], string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  'very-high': 'Very high',
};

const METADATA_LINES: Readonly<Record<PageFacts['keptMetadata'], string>> = {
  none: 'metadata removed',
  copyright: 'only author and copyright kept',
  all: 'metadata kept',
};

/** Summarizes the options: "High quality · at most 3840 px · metadata removed". */
export function optionWords(chosen: Options, table: OptionTable): string {
  const lines = Object.entries(table).map(([name, row]) => {
    const { usual, line } = row as Row<unknown>;
    const value = chosen[name as keyof Options] ?? usual;
    return value === undefined ? undefined : line(value);
  });
  return lines.filter((line) => line !== undefined).join(' · ');
}

/** Whether this deployment supports the value of an option. */
export function isOffered(row: OptionTable[keyof Options], value: unknown): boolean {
  if ('words' in row) return Object.hasOwn(row.words, String(value));
  const units = Number(value) / row.unitValue;
  return Number.isInteger(value) && units >= row.least && units <= row.most;
}
