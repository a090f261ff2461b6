/** The generated part of docs/options.md: an option is one item, with its name at each entry point. */
import { code } from './markdown.mjs';

/** Returns a list of the options, by their names in the library. */
export function optionsTable(options) {
  return Object.entries(options)
    .filter(([name]) => name !== 'formatModules')
    .map(([name, { parameter, flag, variable, defaultValue, help, meaning }]) => {
      const ofChecks = name === 'minSavingsPercent';
      const names = [parameter, flag && /--[\w-]+/.exec(flag)[0], ofChecks ? '' : name].filter(Boolean);
      const setting = variable ? ` (${code(variable)}: ${defaultValue})` : '';
      return `- ${[...new Set(names)].map(code).join(', ')}${setting}: ${(help ?? meaning).replace(/ \(default: .*?\)/, '')}${ofChecks ? ', in `ics check`' : ''}`;
    })
    .join('\n');
}
