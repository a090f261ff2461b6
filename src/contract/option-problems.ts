/** Problems of the options of a request, which are query parameters or form fields. */
import { Problem } from './problem';
import { REMOVED_OPTIONS } from './removed';

/** Characters of a parameter's name or value that a response repeats. */
const SHOWN_NAME = 64;

/** @param rule what the value must be, as the end of a sentence */
export const invalidOption = (name: string, rule: string) =>
  new Problem('invalid_request', `The parameter "${name}" ${rule}.`);

export const allowWithoutBudget = () =>
  invalidOption('allow', 'needs "max_bytes": it says what may be done to fit into that size');

export const unknownOption = (name: string, known: readonly string[]) =>
  Object.hasOwn(REMOVED_OPTIONS, name)
    ? invalidOption(name, REMOVED_OPTIONS[name])
    : new Problem(
        'invalid_request',
        `There is no parameter ${JSON.stringify(name.slice(0, SHOWN_NAME))}; use ${known.join(', ')}.`,
      );
