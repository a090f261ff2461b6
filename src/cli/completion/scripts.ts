/**
 * Completion scripts. All of them find the command on the line first: each word that is a sub-command of what was found
 * so far is added. The scripts are complete in themselves, so that a tab does not start Node.js.
 */
import { allCommands, type DescribedCommand, type DescribedOption } from './described';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, program: DescribedCommand): string {
  switch (shell) {
    case 'bash':
      return bash(program);
    case 'zsh':
      return zsh(program);
    case 'fish':
      return fish(program);
  }
}

function bash(program: DescribedCommand): string {
  const list = (words: readonly string[]) => `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$cur"))`;
  return `# Completion of ics for bash.
_ics() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= i
  COMPREPLY=()
  # Bash splits --quality=low into three words.
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${paths(program)}
    esac
  done
  case "$at $prev" in
${values(program, list, ':')}
  esac
  case "$at:$cur" in
${allCommands(program)
  .flatMap(({ path, options, commands, ...command }) => [
    `    ${quoted(`${path.join(' ')}:-`)}*) ${list(options.flatMap(({ names }) => names))} ;;`,
    `    ${quoted(`${path.join(' ')}:`)}*) ${list([...commands.map(lastWord), ...command.values])} ;;`,
  ])
  .join('\n')}
  esac
}
# Where the list is empty, names of files are completed.
complete -o default -F _ics ics
`;
}

function zsh(program: DescribedCommand): string {
  const list = (words: readonly string[]) => `compadd -- ${words.map(quoted).join(' ')}`;
  const described = (tag: string, entries: readonly (readonly [string, string])[]) =>
    `list=(${entries.map(([word, text]) => quoted(`${word}:${text}`)).join(' ')}); _describe ${tag} list`;
  return `#compdef ics
# Completion of ics for zsh.
_ics() {
  local at i
  local -a list
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
${paths(program)}
    esac
  done
  case "$at $words[CURRENT-1]" in
${values(program, list, '_files')}
  esac
  case "$at:$words[CURRENT]" in
${allCommands(program)
  .flatMap(({ path, options, commands, ...command }) => [
    `    ${quoted(`${path.join(' ')}:-`)}*) ${described(
      '-o option',
      options.flatMap(({ names, description }) => names.map((name) => [name, description] as const)),
    )} ;;`,
    `    ${quoted(`${path.join(' ')}:`)}*) ${
      commands.length > 0
        ? described(
            'command',
            commands.map((one) => [lastWord(one), one.description] as const),
          )
        : command.values.length > 0
          ? list(command.values)
          : '_files'
    } ;;`,
  ])
  .join('\n')}
  esac
}
if [ "$funcstack[1]" = _ics ]; then _ics "$@"; else compdef _ics ics; fi
`;
}

function fish(program: DescribedCommand): string {
  const lines = allCommands(program).flatMap((command) => {
    const at = `complete -c ics -n ${quoted(`__ics_at "${command.path.join(' ')}"`)}`;
    return [
      ...(command.takesFiles ? [] : [`${at} -f`]),
      ...command.commands.map((one) => `${at} -a ${lastWord(one)} -d ${quoted(one.description)}`),
      ...(command.values.length > 0 ? [`${at} -a ${quoted(command.values.join(' '))}`] : []),
      ...command.options.map((option) => `${at} ${fishOption(option)}`),
    ];
  });
  return `# Completion of ics for fish.
function __ics_at
  set -l at ''
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch "$at $word"
${allCommands(program)
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      case ${quoted(key(path))}\n        set at ${quoted(path.join(' '))}`)
  .join('\n')}
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishOption({ names, description, takesValue, values }: DescribedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = values.length > 0 ? `-x -a ${quoted(values.join(' '))}` : takesValue ? '-r -F' : '';
  return [...flags, value, '-d', quoted(description)].filter(Boolean).join(' ');
}

/** Cases that follow the words of the line from command to sub-command. */
function paths(program: DescribedCommand): string {
  return allCommands(program)
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `      ${quoted(key(path))}) at=${quoted(path.join(' '))} ;;`)
    .join('\n');
}

/** Cases of options that take a value. */
function values(
  program: DescribedCommand,
  list: (words: readonly string[]) => string,
  anything: string,
): string {
  return allCommands(program)
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ names, ...option }) => {
          const pattern = names.map((name) => quoted(`${path.join(' ')} ${name}`)).join('|');
          return `    ${pattern}) ${option.values.length > 0 ? list(option.values) : anything}; return ;;`;
        }),
    )
    .join('\n');
}

/** The path as the scripts build it: the words found so far, and the next one. */
function key(path: readonly string[]): string {
  return `${path.slice(0, -1).join(' ')} ${path.at(-1) ?? ''}`;
}

function lastWord({ path }: DescribedCommand): string {
  return path.at(-1) ?? '';
}

/** In single quotes, as bash, zsh and fish read them. */
function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}
