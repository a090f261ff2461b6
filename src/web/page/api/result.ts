import { hasMediaType, type FormatTable } from '../../../contract/formats';
import { readReport as readHeaders } from '../../../contract/report';
import { scoreText } from '../../../contract/report-words';

export type Report = Readonly<ReturnType<typeof readReport>>;
export type Dimensions = Report['dimensions'];

export function readReport(header: (name: string) => string | null, formats: FormatTable) {
  const { score, timings, removed = [], ...read } = readHeaders(header);
  return {
    ...read,
    /** Undefined for a type unknown to this page. */
    format: Object.values(formats).find(hasMediaType(header('Content-Type') ?? '')),
    /** 0..1, four decimals. */
    score: scoreText(score),
    removed,
    timings: Object.entries(timings).map(([stage, ms]: [string, number]) => ({ stage, ms })),
  };
}
