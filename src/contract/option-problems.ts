/** Problems with the options of a compression: query parameters, and what they ask for. */
import { Problem } from './problem';

/** The options, as query parameters. */
const OPTION_NAMES = ['quality', 'max_dimension', 'metadata', 'effort', 'max_bytes', 'allow'] as const;

export type OptionName = (typeof OPTION_NAMES)[number];

/** Returns what to do with a form field that is an option; nothing for any other field. */
export function optionAsField(name: string, value: string): string {
  if (!OPTION_NAMES.includes(name as OptionName)) return '';
  // encodeURIComponent throws for half a surrogate pair.
  const shown = value.slice(0, SHOWN_NAME).replace(/\p{Surrogate}/gu, '\ufffd');
  return ` Send it in the query string: "?${name}=${encodeURIComponent(shown)}".`;
}

/** Characters of a parameter's name or value that a response repeats. */
const SHOWN_NAME = 64;

/** @param rule what the value has to be, such as "must be one of low, high" */
export const invalidOption = (name: string, rule: string) =>
  new Problem('invalid_request', `The parameter "${name}" ${rule}.`);

export const unknownOption = (name: string, known: readonly string[]) =>
  new Problem(
    'invalid_request',
    `There is no parameter ${JSON.stringify(name.slice(0, SHOWN_NAME))}; use ${known.join(', ')}.`,
  );

/** Sizes in bytes: what was asked for, and the smallest that an acceptable result takes. */
export const budgetUnreachable = (limit: number, actual: number) =>
  new Problem(
    'budget_unreachable',
    `The smallest acceptable result takes ${actual} bytes, more than the ${limit} asked for; raise "max_bytes", or send "allow=any".`,
    { limit, actual },
  );
