/** Where entries go, in one of three forms: text for people, JSON lines, or annotations for GitHub. */
import { relative } from 'node:path';
import { userFolder } from '../../environment/settings-slice';
import { printable, printableJson } from '../terminal/printable';
import type { Annotation, Entry } from './entries';
import type { ResultLine } from './result-line';

export const FORMATS = ['text', 'json', 'github'] as const;
export type Format = (typeof FORMATS)[number];

/** Prints to standard output and standard error. */
interface Screen {
  show(line: ResultLine): void;
  fault(line: ResultLine): void;
  /** Prints a line for a program, as it is. */
  print(text: string): void;
}

export type Sink = (entry: Entry) => void;

/** @param isQuiet whether only failures are printed */
export function openSink(screen: Screen, format: Format, isQuiet = false): Sink {
  const text: Sink = ({ line, isFault }) => {
    if (line && isFault) screen.fault(line);
    else if (line) screen.show(line);
  };
  const sinks: Readonly<Record<Format, Sink>> = {
    text,
    json: ({ json }) => screen.print(printableJson(json)),
    // Only findings and failures are annotations; the rest is text.
    github: (entry) => (entry.annotation ? screen.print(annotationText(entry.annotation)) : text(entry)),
  };
  return (entry) => {
    if (entry.isFault || !isQuiet) sinks[format](entry);
  };
}

/**
 * Returns a workflow command of GitHub Actions: one line, with the path relative to the top of the checkout. Terminals and other
 * runners obey nothing in it: what they could obey is written out, also in the path, which then names no file.
 */
function annotationText({ level, path, title, line: { name, brief } }: Annotation): string {
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
