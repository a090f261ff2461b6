/** Workflow commands of GitHub Actions: annotations that GitHub shows beside the files of a pull request. */
import { relative } from 'node:path';
import { userFolder } from '../../environment/read-variables';
import { printable } from '../terminal/printable';
import type { ResultLine } from './result-line';

/**
 * Returns one line. Terminals and other runners obey nothing in it: what they could obey is written out, also in the path, which
 * then names no file.
 * @param path absolute; the annotation has it relative to the top of the checkout
 */
export function annotation(
  level: 'warning' | 'error',
  path: string,
  title: string,
  { name, brief }: ResultLine,
): string {
  const message = `${name}: ${brief.join(', ')}`;
  const file = relative(process.env['GITHUB_WORKSPACE'] ?? userFolder, path);
  return `::${level} file=${printable(escapedProperty(file))},title=${escapedProperty(title)}::${printable(escaped(message))}`;
}

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands: as its toolkit does it. */
function escaped(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
