/**
 * `completion`: prints a script that makes a shell complete commands, options and their values. It holds a table of words and asks
 * awk, so that a tab does not start Node.js, which takes a quarter of a second.
 */
import { Argument, type Command, type Option } from 'commander';
import { examples } from './help';
import { RECIPE_OPTIONS } from './options';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'source <(ics completion bash)                                   in ~/.bashrc',
        'source <(ics completion zsh)                                    in ~/.zshrc, after compinit',
        'ics completion fish > ~/.config/fish/completions/ics.fish       once',
      ),
    )
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(SCRIPTS[shell](`printf '%s\\n' ${quoted(tableOf(program))} | awk -- '${FIND}'`));
    });
}

/** Where a word may stand (behind a command or an option that takes a value), the word, and its description. No word: a file. */
type Row = readonly [place: string, word: string, description?: string];

/** Stands for the options of a command, as the last part of a place. */
const OPTIONS = '-*';
/** Values of options that also accept others, or that the settings check. */
const SUGGESTIONS = new Map(RECIPE_OPTIONS.map(({ option, words = [] }) => [option.long, words]));
/** Names of arguments that are files. */
const FILES = new Set(['images', 'paths', 'original', 'package']);

function tableOf(program: Command): string {
  return rowsOf(program, program.name())
    .map((row) => row.join('\t'))
    .join('\n');
}

function rowsOf(command: Command, place: string): Row[] {
  const help = command.createHelp();
  // Without hidden commands, and without `help`, which commander adds.
  const commands = help.visibleCommands(command).filter((one) => command.commands.includes(one));
  return [
    ...command.registeredArguments.flatMap((argument): Row[] => [
      ...(argument.argChoices ?? []).map((word): Row => [place, word]),
      ...(FILES.has(argument.name()) ? [[place, ''] as const] : []),
    ]),
    ...help.visibleOptions(command).flatMap((option) => optionRows(option, place)),
    ...commands.flatMap((one): Row[] => [
      [place, one.name(), one.description()],
      ...rowsOf(one, `${place} ${one.name()}`),
    ]),
  ];
}

function optionRows({ long, short, description, argChoices, ...option }: Option, place: string): Row[] {
  const values = argChoices ?? SUGGESTIONS.get(long) ?? [];
  const takesValue = option.required || option.optional;
  return [long, short]
    .filter((name) => name != null)
    .flatMap((name): Row[] => [
      [`${place} ${OPTIONS}`, name, description],
      ...(takesValue && values.length === 0 ? [[`${place} ${name}`, ''] as const] : []),
      ...values.map((word): Row => [`${place} ${name}`, word]),
    ]);
}

/**
 * A program of awk: reads the table and prints what may follow the words of the line, the last of which is incomplete. Exits with 1
 * where files may follow. Bash splits --quality=low into three words; of the others' one word, the value is found.
 */
const FIND = `
BEGIN { FS = "\\t"; n = ARGC - 1; for (i = 1; i <= n; i++) word[i] = ARGV[i]; ARGC = 1 }
{ row[NR] = $0; places[$1] }
END {
  at = "ics"; last = word[n - 1]; current = word[n]
  if (current == "=") current = ""
  else if (last == "=") last = word[n - 2]
  else if (match(current, /^--[^=]+=/)) {
    head = substr(current, 1, RLENGTH)
    last = substr(head, 1, RLENGTH - 1)
    current = ""
  }
  for (i = 2; i < n; i++)
    if ((at " " word[i] " ${OPTIONS}") in places) at = at " " word[i]
  if (last ~ /^-/ && ((at " " last) in places)) at = at " " last
  else if (current ~ /^-/) at = at " ${OPTIONS}"
  for (i = 1; i <= NR; i++) {
    split(row[i], column)
    if (column[1] != at) continue
    if (column[2] == "") files = 1
    else print head column[2] (column[3] == "" ? "" : "\\t" column[3])
  }
  exit files + 0
}`;

/** The script of each shell around a command that runs FIND. */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (find: string) => string>> = {
  bash: (find) => `# Completion of ics for bash.
_ics() {
  local current=\${COMP_WORDS[COMP_CWORD]}
  [ "$current" != = ] || current=
  set -- "\${COMP_WORDS[@]:0:COMP_CWORD + 1}"
  COMPREPLY=($(compgen -W "$(${find} "$@" | cut -f 1)" -- "$current"))
}
# Where the list is empty, names of files are completed.
complete -o default -F _ics ics
`,
  zsh: (find) => `#compdef ics
# Completion of ics for zsh.
_ics() {
  local found hasFiles
  local -a list
  found=$(${find} "\${(@)words[1,CURRENT]}")
  hasFiles=$?
  list=("\${(@f)\${found//$'\\t'/:}}")
  if [[ $words[CURRENT] = -* ]]; then _describe -o option list
  elif [[ -n $found ]]; then _describe word list; fi
  if ((hasFiles)); then _files; fi
}
if [ "$funcstack[1]" = _ics ]; then _ics "$@"; else compdef _ics ics; fi
`,
  fish: (find) => `# Completion of ics for fish.
function _ics
  set -l current (commandline -ct)
  ${find} (commandline -opc) "$current"
  and return
  set -l option (string match -r -- '^--[^=]+=' "$current")
  __fish_complete_path (string replace -- "$option" '' "$current") | string replace -r -- '^' "$option"
end
complete -c ics -f -a '(_ics)'
`,
};

/** In single quotes, as bash, zsh and fish read them. */
function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}
