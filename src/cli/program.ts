/** Exit codes: 0 all done; 1 something failed, or a check found something; 2 wrong usage or settings; 130 or 143 interrupted. */
import { Command, CommanderError } from 'commander';
import { REMOVED_COMMANDS } from '../contract/removed';
import { VERSION } from '../environment/version';
import { SettingsFault } from '../environment/settings-slice';
import { addCheckCommand } from './check/check-command';
import { addCompareCommand } from './compare/compare-command';
import { addCompressCommand } from './compress/compress-command';
import { addGuardCommand } from './guard/guard-command';
import { addSetCommand } from './set/set-command';
import { printableLines } from './report/printable';
import { CliFailure, endUnread, EXIT_FAILURE, EXIT_USAGE, UsageFault } from './outcome';

type AddCommand = (program: Command) => void;

const IMAGE_COMMANDS: readonly AddCommand[] = [
  addCompressCommand,
  addSetCommand,
  addCompareCommand,
  addCheckCommand,
  addGuardCommand,
];

/** Adds a hidden command that ends with a sentence; without one it does nothing. */
export function addRefusal(parent: Command, name: string, sentence?: string): void {
  parent
    .command(`${name} [words...]`, { hidden: true })
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      if (sentence !== undefined) throw new UsageFault(sentence);
    });
}

function addRemovedCommands(program: Command) {
  for (const [words, rule] of Object.entries(REMOVED_COMMANDS)) {
    const [name, group] = words.split(' ').reverse();
    const parent = group ? program.commands.find((command) => command.name() === group) : program;
    if (parent) addRefusal(parent, name, `"ics ${words}" ${rule}.`);
  }
  // Shells may still call it when they start.
  addRefusal(program, 'completion');
}

/** @returns the exit code; a command that was interrupted has set `process.exitCode` */
export async function run(
  args: readonly string[],
  description = '',
  addCommands: readonly AddCommand[] = [],
): Promise<number> {
  const program = new Command('ics')
    .description(description)
    .configureOutput({ outputError: (text, write) => write(printableLines(text)) })
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText(
      'after',
      '\nIn the clone, write "npm run -s cli --" instead of "ics" in all examples; in other folders, run its scripts/cli.mjs with node.' +
        '\nExit codes: 0 all done, 1 something failed or a check found something, 2 wrong usage or settings, 130 interrupted.',
    );
  for (const add of [...IMAGE_COMMANDS, ...addCommands, addRemovedCommands]) add(program);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    const isExpected = error instanceof CliFailure || error instanceof SettingsFault;
    const words = isExpected ? error.message : error instanceof Error ? error.stack : undefined;
    process.stderr.write(`${printableLines(words ?? String(error))}\n`);
    return error instanceof SettingsFault || error instanceof UsageFault ? EXIT_USAGE : EXIT_FAILURE;
  }
}

export function runCommandLine(description: string, addCommands: readonly AddCommand[]): void {
  endUnread();
  // Node.js exits with 0 when nothing is left to wait for, even if a promise never settles.
  const onUnfinished = () => {
    process.stderr.write('The command ended before it was done. This is a bug, or one of a codec package.\n');
    process.exit(EXIT_FAILURE);
  };
  process.once('beforeExit', onUnfinished);
  void run(process.argv.slice(2), description, addCommands).then((code) => {
    process.off('beforeExit', onUnfinished);
    if (code !== 0) process.exit(code);
  });
}
