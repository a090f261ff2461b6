import { hasMediaType, type FormatFacts } from '../../../contract/formats';
import { readReport as readHeaders } from '../../../contract/report';
import { scoreText, type RemovedData } from '../../../contract/report-words';

type Read = ReturnType<typeof readHeaders>;
export type Dimensions = Read['dimensions'];

export interface Report extends Omit<Read, 'score' | 'timings' | 'removed'> {
  /** Undefined for a type unknown to this page. */
  readonly format: FormatFacts | undefined;
  /** 0..1, four decimals. */
  readonly score: string;
  readonly removed: readonly RemovedData[];
  readonly timings: readonly { readonly stage: string; readonly ms: number }[];
}

/** @param formats those of the service, by name */
export function readReport(
  header: (name: string) => string | null,
  formats: Readonly<Record<string, FormatFacts>>,
): Report {
  const { score, timings, removed = [], ...read } = readHeaders(header);
  return {
    ...read,
    format: Object.values(formats).find(hasMediaType(header('Content-Type') ?? '')),
    score: scoreText(score),
    removed,
    timings: Object.entries(timings).map(([stage, ms]: [string, number]) => ({ stage, ms })),
  };
}
