/** Tables of generated Markdown. */

export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return ['', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

export function code(text) {
  return `\`${text}\``;
}
