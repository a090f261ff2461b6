/** The generated part of docs/options.md: an option is one row, with its name at each door. */
import { code, table } from './markdown.mjs';

/** Returns the table of the options, by their names in the library. */
export function optionsTable(options) {
  const rows = Object.entries(options)
    .filter(([name]) => name !== 'formatModules')
    .map(([name, { parameter, flag, variable, usual, help, meaning }]) => [
      parameter ? code(parameter) : '',
      flag ? code(/--[\w-]+/.exec(flag)) : '',
      code(name),
      variable ? `${code(variable)}: ${usual}` : '',
      (help ?? meaning).replace(/ \(default: .*?\)/, ''),
    ]);
  return table(['Request', '`ics`', 'Library', 'Setting, and its default', ''], rows);
}
