/** Workflow commands of GitHub Actions: annotations that GitHub shows beside the files of a pull request. */
import { relative } from 'node:path';

export type Level = 'warning' | 'error';

/** Returns one line. @param path absolute; the annotation has it relative to the top of the checkout */
export function annotation(level: Level, path: string, title: string, message: string, from: string): string {
  const file = relative(process.env['GITHUB_WORKSPACE'] ?? from, path);
  return `::${level} file=${escapedProperty(file)},title=${escapedProperty(title)}::${escaped(message)}`;
}

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands: as its toolkit does it. */
function escaped(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
