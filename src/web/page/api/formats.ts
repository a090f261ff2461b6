import { factsOf, formatOfMediaType, type FormatFacts } from '../../../contract/formats';

export type Format = FormatFacts;

/** The format of a response or a file; undefined for a type that this page does not know. */
export function formatOf(contentType: string): Format | undefined {
  const name = formatOfMediaType(contentType);
  return name === undefined ? undefined : factsOf(name);
}
