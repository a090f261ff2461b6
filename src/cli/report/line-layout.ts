/** How the line about one image is laid out: on one line for a file or a pipe, in columns for a terminal. */
import stringWidth from 'string-width';
import type { Colours } from '../terminal/console';
import type { ResultLine } from './result-line';

/** Room that sizes, change and quality need beside a name. */
export const RESULT_WIDTH = 40;

export function asPlainLine({ name, tone, full }: ResultLine, { green, red }: Colours): string {
  const words = tone === 'smaller' ? green(full) : tone === 'failed' ? red(full) : full;
  return name === '' ? words : `${name}: ${words}`;
}

/**
 * Returns the line for a terminal; names and parts form columns. A name that is wider than its column stands alone, so
 * that it can be copied, with its parts below. So do parts that do not fit beside it.
 */
export function asTerminalLines(
  { name, tone, brief, aligned = brief }: ResultLine,
  { columns, nameColumn }: TerminalShape,
  colours: Colours,
): string {
  const lines = [name.padEnd(name.length + nameColumn - stringWidth(name))];
  let width = stringWidth(lines[0]);
  aligned.forEach((part, i) => {
    for (const piece of wrapped(part, columns - nameColumn - SPACE.length)) {
      const added = SPACE.length + stringWidth(piece);
      const isBelowName = i === 0 && nameColumn > 0 && width > nameColumn;
      if (isBelowName || width + added > columns) {
        lines.push(' '.repeat(nameColumn));
        width = nameColumn;
      }
      lines[lines.length - 1] += SPACE + paint(tone, piece, i, colours);
      width += added;
    }
  });
  return lines.join('\n');
}

/** Splits a sentence between its words into lines of at most `room` columns. */
function wrapped(text: string, room: number): string[] {
  if (stringWidth(text) <= room) return [text];
  const [first, ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines[lines.length - 1]} ${word}`;
    if (stringWidth(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

export interface TerminalShape {
  readonly columns: number;
  /** Width of the column of names; 0 if no name leaves room for its result. */
  readonly nameColumn: number;
}

const SPACE = '  ';
/** Index of the change in `brief`. */
const SAVING = 1;

function paint(
  tone: ResultLine['tone'],
  part: string,
  i: number,
  { bold, dim, green, red }: Colours,
): string {
  if (tone === 'failed') return red(part);
  if (tone === 'unchanged') return dim(part);
  if (i === SAVING) return bold(green(part));
  return i > SAVING ? dim(part) : part;
}
