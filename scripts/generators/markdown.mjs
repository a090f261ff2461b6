/** Tables of generated Markdown, and generated parts of files that people write otherwise. */

/** Returns the text with new content between its lines `generated: "NAME"` and `end of "NAME"`. */
export function withMarked(text, name, content) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.includes(`generated: "${name}"`));
  const end = lines.findIndex((line) => line.includes(`end of "${name}"`));
  if (start < 0 || end < start) throw new Error(`There is no generated part "${name}".`);
  return [...lines.slice(0, start + 1), content, ...lines.slice(end)].join('\n');
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return ['', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

export const code = (text) => `\`${text}\``;
