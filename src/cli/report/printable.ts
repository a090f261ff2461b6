/**
 * Names of files as text that nothing obeys. A name can hold anything but a slash, and what is printed
 * reaches terminals and the runners of GitHub Actions, Azure Pipelines and TeamCity, all of which take
 * commands from their input.
 */

/** Terminals obey control characters and marks of direction; runners `::` at the start of a line, `##[` and `##vso[` anywhere. */
const TERMINAL_COMMANDS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const RUNNER_COMMANDS = /^\s*::|##(?=\w*\[)/g;

/** Writes out every character that a terminal or a runner could obey: ESC becomes \x1b. */
export function printable(text: string): string {
  return text
    .replace(RUNNER_COMMANDS, (command) => command.replace(/[:#]/, writtenOut))
    .replace(TERMINAL_COMMANDS, writtenOut);
}

export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The JSON stays valid and keeps its meaning. */
export function printableJson(value: object): string {
  return JSON.stringify(value)
    .replace(RUNNER_COMMANDS, (command) => command.replace(/[:#]/, inJson))
    .replace(TERMINAL_COMMANDS, inJson);
}

function writtenOut(character: string) {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${hex(code, 2)}` : inJson(character);
}

function inJson(character: string) {
  return `\\u${hex(character.charCodeAt(0), 4)}`;
}

function hex(code: number, digits: number) {
  return code.toString(16).padStart(digits, '0');
}
