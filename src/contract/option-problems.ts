/** Problems with the options of a compression: query parameters, and what they ask for. */
import { Problem } from './problem';

/** Characters of a parameter's name that a response repeats. */
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
