/** Completion, by the shells themselves: the printed script is loaded, and asked what may follow a line. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { hasPrograms } from '../deployment/tools';
import { Workplace } from '../support/command-line';

const place = new Workplace();
const script = (shell: string) => place.path(`ics.${shell}`);
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
beforeAll(() => {
  for (const shell of SHELLS) writeFileSync(script(shell), place.run(['completion', shell]).stdout);
  place.put('photo.jpg', 'a file');
});

/** Programs that print what the shell suggests for the last of the words $@, one a line. */
const ASKING: Readonly<Record<Shell, string>> = {
  bash: `source "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ics; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of zsh's completion system write to a screen that is not there: these print what they are given.
  zsh: `autoload -U compinit; compinit -u -D; source "$SCRIPT"
    compadd() { shift; print -l -- "$@" }
    _describe() { print -l -- \${(P)\${@[-1]}%%:*} }
    _files() { print -l -- * }
    words=("$@"); CURRENT=$#; $_comps[ics]`,
  fish: `source $SCRIPT; complete -C (string join ' ' -- $argv) | string replace -r '\\t.*' ''`,
};

function suggestions(shell: Shell, ...words: string[]): string[] {
  const flags = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[shell];
  const name = shell === 'fish' ? [] : [shell];
  const { stdout, stderr } = spawnSync(shell, [...flags, ASKING[shell], ...name, ...words], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'], HOME: place.cache, TERM: 'dumb', SCRIPT: script(shell) },
    encoding: 'utf8',
  });
  if (stderr) throw new Error(stderr);
  const last = words.at(-1)!;
  return stdout.split('\n').filter((word) => word !== '' && word.startsWith(last));
}

describe.each(SHELLS)('completion for %s', (shell) => {
  const itIfInstalled = hasPrograms(shell) ? it : it.skip;

  itIfInstalled.each([
    [
      ['ics', 'com'],
      ['compare', 'completion', 'compress'],
    ],
    [
      ['ics', 'key', ''],
      ['create', 'list', 'revoke'],
    ],
    [
      ['ics', 'compress', '--qu'],
      ['--quality', '--quiet'],
    ],
    [['ics', 'compress', '--quality', 'v'], ['very-high']],
    [['ics', 'compress', '--quality=v'], ['--quality=very-high']],
    [['ics', 'check', '--json', '--format', 'g'], ['github']],
    [['ics', 'check', '--in'], []],
    [
      ['ics', 'account', 'create', '--'],
      ['--create-database', '--email', '--help', '--json'],
    ],
    [
      ['ics', 'completion', ''],
      ['bash', 'fish', 'zsh'],
    ],
  ])('%j: %j', (words, expected) => {
    expect(suggestions(shell, ...words).sort()).toEqual(expected);
  });

  itIfInstalled('names of files where a command takes images', () => {
    const found = suggestions(shell, 'ics', 'compress', 'pho');
    // Bash completes names of files by itself where the script has no suggestion.
    if (shell === 'bash') expect(found).toEqual([]);
    else expect(found).toEqual(['photo.jpg']);
  });
});

const itWithBash = hasPrograms('bash') ? it : it.skip;
itWithBash('bash completes names of files where the script has no suggestion', () => {
  const asked = `source '${script('bash')}'; complete -p ics`;
  expect(spawnSync('bash', ['--norc', '-c', asked], { encoding: 'utf8' }).stdout).toBe(
    'complete -o default -F _ics ics\n',
  );
});

it('is printed for known shells only', () => {
  const { status, stderr } = place.run(['completion', 'tcsh']);
  expect(status).toBe(2);
  expect(stderr).toMatch(/Allowed choices are bash, zsh, fish/);
});
