/** Every option that the page offers, in the order of its bar. The controls and the device's memory read this table. */
import type { PageFacts } from '../../page-facts';
import type { Options } from '../api/options';

interface NumberRow {
  readonly label: string;
  readonly hint: string;
  readonly unit: string;
  readonly unitValue: number;
  /** In units. */
  readonly least: number;
  readonly most: number;
  readonly defaultValue: number | undefined;
}

export interface ChoiceRow<Value extends string | number = string | number> {
  readonly label: string;
  readonly words: Readonly<Partial<Record<Value, string>>>;
  readonly defaultValue: Value | undefined;
}

type RowOf<Value> = [Value] extends [string]
  ? ChoiceRow<Value>
  : number extends Value
    ? NumberRow
    : ChoiceRow<Value & number>;

export type OptionTable = { readonly [Name in keyof Options]-?: RowOf<NonNullable<Options[Name]>> };

/** @param shown labels of the formats among which `auto` chooses */
export function optionTable(facts: PageFacts, shown: readonly string[]): OptionTable {
  const scores = Object.entries(facts.qualities);
  const quality = scores.find(([, score]) => score === facts.targetScore)?.[0];
  const [none, copyright, all] = ['Nothing', 'Author and copyright', 'Everything'];
  return {
    format: {
      label: 'Format',
      words: {
        same: 'As uploaded',
        auto: `Smallest (${shown.join(', ')})`,
        ...Object.fromEntries(Object.entries(facts.formats).map(([name, { label }]) => [name, label])),
      },
      defaultValue: facts.format,
    },
    density: {
      label: 'Shown at',
      words: { 1: 'Full size', 2: 'Half size (2×, retina)', 3: 'A third' },
      defaultValue: 1,
    },
    quality: {
      label: 'Quality',
      words: {
        low: 'Low',
        medium: 'Medium',
        high: 'High',
        'very-high': 'Very high',
        lossless: 'Lossless',
      },
      defaultValue: quality as keyof PageFacts['qualities'] | undefined,
    },
    maxBytes: {
      label: 'File size, at most',
      hint: 'Lowers quality first, then size in pixels.',
      unit: 'kB',
      unitValue: 1000,
      least: 1,
      // No upload is larger.
      most: Math.floor(facts.maxUploadBytes / 1000),
      defaultValue: undefined,
    },
    maxDimension: {
      label: 'Longer side, at most',
      hint: 'Larger images are scaled down.',
      unit: 'px',
      unitValue: 1,
      least: facts.minDimensionPx,
      most: facts.maxDimensionPx,
      defaultValue: facts.maxDimensionPx,
    },
    metadata: {
      label: 'Metadata to keep',
      words: { none, copyright, all },
      defaultValue: facts.keptMetadata,
    },
  };
}

export function isOffered(row: OptionTable[keyof Options], value: unknown): boolean {
  if ('words' in row) return Object.hasOwn(row.words, String(value));
  const units = Number(value) / row.unitValue;
  return Number.isInteger(value) && units >= row.least && units <= row.most;
}
