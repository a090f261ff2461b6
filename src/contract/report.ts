/** One row for each member of a report: its type, message, header, documentation and JSON follow from it. */
import type { ResultFormatName } from './formats';
import { BUDGET_OUTCOMES, PARTIAL_REASONS, REMOVED_DATA, SKIP_REASONS, scoreText } from './report-words';

/** A JSON schema; without types of a package, because the library's declarations include this file. */
interface Schema {
  readonly type: 'integer' | 'number' | 'string';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly enum?: string[];
}

/** How a value is checked, and written in a header. */
interface Kind<Value> {
  readonly accepts: (value: unknown) => value is Value;
  readonly schema: Schema;
  readonly asText: (value: Value) => string;
  readonly fromText: (text: string) => Value;
}

const isAmount = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;
const hasAmounts = (value: unknown, names: readonly string[]) =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => isAmount((value as Record<string, unknown>)[name]));

const integer = (minimum: number, maximum?: number): Kind<number> => ({
  accepts: isAmount,
  schema: { type: 'integer', minimum, ...(maximum !== undefined && { maximum }) },
  asText: String,
  fromText: Number,
});
const text = (pattern: string): Schema => ({ type: 'string', pattern });

function word<Word extends string>(words: Readonly<Record<Word, string>>): Kind<Word> {
  const names = Object.keys(words);
  return {
    accepts: (value): value is Word => names.includes(value as Word),
    schema: { type: 'string', enum: names },
    asText: (name) => name,
    fromText: (name) => name as Word,
  };
}

function list<Word extends string>(words: Readonly<Record<Word, string>>): Kind<readonly Word[]> {
  const { accepts } = word(words);
  const one = `(${Object.keys(words).join('|')})`;
  return {
    accepts: (value): value is Word[] => Array.isArray(value) && value.every(accepts),
    schema: text(`^${one}(, ${one})*$`),
    asText: (names) => names.join(', '),
    fromText: (names) => names.split(', ') as Word[],
  };
}

/** Width and height in pixels, upright. */
interface Dimensions {
  readonly width: number;
  readonly height: number;
}

const dimensions: Kind<Dimensions> = {
  accepts: (value): value is Dimensions => hasAmounts(value, ['width', 'height']),
  schema: text('^\\d+x\\d+$'),
  asText: ({ width, height }) => `${width}x${height}`,
  fromText: (sides) => {
    const [width = 0, height = 0] = sides.split('x').map(Number);
    return { width, height };
  },
};

/** Milliseconds of processor time in each stage of the recipe. */
export interface StageTimings {
  readonly decode: number;
  readonly search: number;
  readonly encode: number;
  readonly verify: number;
}

const timings: Kind<StageTimings> = {
  accepts: (value): value is StageTimings => hasAmounts(value, ['decode', 'search', 'encode', 'verify']),
  schema: text('^\\w+;dur=[\\d.]+(, \\w+;dur=[\\d.]+)*$'),
  asText: (stages) =>
    Object.entries(stages)
      .map(([stage, ms]: [string, number]) => `${stage};dur=${ms.toFixed(1)}`)
      .join(', '),
  fromText: (stages) =>
    Object.fromEntries(
      [...stages.matchAll(/(?<![\w-])([\w-]{1,32});dur=([\d.]{1,16})/g)].map(([, stage, ms]) => [
        stage,
        Number(ms),
      ]),
    ) as unknown as StageTimings,
};

const meanings = (words: Readonly<Record<string, string>>) =>
  Object.entries(words)
    .map(([name, meaning]) => `\`${name}\` (${meaning})`)
    .join(', ');

/** Of pixels that have nothing in common, it may be below 0. */
const score: Kind<number> = {
  accepts: (value): value is number => Number.isFinite(value),
  schema: text('^(0\\.\\d{4}|1\\.0000)$'),
  asText: scoreText,
  fromText: Number,
};

const row = <Value, Header extends string>(
  kind: Kind<Value>,
  header: Header,
  description: string,
  example: unknown,
) => ({ ...kind, header, documented: { description, schema: kind.schema, example } });

/** Members of every report. Sizes are in bytes. */
export const REPORT = {
  /** The format of the result; sent as `Content-Type`. */
  format: { accepts: (value: unknown): value is ResultFormatName => typeof value === 'string' },
  originalSize: row(integer(1), 'X-Original-Size', 'Size of the uploaded file in bytes.', 254810),
  compressedSize: row(integer(1), 'X-Compressed-Size', 'Size of the returned file in bytes.', 48213),
  bytesSaved: row(
    integer(0),
    'X-Bytes-Saved',
    'The difference in bytes; 0 if scaling down made the file larger.',
    206597,
  ),
  /** Similarity of the result to the upright, scaled source, 0 to 1; 1 if no pixel changed. */
  score: row(
    score,
    'X-SSIM',
    'Similarity of the returned pixels to the original; 1.0000 if no pixel changed.',
    '0.9916',
  ),
  originalDimensions: row(
    dimensions,
    'X-Original-Dimensions',
    'Width and height of the uploaded image in pixels, after EXIF rotation.',
    '5120x2880',
  ),
  dimensions: row(
    dimensions,
    'X-Dimensions',
    'Width and height of the returned image in pixels.',
    '3840x2160',
  ),
  timings: row(
    timings,
    'Server-Timing',
    'Milliseconds in `queue`, and of processor time in `decode`, `search`, `encode` and `verify`.',
    'queue;dur=0.4, decode;dur=21.0, search;dur=88.2, encode;dur=40.1, verify;dur=30.3',
  ),
  /** Number of full encodes, including the one of the result. */
  encodes: { accepts: isAmount },
} as const;

/** Members that are absent where they do not apply. */
export const OPTIONAL_REPORT = {
  /** Why the result is the upload, byte for byte. */
  skipReason: row(
    word(SKIP_REASONS),
    'X-Skip-Reason',
    `Why the file was returned unchanged: ${meanings(SKIP_REASONS)}.`,
    'already-optimised',
  ),
  /** 1 to 100, on the scale of the encoder of the format; absent for PNG, (nearly) lossless WebP and a skipped file. */
  quality: row(
    integer(1, 100),
    'X-Quality',
    'The quality that the search found, from 1 to 100, on the scale of the encoder of the format. After a lossless rewrite of a JPG, or a copy without its private metadata, the estimated quality of the upload. Absent for PNG, (nearly) lossless WebP and skipped images.',
    77,
  ),
  /** Pixels per CSS pixel at which both were compared; absent at 1. */
  density: row(
    { ...integer(1), schema: { type: 'number', minimum: 1.1, maximum: 4 } },
    'X-Density',
    'The pixels per CSS pixel at which the images were compared, from 1.1 to 4: less than `density` if the image is too small. Absent at 1.',
    2,
  ),
  /** The largest difference of any channel of any pixel, 0 to 255; absent for lossy formats and with a new palette. */
  maxError: row(
    integer(0, 255),
    'X-Max-Error',
    'The largest difference of any channel of any pixel, of 255, for PNG and exact WebP; 0 if no pixel changed. Absent for lossy formats and with a new palette.',
    2,
  ),
  /** What was removed and is neither redundant nor private. */
  removed: row(
    list(REMOVED_DATA),
    'X-Removed',
    `What was removed and is not known to be redundant or private, separated by commas: ${meanings(REMOVED_DATA)}. Absent if there was nothing of it.`,
    'motion-video',
  ),
  /** Whether the result fits into the byte limit; absent without one. */
  budget: row(
    word(BUDGET_OUTCOMES),
    'X-Budget',
    `Whether the result fits into \`max_bytes\`: ${meanings(BUDGET_OUTCOMES)}.`,
    'met',
  ),
  /** Why the search for a smaller file ended early; such a result may get smaller if the upload is sent again. */
  partial: row(
    word(PARTIAL_REASONS),
    'X-Partial',
    'Why the search for a smaller file ended early: `deadline`. Sent again at a quieter time, the upload may become smaller. Absent otherwise.',
    'deadline',
  ),
  /** Estimated bytes as a JPG of the same quality, for an opaque photo in a PNG; absent unless that is much smaller. */
  jpegEstimate: row(
    integer(1),
    'X-JPEG-Estimate',
    'Estimated bytes of a photo in an opaque PNG as a JPG of the same quality. Absent unless that is much smaller. `format=jpeg` converts it.',
    182000,
  ),
} as const;

type Rows = typeof REPORT & typeof OPTIONAL_REPORT;
type Values<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Pick<Kind<infer Value>, 'accepts'> ? Value : never;
};

/** A result in numbers. */
export interface Report extends Values<typeof REPORT>, Partial<Values<typeof OPTIONAL_REPORT>> {}
export type ReportHeader = Extract<Rows[keyof Rows], { header: string }>['header'];

export function isReport(value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries({ ...REPORT, ...OPTIONAL_REPORT }).every(
    ([name, { accepts }]) => (name in OPTIONAL_REPORT && !(name in value)) || accepts(value[name]),
  );
}

interface HeaderRow extends Kind<unknown> {
  readonly header: ReportHeader;
  readonly documented: { readonly description: string; readonly schema: Schema; readonly example: unknown };
}

/** Returns the rows that have a header, each with the name of its member. */
export function headerRows(table: object): (HeaderRow & { readonly name: string })[] {
  const rows = Object.entries(table) as [string, HeaderRow][];
  return rows.flatMap(([name, one]) => ('header' in one ? { ...one, name } : []));
}

const SENT = headerRows({ ...REPORT, ...OPTIONAL_REPORT });

/** Returns the headers of a report; an empty list has none. */
export function reportHeaders(report: Report): Partial<Record<ReportHeader, string>> {
  const values = report as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    SENT.flatMap(({ name, header, asText }) => {
      const shown = values[name] === undefined ? '' : asText(values[name]);
      return shown ? [[header, shown]] : [];
    }),
  );
}

/** Returns the report of these headers, without the members that have none; 0 for a missing one. */
export function readReport(
  readHeader: (header: ReportHeader) => string | null,
): Omit<Report, 'format' | 'encodes'> {
  return Object.fromEntries(
    SENT.flatMap(({ name, header, fromText }) => {
      const shown = readHeader(header) ?? (name in REPORT ? '' : undefined);
      return shown === undefined ? [] : [[name, fromText(shown)]];
    }),
  ) as unknown as Report;
}
