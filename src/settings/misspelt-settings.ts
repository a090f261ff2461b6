/** Finds the setting that a variable was meant to be: with one edit, or with its words in another number or order. */

/** Shorter names are too common to be a misspelt setting. */
const LEAST_LENGTH = 5;
/** Set by schedulers of containers, such as Marathon. */
const PORTS_OF_PLATFORMS = /^PORT(S|\d+)$/;

/** Returns the setting that the variable resembles, in upper or lower case. */
export function nearestSetting(variable: string, settings: readonly string[]): string | undefined {
  const name = variable.toUpperCase();
  if (name.length < LEAST_LENGTH || PORTS_OF_PLATFORMS.test(name)) return undefined;
  const words = sortedWords(name);
  return settings.find((setting) => isWithinOneEdit(name, setting) || words === sortedWords(setting));
}

/** Returns the words in the singular. */
const sortedWords = (name: string) =>
  name
    .split('_')
    .map((word) => word.replace(/IES$/, 'Y').replace(/S$/, ''))
    .sort()
    .join('_');

/** An edit inserts, deletes or replaces a letter, or swaps two neighbours. */
function isWithinOneEdit(a: string, b: string) {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [x, y] = [a.slice(start), b.slice(start)];
  const isSwapped = x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
  return isSwapped || x.slice(1) === y || x === y.slice(1) || x.slice(1) === y.slice(1);
}
