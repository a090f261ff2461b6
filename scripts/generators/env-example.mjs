/**
 * config/.env.example: every setting with its default. A setting whose default is computed or absent is commented out,
 * so that the file sets nothing else than a service without it.
 *
 * @param {readonly {name: string, meaning: string, accepts?: string, defaultValue?: string}[]} settings
 * @returns {string}
 */
export function envExample(settings) {
  const entries = settings.map(({ name, meaning, accepts, defaultValue = '' }) => {
    const isLiteral = defaultValue !== '' && !defaultValue.includes(' ');
    return [
      ...wrapped(accepts ? `${meaning} (${accepts})` : meaning),
      ...(defaultValue && !isLiteral ? [`# Default: ${defaultValue}`] : []),
      isLiteral ? `${name}=${defaultValue}` : `# ${name}=`,
    ].join('\n');
  });
  const head = [
    '# Made by "npm run generate" from the settings of the service: change them there.',
    '# Copy it to .env and load it with: set -a; . ./.env; set +a',
  ];
  return `${[head.join('\n'), ...entries].join('\n\n')}\n`;
}

/** Comment lines of at most 100 characters. */
function wrapped(text) {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > 100) lines.push('#');
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines;
}
