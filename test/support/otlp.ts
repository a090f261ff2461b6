export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

export interface DataPoint {
  readonly attributes: Span['attributes'];
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

export interface Metric {
  readonly name: string;
  readonly description: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: DataPoint[] };
  readonly gauge?: { readonly dataPoints: DataPoint[] };
  readonly histogram?: { readonly dataPoints: DataPoint[] };
}

export interface LogRecord {
  readonly severityText: string;
  readonly severityNumber: number;
  readonly body: { readonly stringValue: string };
  readonly attributes: Span['attributes'];
  readonly traceId?: string;
}

/** A body of any signal: resources, in them scopes, in them entries. */
type Body = Record<string, { readonly resource: object }[]>;

export function entriesOf<Entry>(body: string, signal: 'Spans' | 'Metrics' | 'LogRecords') {
  const group = signal.replace('Records', 's');
  const resources = (JSON.parse(body) as Body)[`resource${group}`] as unknown as Record<string, unknown[]>[];
  return resources
    .flatMap((resource) => resource[`scope${group}`] as Record<string, Entry[]>[])
    .flatMap((scope) => scope[signal[0].toLowerCase() + signal.slice(1)]);
}

export function attributesOf({ attributes }: Span) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

export function msOf({ startTimeUnixNano: start, endTimeUnixNano: end }: Span) {
  return Number(BigInt(end) - BigInt(start)) / 1e6;
}
