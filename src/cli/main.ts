#!/usr/bin/env node
/**
 * The command line: the same accounts and the same recipe as the service, and the service itself.
 * Exit codes: 0 all done; 1 an image or an account could not be handled; 2 wrong usage or settings; 130 interrupted.
 */
import { Command } from 'commander';
import { VERSION } from '../operations/version';
import { SettingsFault } from '../settings/settings';
import { addAccountCommands } from './account-commands';
import { addCompressCommand } from './compress/compress-command';
import { addKeyCommands } from './key-commands';
import { CliFailure, EXIT_FAILURE, EXIT_USAGE, UsageFault } from './exit';

async function main(): Promise<void> {
  const program = new Command('ics')
    .description('Compress images, run the service, and look after its accounts.')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText(
      'after',
      '\nExit codes: 0 all done, 1 something failed, 2 wrong usage or settings, 130 interrupted.',
    );
  addCompressCommand(program);
  addServeCommand(program);
  addAccountCommands(program);
  addKeyCommands(program);
  await program.parseAsync();
}

function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the service; its settings are environment variables')
    .action(async () => {
      await import('../main.js');
    });
}

// Whoever read our output has gone: there is nobody left to work for.
process.stdout.on('error', () => process.exit(EXIT_FAILURE));

main().catch((error: unknown) => {
  const isExpected = error instanceof CliFailure || error instanceof SettingsFault;
  process.stderr.write(
    `${isExpected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(error instanceof SettingsFault || error instanceof UsageFault ? EXIT_USAGE : EXIT_FAILURE);
});
