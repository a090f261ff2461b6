/** `completion`: prints a script that makes a shell complete commands, options and their values. */
import { Argument, type Command } from 'commander';
import { examples } from '../help';
import { described } from './described';
import { completionScript, SHELLS, type Shell } from './scripts';

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
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, described(program)));
    });
}
