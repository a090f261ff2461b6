/**
 * Control characters (Unicode Cc: C0, DEL, C1), the marks that reverse the direction of writing, and line separators.
 * A file name may hold them, and a terminal would obey them.
 */
const COMMANDS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** The text with every character that a terminal could obey written out: ESC becomes \x1b. */
export function printable(text: string): string {
  return text.replace(COMMANDS, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  });
}

/** The same for a JSON text, which stays valid and keeps its meaning. */
export function printableJson(value: object): string {
  return JSON.stringify(value).replace(COMMANDS, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
